# Long names in little room: shortened where they agree, so that they stay different.

# Names on one line each, at most so wide. A long name loses its end; if another one has the same
# beginning, the part that they share.
elided <- function(names, width = 25L) {
  texts <- trimws(gsub("[[:space:]]+", " ", names))
  long <- nchar(texts) > width
  if (!any(long)) return(texts)
  shared <- shared_beginnings(texts)
  short <- texts
  short[long] <- mapply(brief_name, texts[long], shared[texts[long]], width, USE.NAMES = FALSE)
  numbered_if_equal(texts, short, width)
}

# How many characters each text has in common with the one most like it, which is beside it when they
# are sorted.
shared_beginnings <- function(texts) {
  ordered <- sort(unique(texts), method = "radix")
  alike <- mapply(common_length, ordered[-1L], ordered[-length(ordered)], USE.NAMES = FALSE)
  stats::setNames(pmax(c(0L, unlist(alike)), c(unlist(alike), 0L)), ordered)
}

common_length <- function(one, other) {
  one <- utf8ToInt(enc2utf8(one))
  other <- utf8ToInt(enc2utf8(other))
  n <- min(length(one), length(other))
  differ <- which(one[seq_len(n)] != other[seq_len(n)])
  if (length(differ)) differ[[1L]] - 1L else n
}

# A text in at most so many characters, with what follows the shared beginning: from the start of a
# word if that is near.
brief_name <- function(text, shared, width, ellipsis = "...") {
  dots <- nchar(ellipsis)
  if (shared < width - dots) return(paste0(substr(text, 1L, width - dots), ellipsis))
  word <- max(c(0L, gregexpr("[ _.:/-]", substr(text, 1L, shared))[[1L]]))
  end <- substring(text, if (shared - word <= 10L) word + 1L else shared - 1L)
  room <- max(1L, width - min(4L, width %/% 4L) - dots)
  if (nchar(end) > room) end <- paste0(substr(end, 1L, max(1L, room - dots)), ellipsis)
  paste0(substr(text, 1L, max(0L, width - dots - nchar(end))), ellipsis, end)
}

# Where different texts have become equal, their numbers among all texts are added.
numbered_if_equal <- function(texts, short, width) {
  pairs <- unique(data.frame(texts, short))
  equal <- short %in% pairs$short[duplicated(pairs$short)]
  mark <- paste0("~", match(texts, unique(texts)))[equal]
  short[equal] <- paste0(substr(short[equal], 1L, width - nchar(mark)), mark)
  short
}

# A weight with two decimals, or more where these would be 0.
weight_text <- function(weight, digits = 2L) {
  least <- 10^-max(3L, digits)
  texts <- ifelse(weight >= 0.5 * 10^-digits, decimal(weight, digits), decimal(weight, 3L))
  texts[weight == 0] <- "0"
  texts[weight > 0 & weight < least] <- paste("<", decimal(least, max(3L, digits)))
  texts
}
