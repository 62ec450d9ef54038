# Execute a page of R Markdown and write plain Markdown, with pictures in it.
# usage: Rscript knit.R SOURCE TARGET
arguments <- commandArgs(TRUE)
setwd(dirname(arguments[[2]]))
invisible(file.copy(arguments[[1]], "page.Rmd", overwrite = TRUE))

escaped <- function(text) htmltools::htmlEscape(text, attribute = TRUE)

# A picture with its caption, and a text for readers who cannot see it.
figure <- function(path, options) {
  alt <- options$fig.alt
  caption <- options$fig.cap
  if (is.null(alt)) stop("the picture of chunk ", options$label, " has no fig.alt")
  # Of several pictures of a chunk each has its own texts, if there are as many.
  pick <- function(texts) texts[[min(options$fig.cur, length(texts))]]
  sprintf(
    '<figure>\n<img src="%s" alt="%s">\n<figcaption>%s</figcaption>\n</figure>\n\n',
    knitr::image_uri(path), escaped(pick(alt)),
    if (is.null(caption)) "" else escaped(pick(caption))
  )
}

knitr::opts_knit$set(rmarkdown.pandoc.to = "html", progress = FALSE)
knitr::render_markdown()
knitr::opts_chunk$set(error = FALSE) # what fails is not shown, but stops it
knitr::knit_hooks$set(plot = function(x, options) paste0("\n\n", figure(x, options)))
invisible(knitr::knit("page.Rmd", "page.md", quiet = TRUE, envir = new.env(parent = globalenv())))

lines <- readLines("page.md", encoding = "UTF-8")
front <- which(lines == "---")[1:2]
title <- yaml::yaml.load(lines[seq(front[[1]] + 1, front[[2]] - 1)])$title
writeLines(c(paste("#", title), lines[-seq_len(front[[2]])]), arguments[[2]], useBytes = TRUE)
