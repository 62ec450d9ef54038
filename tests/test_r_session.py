"""The R package in R sessions: any input, conditions, callbacks and output as R has them."""

import resource

import pytest
import rsession
from rsession import environment, finished, needs_r_package, start_r

# fixtures
r_library, r = rsession.r_library, rsession.r
session = rsession.session


class TestInput:
    def test_every_kind_of_table_gives_the_same_fit(self, session):
        session(
            """
            x <- as.matrix(iris[, 1:4])
            bare <- unname(x)
            parts <- c("cluster", "weights", "centers", "modes", "history")
            same <- function(a, b) {
              numbers <- function(x) c(unname(unlist(x)))
              for (p in parts) stopifnot(identical(numbers(a[[p]]), numbers(b[[p]])))
            }
            fit <- wbms(x, h = 0.05, lambda = 0.1)
            same(fit_iris(), fit)
            same(wbms(bare, h = 0.05, lambda = 0.1), fit)
            same(wbms(~ . - Species, data = iris, h = 0.05, lambda = 0.1), fit)
            column <- x[, 1, drop = FALSE]
            same(wbms(x[, 1], h = 0.05, lambda = 0.1), wbms(column, h = 0.05, lambda = 0.1))
            """
        )

    def test_the_data_are_not_written_to(self, session):
        session(
            """
            x <- as.matrix(iris[, 1:4]) + 0
            before <- serialize(x, NULL)
            fit <- wbms(x, h = 0.05, lambda = 0.1)
            invisible(predict(fit, x)); invisible(hull_distance(x, x))
            stopifnot(identical(serialize(x, NULL), before), identical(fit$data, x))
            """
        )

    @pytest.mark.parametrize("locale", ["C.UTF-8", "C"])
    def test_names_of_any_alphabet_come_back(self, locale, r, tmp_path):
        r(
            r"""
            names <- c("\u00e9t\u00e9", "\u4e2d\u6587", "\U1F600", "plain", "with space")
            latin <- iconv("\u00fc", "UTF-8", "latin1")
            x <- as.matrix(data.frame(a = 1:6, b = c(1, 5, 2, 2, 9, 1), c = 6:1, d = 1, e = 2))
            dimnames(x) <- list(c(names, latin), names)
            fit <- wbms(x, h = 0.1, lambda = 0.1)
            same <- function(a, b) identical(enc2utf8(a), enc2utf8(b))
            stopifnot(
              same(names(fit$cluster), rownames(x)), same(names(fit$weights), names),
              same(colnames(fit$modes), names), same(colnames(fit$centers), names),
              same(names(predict(fit, x)), rownames(x))
            )
            cloud <- gaussian_recursion(structure(1:2, names = c(names[[1]], latin)), 1, 1, 1)
            stopifnot(same(unique(cloud$feature), c(names[[1]], "\u00fc")))
            colnames(x)[[1]] <- latin
            stopifnot(same(names(wbms(x, h = 0.1, lambda = 0.1)$weights)[[1]], "\u00fc"))
            """,
            tmp_path,
            LC_ALL=locale,
        )

    def test_the_locale_of_the_session_stays(self, r, tmp_path):
        r(
            """
            invisible(Sys.setlocale("LC_ALL", "C"))
            before <- Sys.getlocale()
            invisible(wbms_python())
            stopifnot(identical(Sys.getlocale(), before))
            """,
            tmp_path,
        )

    def test_a_vector_too_long_is_refused_before_anything_is_copied(self, session):
        session(
            """
            said <- tryCatch(wbms(seq_len(2^31)), error = conditionMessage)
            stopifnot(grepl("too long for a vector: give it as a matrix", said))
            """
        )

    def test_too_much_for_the_memory_is_an_error_in_r(self, r_library, tmp_path):
        code = """
            said <- tryCatch(
              gaussian_sample(.Machine$integer.max, rep(1, 500), 1, 1, 1), error = identity
            )
            stopifnot(inherits(said, "python_MemoryError"))
            stopifnot(grepl("allocate", conditionMessage(said)))
            stopifnot(length(limit_weights(c(1, 2), 1)) == 2)
        """
        process = start_r(r_library, code, tmp_path)
        limit = 64 * 2**30
        resource.prlimit(process.pid, resource.RLIMIT_AS, (limit, limit))
        finished(process)


class TestTraces:
    """A fit leaves the session as it was."""

    def test_nothing_of_the_session_changes(self, r, tmp_path):
        r(
            """
            look <- function() list(
              variables = Sys.getenv(), options = options(), libraries = .libPaths(),
              locale = Sys.getlocale(), folder = getwd(), attached = search(),
              random = get0(".Random.seed", globalenv()),
              objects = ls(globalenv(), all.names = TRUE),
              devices = grDevices::dev.list()
            )
            Sys.setenv(R_PAPERSIZE_USER = "a5", KMP_DUPLICATE_LIB_OK = "no")
            set.seed(1)
            fit <- before <- after <- NULL
            before <- look()
            fit <- wbms(iris[1:60, 1:4], callback = function(state) { Sys.getenv("HOME"); FALSE })
            after <- look()
            for (what in names(before)) {
              if (!identical(before[[what]], after[[what]])) {
                stop(what, ": ", toString(all.equal(before[[what]], after[[what]])))
              }
            }
            """,
            tmp_path,
        )


class TestConditions:
    def test_a_warning_arrives_once_with_its_class_and_call(self, session):
        session(
            """
            seen <- list()
            fit <- withCallingHandlers(
              fit_iris(max_iter = 1),
              warning = function(w) { seen <<- c(seen, list(w)); invokeRestart("muffleWarning") }
            )
            stopifnot(
              length(seen) == 1, inherits(seen[[1]], "python_ConvergenceWarning"),
              inherits(seen[[1]], "wbms_warning"),
              grepl("max_iter=1 ", conditionMessage(seen[[1]])),
              identical(conditionCall(seen[[1]])[[1]], quote(wbms)), !fit$converged
            )
            """
        )

    def test_a_warning_can_be_made_an_error(self, session):
        session(
            """
            options(warn = 2)
            said <- tryCatch(
              fit_iris(max_iter = 1), error = identity
            )
            stopifnot(inherits(said, "error"), grepl("max_iter=1 ", conditionMessage(said)))
            invisible(fit_iris()) # nothing else warns
            """
        )

    def test_nothing_is_printed_unasked(self, r, tmp_path):
        said = r(
            "invisible(wbms(iris[, 1:4])); invisible(wbms_theory(wbms(iris[, 1:4])))", tmp_path
        )
        assert (said, said.errors) == ("", "")

    def test_an_error_of_python_has_class_call_and_traceback(self, session):
        session(
            """
            x <- cbind(a = c(1, 2), b = c(1e200, -1e200))
            said <- tryCatch(wbms(x, h = 1, lambda = 1, standardize = FALSE), error = identity)
            stopifnot(
              inherits(said, "python_ValueError"), inherits(said, "wbms_error"),
              identical(said$python_class, "ValueError"), grepl("Traceback", said$python_traceback),
              grepl("standardize=TRUE", conditionMessage(said)),
              identical(conditionCall(said)[[1]], quote(wbms))
            )
            """
        )

    def test_a_number_that_must_be_whole_is_not_cut_off(self, session):
        session(
            """
            said <- tryCatch(wbms_data("simulation2", p = 2.5), error = conditionMessage)
            stopifnot(grepl("p must be an integer", said))
            stopifnot(ncol(wbms_data("simulation2", p = 7)) == 7)
            """
        )

    def test_a_table_of_one_row_is_a_table(self, session):
        session(
            """
            said <- tryCatch(
              convergence_order(gaussian_recursion(1, 1, 1, 0)), error = conditionMessage
            )
            stopifnot(grepl("needs at least 3 positive terms, got 1", said))
            """
        )


class TestCallback:
    def test_it_sees_each_iteration_and_can_end_the_fit(self, session):
        session(
            """
            seen <- list()
            fit <- fit_iris(warmup = 0, callback = function(state) {
              seen <<- c(seen, list(state)); state$iteration == 3
            })
            stopifnot(length(seen) == 3, nrow(fit$history) == 3, !fit$converged)
            stopifnot(identical(vapply(seen, `[[`, 0, "movement"), fit$history$movement))
            stopifnot(identical(seen[[3]]$weights, fit$weights))
            """
        )

    def test_its_error_is_the_caller_s(self, session):
        session(
            """
            fail <- function(state) stop(structure(
              class = c("mine", "error", "condition"), list(message = "as I said", call = NULL)
            ))
            said <- tryCatch(fit_iris(callback = fail), mine = identity)
            stopifnot(identical(conditionMessage(said), "as I said"))
            said <- tryCatch(
              fit_iris(callback = function(a, b) b), error = identity
            )
            stopifnot(inherits(said, "simpleError"), grepl("\\"b\\"", conditionMessage(said)))
            """
        )

    def test_its_conditions_reach_the_handlers_of_the_caller(self, session):
        session(
            """
            seen <- character()
            fit <- withCallingHandlers(
              fit_iris(callback = function(state) {
                message("m"); warning("w"); state$iteration == 2
              }),
              message = function(m) { seen <<- c(seen, "m"); invokeRestart("muffleMessage") },
              warning = function(w) { seen <<- c(seen, "w"); invokeRestart("muffleWarning") }
            )
            stopifnot(identical(seen, c("m", "w", "m", "w")), nrow(fit$history) == 2)
            mine <- structure(class = c("mine", "condition"), list(message = "", call = NULL))
            said <- tryCatch(
              fit_iris(callback = function(state) signalCondition(mine)), mine = identity
            )
            stopifnot(identical(said, mine))
            said <- withRestarts(
              fit_iris(callback = function(state) invokeRestart("back", state$iteration)),
              back = function(iteration) iteration
            )
            stopifnot(said == 1)
            # out of a fit inside the callback of another one
            said <- tryCatch(
              fit_iris(callback = function(state) {
                fit_iris(callback = function(inner) signalCondition(mine)); TRUE
              }),
              mine = function(m) "out of both"
            )
            stopifnot(identical(said, "out of both"), inherits(fit_iris(), "wbms"))
            """
        )

    def test_while_h_is_chosen_as_well(self, session):
        session(
            """
            for (choose in list(wbms, wbms_select)) {
              said <- tryCatch(
                choose(iris[, 1:4], callback = function(state) stop("no more")), error = identity
              )
              stopifnot(inherits(said, "simpleError"), conditionMessage(said) == "no more")
            }
            """
        )

    def test_it_may_fit_itself(self, session):
        session(
            """
            plain <- fit_iris()
            inner <- NULL
            outer <- fit_iris(callback = function(state) {
              inner <<- fit_iris(); FALSE
            })
            stopifnot(identical(outer$modes, plain$modes), identical(inner$modes, plain$modes))
            """
        )

    def test_a_jump_out_of_it_harms_nothing(self, session):
        session(
            """
            plain <- fit_iris()
            for (i in 1:50) tryCatch(
              callCC(function(leave) {
                fit_iris(callback = function(state) leave(1))
              }),
              error = identity, interrupt = identity
            )
            for (i in 1:50) withRestarts(
              fit_iris(callback = function(s) invokeRestart("mine")), mine = function() NULL
            )
            stopifnot(identical(fit_iris(), plain))
            """
        )

    def test_it_can_be_interrupted(self, session):
        session(
            """
            plain <- fit_iris()
            try(stop("an older error"), silent = TRUE)
            interrupt_soon()
            said <- tryCatch(
              fit_iris(callback = function(state) work_for_ever()),
              interrupt = function(i) "interrupted", error = conditionMessage
            )
            stopifnot(identical(said, "interrupted"))
            stopifnot(identical(fit_iris(), plain))
            """
        )

    def test_it_can_catch_an_interrupt_itself(self, session):
        session(
            """
            invisible(wbms_python())
            interrupt_soon()
            fit <- fit_iris(callback = function(state) {
              tryCatch({ work_for_ever(); FALSE }, interrupt = function(i) TRUE)
            })
            stopifnot(inherits(fit, "wbms"), nrow(fit$history) == 1)
            """
        )


class TestTimeLimit:
    def test_it_ends_a_fit(self, session):
        session(
            """
            plain <- fit_iris()
            set.seed(1); x <- matrix(rnorm(2000 * 10), 2000)
            said <- tryCatch({
              setTimeLimit(elapsed = 1, transient = TRUE)
              wbms(x, h = 1e-3, lambda = 0.1, stop = "fixed", max_iter = 1e9)
            }, error = conditionMessage)
            setTimeLimit()
            stopifnot(grepl("time limit", said), identical(fit_iris(), plain))
            """
        )

    def test_it_ends_a_single_iteration(self, session):
        session(
            """
            plain <- fit_iris()
            big <- matrix(rnorm(2e5 * 20), 2e5)
            said <- tryCatch({
              setTimeLimit(elapsed = 2, transient = TRUE)
              hull_distance(big, big[1:1e5, ])
            }, error = conditionMessage)
            setTimeLimit()
            stopifnot(grepl("time limit", said), identical(fit_iris(), plain))
            """
        )


class TestProgress:
    FIT = """
        set.seed(1); x <- matrix(rnorm(1000 * 10), 1000)
        now <- function() proc.time()[["elapsed"]]
        run <- function(enough = function() now() > begun + 2) {
          begun <- now()
          wbms(x, h = 1e-3, lambda = 0.1, stop = "fixed", max_iter = 1e6,
               callback = function(state) enough())
          invisible()
        }
    """

    def test_a_text_where_nothing_else_is(self, r, tmp_path):
        said = r(
            f"""
            {self.FIT}
            con <- file("shown", "w"); sink(con, type = "message")
            options(wbms.progress_after = 0, wbms.progress = "text")
            run(function() {{ flush(con); file.size("shown") > 0 }})
            sink(type = "message"); close(con)
            options(wbms.progress = FALSE); run()
            """,
            tmp_path,
        )
        assert "0%" in tmp_path.joinpath("shown").read_text()
        assert said.errors == ""

    def test_progressr_gets_conditions(self, r, tmp_path):
        """With a stand-in for the package, which signals what the real one does."""
        r(
            f"""
            {self.FIT}
            progressr <- new.env()
            progressr$progressor <- function(steps, on_exit) {{
              stopifnot(steps == 100, !on_exit)
              function(message = character(), ..., type = "update") signalCondition(structure(
                class = c("progression", "condition"), list(message = message, type = type)
              ))
            }}
            display <- wbms:::progress_display
            bar <- wbms:::progressr_bar
            environment(bar) <- list2env(
              list(getExportedValue = function(package, name) progressr$progressor),
              parent = asNamespace("wbms")
            )
            assignInNamespace("progressr_bar", bar, "wbms")
            options(wbms.progress_after = 0, wbms.progress = "progressr")
            seen <- list()
            withCallingHandlers(
              run(function() length(seen) > 2), progression = function(p) seen <<- c(seen, list(p))
            )
            types <- vapply(seen, `[[`, "", "type")
            stopifnot(length(seen) > 2, types[[1]] == "update", tail(types, 1) == "finish")
            stopifnot(grepl("^(main|warmup) [0-9]+ of at most", seen[[1]]$message))
            """,
            tmp_path,
        )


class TestOutput:
    LINES = "warmup 1: 149 points in 149 groups, largest move 2.09"
    FIT = "fit <- fit_iris(verbose = TRUE, max_iter = 300)"

    def test_progress_is_r_output(self, r, tmp_path):
        said = r(
            f"""
            {self.FIT}
            cat("--\\n")
            caught <- capture.output({self.FIT})
            sink("sunk.txt"); {self.FIT}; sink()
            stopifnot(length(caught) == nrow(fit$history), identical(caught, readLines("sunk.txt")))
            """,
            tmp_path,
        )
        shown, after = said.split("--\n")
        assert shown.startswith(self.LINES)
        assert after == ""

    def test_progress_is_in_the_document_of_knitr(self, r, tmp_path):
        needs_r_package("knitr")
        tmp_path.joinpath("page.Rmd").write_text(
            f"Before.\n\n```{{r}}\n{self.FIT}\nfit$iter\n```\n\nAfter.\n"
        )
        said = r('invisible(knitr::knit("page.Rmd", "page.md", quiet = TRUE))', tmp_path)
        assert said == ""
        assert f"## {self.LINES}" in tmp_path.joinpath("page.md").read_text()


def test_missing_r_fails_in_continuous_integration(monkeypatch):
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="apt-get install r-base-dev"):
        rsession.not_here("R")
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="apt-get install r-base-dev"):
        rsession.not_here("R")


def test_the_environment_of_a_session_is_no_one_s_own(monkeypatch):
    monkeypatch.setenv("WBMS_PYTHON", "/somewhere")
    assert "WBMS_PYTHON" not in environment("library")
