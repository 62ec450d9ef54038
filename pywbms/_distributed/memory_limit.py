"""Workers that were restarted because they exceeded their memory limit."""

from pywbms._distributed.cost import cost

# The topic under which Dask's nannies log such a restart.
TOPIC = "worker-restart-memory"


class MemoryWatch:
    """Counts the restarts of a client's workers for want of memory from now on.

    Parameters
    ----------
    client : distributed.Client
    """

    def __init__(self, client):
        self._client = client
        self._before = len(self._events())
        self._limits = self._memory_limits()

    def _events(self):
        try:
            return self._client.get_events(TOPIC) if self._client.status == "running" else ()
        except (OSError, TimeoutError):  # the scheduler is gone, too
            return ()

    def _memory_limits(self):
        """Return the limit of each worker; None if it has none."""
        if self._client.status != "running":
            return []
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        return [worker["memory_limit"] for worker in workers]

    def explain(self, shape, layout):
        """Return what to add to the message of a loss; empty if memory was not the reason.

        Parameters
        ----------
        shape : (n, p)
        layout : {"rows", "columns"}
        """
        if len(self._events()) <= self._before:
            return ""
        limits = self._limits or self._memory_limits()
        limit = min(filter(None, limits), default=None)
        told = "" if limit is None else f" of {limit / 1e9:,.2f} GB"
        needed = cost(*shape, max(1, len(limits)), layout).bytes_a_worker
        return (
            f" because they exceeded their memory limit{told} (the fit needs about "
            f"{needed / 1e9:,.2f} GB of it on a worker, with layout={layout!r}, beside what else "
            "is there: give each worker more memory)"
        )
