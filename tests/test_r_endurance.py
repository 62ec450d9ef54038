"""R sessions that are interrupted, forked, short of memory, or in use for long."""

import random

import pytest
import rsession
from rsession import finished, interrupting, start_r

# fixtures
r_library, r = rsession.r_library, rsession.r
session, terminal = rsession.session, rsession.terminal

# A fit that lasts for weeks if nobody ends it, made of short iterations.
LONG_FIT = "wbms(x, h = 1e-3, lambda = 0.1, stop = 'fixed', max_iter = 1e9)"
X_FOR_LONG_FIT = "set.seed(1); x <- matrix(rnorm(2000 * 10), 2000)"


class TestInterrupt:
    def test_the_prompt_is_back_and_the_next_fit_works(self, terminal):
        terminal.type(
            X_FOR_LONG_FIT + "; small <- wbms(x[1:50, ], h = 0.1, lambda = 0.1); say('ready')"
        )
        terminal.wait_for("<ready>")
        terminal.type(f"say('be', 'gun'); {LONG_FIT}; say('fin', 'ished')")
        terminal.wait_for("<begun>")
        terminal.let_work()
        terminal.interrupt()
        terminal.wait_for("\n> ")
        assert "<finished>" not in terminal.screen
        terminal.type("say(identical(wbms(x[1:50, ], h = 0.1, lambda = 0.1), small))")
        terminal.wait_for("<TRUE>")
        # and R's own interrupts are R's again
        terminal.type("say('be', 'gun'); repeat NULL; say('fin', 'ished')")
        terminal.wait_for("<begun>")
        terminal.let_work()
        terminal.interrupt()
        terminal.wait_for("\n> ")
        assert "<finished>" not in terminal.screen

    def test_progress_is_shown_at_a_prompt_and_cleared(self, terminal):
        terminal.type(X_FOR_LONG_FIT + "; options(wbms.progress = NULL); invisible(wbms_python())")
        terminal.type(f"{LONG_FIT}; say('fin', 'ished')")
        terminal.wait_for(" of at most 1000000000, at most")
        terminal.interrupt()
        terminal.wait_for("> ")
        terminal.type("options(wbms.progress = FALSE); say('after', 'wards')")
        terminal.wait_for("<afterwards>")
        assert "<finished>" not in terminal.screen

    @pytest.mark.parametrize(
        "call",
        [
            "wbms(big, h = 1, lambda = 0.1)",
            "wbms(big)",
            "{ fit <- wbms(big[1:50, ], h = 0.1, lambda = 0.1); fit$data <- big;"
            " fit$cluster <- rep(1L, nrow(big)); predict(fit, big) }",
            "hull_distance(big, big[1:1e5, ])",
            "gaussian_sample(4e5, rep(1, 20), 1, 1, 100)",
        ],
        ids=["an iteration", "the choice of h", "predict", "hull_distance", "gaussian_sample"],
    )
    def test_it_needs_no_end_of_an_iteration(self, call, terminal):
        """Each of these works for ten minutes or more in one call of the core."""
        terminal.type(
            "if (!exists('big')) big <- matrix(rnorm(4e5 * 20), 4e5,"
            " dimnames = list(NULL, 1:20)); invisible(wbms_python()); say('rea', 'dy')"
        )
        terminal.wait_for("<ready>")
        terminal.type(f"say('be', 'gun'); invisible({call}); say('fin', 'ished')")
        terminal.wait_for("<begun>")
        terminal.let_work(cpu_seconds=4)
        terminal.interrupt()
        terminal.wait_for("\n> ", patience=300)
        assert "<finished>" not in terminal.screen

    def test_it_can_be_caught(self, session):
        session(
            f"""
            {X_FOR_LONG_FIT}
            invisible(wbms_python())
            interrupt_soon()
            said <- tryCatch({LONG_FIT}, interrupt = function(i) "caught", error = conditionMessage)
            stopifnot(identical(said, "caught"))
            """
        )

    def test_it_ends_a_script(self, r_library, tmp_path):
        process = start_r(
            r_library,
            f"""
            {X_FOR_LONG_FIT}
            invisible(wbms_python())
            interrupt_soon()
            {LONG_FIT}
            cat("the next line\\n")
            """,
            tmp_path,
        )
        out, _ = process.communicate(timeout=rsession.PATIENCE)
        assert process.returncode != 0
        assert "the next line" not in out

    def test_r_does_not_jump_out_of_python(self, session):
        """R acts on a signal that it has noted when it collects garbage, even inside Python."""
        session(
            """
            suspended <- function() .Internal(interruptsSuspended())
            bridge <- wbms:::.bridge
            invisible(wbms_python())
            dispatcher <- bridge$call
            bridge$call <- function(verb, f) list(kind = "ok", value = c(suspended(), f()))
            seen <- wbms:::py_call("any", suspended)
            bridge$call <- dispatcher
            # in Python, in an R function that Python calls, and afterwards
            stopifnot(identical(c(seen, suspended()), c(TRUE, FALSE, FALSE)))
            """
        )

    def test_suspended_interrupts_are_no_harm(self, session):
        session(
            """
            plain <- fit_iris()
            suspendInterrupts(tryCatch({
              tools::pskill(Sys.getpid(), tools::SIGINT)
              try(fit_iris(), silent = TRUE)
              tryCatch(allowInterrupts(Sys.sleep(0.1)), interrupt = identity)
            }))
            stopifnot(identical(fit_iris(), plain))
            """
        )

    # Whatever comes at whatever time is caught: outside of allowInterrupts R only takes note.
    SOAK = """
        x <- as.matrix(iris[, 1:4])
        square <- cbind(c(0, 0, 1, 1), c(0, 1, 0, 1))
        plain <- fit_iris(); distances <- hull_distance(x[, 1:2], square)
        count <- c(finished = 0, interrupted = 0)
        # A signal may come while R still unwinds from the one before: hence a second net.
        soak <- function(finished, interrupted) {
          enough <- count + c(finished, interrupted)
          while (any(count < enough)) {
            outcome <- tryCatch(
              suspendInterrupts(tryCatch(
                allowInterrupts({ CALLS; "finished" }), interrupt = function(i) "interrupted"
              )),
              interrupt = function(i) "interrupted"
            )
            count[[outcome]] <<- count[[outcome]] + 1
          }
        }
        suspendInterrupts(invisible({
          cat("ready\\n"); flush(stdout())
          soak(WARM_UP); before <- memory(); soak(ENOUGH); grown <- memory() - before
          cat("over\\n"); flush(stdout())
          while (!file.exists("quiet")) NULL # Sys.sleep does not heed suspendInterrupts
          tryCatch(allowInterrupts(Sys.sleep(0.1)), interrupt = function(i) NULL)
        }))
        stopifnot(
          identical(fit_iris(), plain),
          identical(hull_distance(x[, 1:2], square), distances)
        )
        cat(count, grown, "\\n")
    """

    @pytest.mark.parametrize(
        ("calls", "warm_up", "enough", "low", "high"),
        [
            (
                "if (runif(1) < 0.3) fit_iris(callback = function(s) FALSE) else fit_iris()",
                "10, 10", "60, 60", 0.02, 0.2,
            ),
            ("for (i in 1:100) hull_distance(square, square)", "0, 200", "0, 600", 0.0005, 0.004),
        ],
        ids=["fits", "a hail of signals"],
    )  # fmt: skip
    def test_a_soak(self, calls, warm_up, enough, low, high, r_library, tmp_path):
        """Calls are made until so many have finished and so many were interrupted."""
        code = self.SOAK.replace("CALLS", calls).replace("WARM_UP", warm_up)
        process = start_r(r_library, code.replace("ENOUGH", enough), tmp_path)
        assert process.stdout.readline() == "ready\n"
        with interrupting(process, random.Random(1), low, high) as sent:
            assert process.stdout.readline() == "over\n"
        tmp_path.joinpath("quiet").touch()
        said = finished(process)
        _, interrupted, grown = map(float, said.split())
        assert "Traceback" not in said.errors
        assert len(sent) >= interrupted
        assert grown < 5000  # kB


class TestEndurance:
    def test_thousands_of_calls_cost_no_memory(self, session):
        session(
            """
            square <- cbind(c(0, 0, 1, 1), c(0, 1, 0, 1))
            fit <- wbms(square, h = 0.1, lambda = 0.1)
            work <- function(calls, fits) {
              for (i in seq_len(calls)) {
                if (i %% 2) hull_distance(square, square) else predict(fit, square)
              }
              for (i in seq_len(fits)) {
                wbms(square, h = 0.1, lambda = 0.1, warmup = 0, stop = "fixed", max_iter = 3,
                     callback = function(state) FALSE)
              }
            }
            work(1000, 100)
            before <- memory()
            work(5000, 200)
            grown <- memory() - before
            stopifnot(grown < 5000)
            """
        )

    def test_failed_calls_cost_no_memory_either(self, session):
        session(
            """
            x <- matrix(c(1e200, -1e200), 2, 5)
            fail <- function(n) {
              for (i in seq_len(n)) {
                try(wbms(x, h = 1, lambda = 1, standardize = FALSE), silent = TRUE)
              }
            }
            fail(100); before <- memory(); fail(400)
            stopifnot(memory() - before < 5000)
            """
        )

    def test_a_garbage_collection_at_every_allocation_changes_nothing(self, session):
        session(
            """
            x <- cbind(a = c(1, 2, 10, 11), b = c(0.5, 0.1, 4, 4.5))
            small <- function() list(
              hull_distance(x[1:2, ], x), entropy_weights(c(a = 1, b = 2), 1),
              tryCatch(wbms:::py_call("limit_weights", -1, NULL, 1), error = conditionMessage)
            )
            fit <- function() wbms(
              x, h = 0.1, lambda = 0.1, warmup = 1, stop = "fixed", max_iter = 2,
              record_path = TRUE, callback = function(state) FALSE
            )
            plain <- list(small(), fit())
            gctorture(TRUE); first <- small(); gctorture(FALSE)
            gctorture2(30); second <- fit(); gctorture2(0)
            tortured <- list(first, second)
            stopifnot(identical(tortured, plain))
            """
        )

    def test_forked_children_fit_on(self, session):
        session(
            """
            set.seed(1); x <- matrix(rnorm(1500 * 10), 1500) # worth two threads
            hs <- c(0.02, 0.03, 0.05, 0.1)
            one <- function(h) {
              wbms(x, h = h, lambda = 0.1, n_jobs = 2, warmup = 0, stop = "fixed", max_iter = 2)
            }
            serial <- lapply(hs, one)
            parallel <- parallel::mclapply(hs, one, mc.cores = 2)
            stopifnot(identical(parallel, serial), identical(lapply(hs, one), serial))
            nested <- parallel::mclapply(1:2, function(i) {
              parallel::mclapply(hs[1:2], one, mc.cores = 2)
            }, mc.cores = 2)
            stopifnot(identical(nested[[2]], serial[1:2]))
            """
        )

    def test_a_fit_is_plain_r(self, session, r, tmp_path):
        """It can be saved, and read in a session that never starts Python."""
        session(f'saveRDS(fit_iris(), "{tmp_path}/fit.rds")')
        r(
            """
            fit <- readRDS("fit.rds")
            invisible(capture.output(print(fit), print(summary(fit))))
            stopifnot(is.null(wbms:::.bridge$call))
            stopifnot(identical(predict(fit, iris), stats::setNames(fit$cluster, row.names(iris))))
            """,
            tmp_path,
        )
