"""Many fits on Dask while workers are killed, stopped, restarted and slowed down.

Every fit must give the answer of one machine, or say that its workers are lost and give that answer
when it is resumed. `make soak` runs 100 of them; the tests run a few.

    python tests/soak.py --fits 100 --seed 0
"""

import argparse
import faulthandler
import os
import signal
import sys
import threading
import time
import traceback
from collections import Counter
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, field

import dask.array as da
import numpy as np
from dasksession import LAYOUTS, PATIENCE, assert_same, blobs, computed, expected_of, fitted
from distributed import Client, LocalCluster

from pywbms import distributed
from pywbms._distributed import checkpoint, fault_tolerance
from pywbms._terminal.wording import duration

EVENTS = ("kill", "stop", "restart", "slow")
WORKERS = 3
# Seconds that workers are stopped for, and slowed down for.
LONGEST_STOP, LONGEST_SLOW = 1.5, 1.5
# Seconds until a cluster without workers is given up: the fit must then say so, and can be resumed.
# Far less than PATIENCE, after which a fit counts as hung.
WAIT = 90


@dataclass
class Outcome:
    """What became of some fits."""

    fits: int = 0
    resumed: int = 0
    dead_clusters: int = 0
    attempts: int = 0
    events: Counter = field(default_factory=Counter)
    failures: list = field(default_factory=list)

    def __str__(self):
        events = ", ".join(f"{self.events[name]} × {name}" for name in EVENTS)
        return (
            f"{self.fits} fits, {events}: begun again from a checkpoint "
            f"{self.attempts - self.fits - self.resumed} times, resumed after an error "
            f"{self.resumed} times (on a new cluster {self.dead_clusters} times), "
            f"{len(self.failures)} failures"
        )


class Session:
    """A cluster of workers with nannies, and its client."""

    def __init__(self):
        self.begin()

    def begin(self):
        """Start a cluster."""
        self.cluster = LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0", silence_logs=60
        )
        self.client = Client(self.cluster, timeout=PATIENCE)

    def end(self):
        """Close the cluster."""
        self.client.close()
        self.cluster.close()


class Trouble:
    """Events that befall the workers of a session during one fit.

    Parameters
    ----------
    session : Session
    rng : numpy.random.Generator
    events : Counter
        Counts them.
    """

    def __init__(self, session, rng, events):
        self._session, self._rng, self._events = session, rng, events
        # Iterations after which something happens, counted over both phases.
        self._at = set(rng.integers(1, 9, size=rng.integers(1, 3)).tolist())
        self._seen = 0
        self._threads = []

    def callback(self, state):
        """Begin an event in the background, if it is time for one."""
        self._seen += 1
        if self._seen in self._at:
            name, delay = self._rng.choice(EVENTS), self._rng.uniform(0, 0.15)
            self._events[str(name)] += 1
            thread = threading.Thread(target=self._happen, args=(str(name), delay))
            thread.start()
            self._threads.append(thread)

    def end(self):
        """Wait until nothing happens any more."""
        for thread in self._threads:
            thread.join()

    def _happen(self, name, delay):
        time.sleep(delay)
        getattr(self, f"_{name}")(np.random.default_rng(int(1e6 * delay)))

    def _kill(self, rng):
        self._signal(self._some_pid(rng), signal.SIGKILL)

    def _stop(self, rng):
        pid = self._some_pid(rng)
        self._signal(pid, signal.SIGSTOP)
        time.sleep(rng.uniform(0, LONGEST_STOP))
        self._signal(pid, signal.SIGCONT)

    def _slow(self, rng):
        """Let a worker run for a tenth of the time only."""
        pid, end = self._some_pid(rng), time.monotonic() + rng.uniform(0, LONGEST_SLOW)
        while time.monotonic() < end:
            self._signal(pid, signal.SIGSTOP)
            time.sleep(0.045)
            self._signal(pid, signal.SIGCONT)
            time.sleep(0.005)

    def _restart(self, rng):
        with suppress(TimeoutError):  # workers may be late if others are killed as well
            self._session.client.restart(timeout=WAIT, wait_for_workers=bool(rng.integers(2)))

    def _some_pid(self, rng):
        pids = [nanny.pid for nanny in self._session.cluster.workers.values()]
        return rng.choice([pid for pid in pids if pid] or [0])

    def _signal(self, pid, number):
        with suppress(ProcessLookupError):
            if pid:  # not the group of this process
                os.kill(int(pid), number)


def soak(n_fits, seed, tell=lambda text: None):
    """Return the `Outcome` of some fits."""
    outcome = Outcome()
    rng = np.random.default_rng(seed)
    attempt = fault_tolerance.FaultTolerantFit._attempt

    def counted(fit, callback):
        outcome.attempts += 1
        return attempt(fit, callback)

    fault_tolerance.FaultTolerantFit._attempt = counted
    session = Session()
    try:
        for number in range(n_fits):
            faulthandler.dump_traceback_later(PATIENCE, exit=True)
            one_fit(session, np.random.default_rng(rng.integers(2**32)), outcome)
            tell(f"{number + 1}/{n_fits}: {outcome}")
    finally:
        session.end()
        faulthandler.cancel_dump_traceback_later()
        fault_tolerance.FaultTolerantFit._attempt = attempt
    return outcome


def one_fit(session, rng, outcome):
    """Run one fit among troubles, and compare it with that of one machine."""
    X = blobs(int(rng.integers(150, 500)), int(rng.integers(4, 40)), seed=int(rng.integers(1000)))
    layout, on_workers = str(rng.choice(LAYOUTS)), bool(rng.integers(2))
    outcome.fits += 1
    trouble = Trouble(session, rng, outcome.events)
    try:
        expected = expected_of(X)
        data = da.from_array(X, chunks=(100, X.shape[1])) if on_workers else X
        assert_same(answer(data, session, layout, trouble, outcome), expected)
    except Exception:
        outcome.failures.append(traceback.format_exc())
    finally:
        trouble.end()


def answer(data, session, layout, trouble, outcome):
    """Return the result of a fit, resumed as often as need be, in this process."""
    resume = None
    while True:
        try:
            found = fitted(
                data, client=session.client, layout=layout, callback=trouble.callback,
                resume=resume, wait_for_workers=WAIT,
            )  # fmt: skip
            trouble.end()
            computed(found.modes)
            return found
        except CancelledError:  # a restart after the fit takes the modes of rows on workers
            resume = None
        except distributed.WorkersLost as lost:
            outcome.resumed += 1
            if resume is not None and resume != lost.checkpoint:
                checkpoint.remove(resume)
            resume = lost.checkpoint
            trouble.end()
            if not session.client.nthreads():
                outcome.dead_clusters += 1
                session.end()
                session.begin()


def main(arguments=None):
    """Run a soak from the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fits", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    begun = time.monotonic()
    outcome = soak(options.fits, options.seed, lambda text: print(text, flush=True))
    for failure in outcome.failures:
        print(failure, file=sys.stderr)
    print(f"seed {options.seed}, {duration(time.monotonic() - begun)}: {outcome}")
    return 1 if outcome.failures else 0


if __name__ == "__main__":
    sys.exit(main())
