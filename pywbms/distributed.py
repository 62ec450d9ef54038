"""The same fit on a Dask cluster, for data that have outgrown one machine.

`fit` runs the loop of WBMS on the client, with the points on the workers. The client holds a few
numbers per row (labels, lengths of moves), the weights and the history.

**Two layouts.** With n points, p features and W workers, an iteration before any points have merged
costs

======================  ===================================  ====================================
cost                    ``layout="rows"``                    ``layout="columns"``, n ≤ 5,000
======================  ===================================  ====================================
flop per worker         (4·n²·p + 20·n²) / W + 20·n·p        4.5·n²·p / W + 20·n²
bytes moved             8·n·p·(W − 1)·(1 + 1/W)              3 · 8·n²·(W − 1)
memory per worker       6 · 8·n·p + 64 MB (at most)          4 · 8·n·p / W + 8 · 8·n² + 64 MB
======================  ===================================  ====================================

*Rows*: in every iteration the merged points go to all workers once; each worker moves some tiles of
128 points against all points, with the kernel of the core, and sends them to the worker that hosts
the points. The kernel of two tiles on different workers is computed twice: 4·n²·p instead of the
3·n²·p of one machine. There is no n × n matrix anywhere. *Columns*: each worker keeps some features
of all points, and no coordinate ever moves; one n × n matrix (the kernel) goes to every worker and
two (its share of the weighted Gram matrix and of the squared distances) come back. The layout with
the smaller estimated `cost` is used unless you choose one. As points merge, n in the table is the
number of points that are left. When a step has fewer than ``worth_sending`` multiply-adds, the
remaining points come to the client, which takes the last steps itself.

**The same answer.** Rows are sorted and standardised as on one machine, and the sums over a tile
are added in the same order: with the layout by rows the result equals that of `WBMS` to the bit,
except for rounding where the core skips negligible tiles; by columns it is the same up to rounding.
Neither depends on the number of workers or the chunks by more than that.

**Faults.** The client keeps a checkpoint, in memory if it is small, on disk if not, in at most a
tenth of the time. When a worker is lost, or the cluster restarted, the fit continues from it with
the workers that are there. When all are lost and none comes back, `WorkersLost` names the last
iteration, the memory limit if workers died of it, and the folder that ``resume=`` continues from.
Dask's own way, to recompute what was lost from its inputs, would start again from the first
iteration. A checkpoint on disk is one file with checksums over all of it, written beside the last
one before it takes its place: damaged files, and those of other data or parameters, are refused,
and if a checkpoint cannot be written (the disk is full) the fit goes on with a warning.

**Choosing h and lam** for a Dask collection uses the 2,000 rows that `select` would draw from the
same rows in memory; lam is on the mean scale and h in units of z-scores, so neither depends on the
number of rows. The fits run as independent tasks.
"""

try:
    from pywbms._distributed.candidate_fits import DaskCandidates as grid
    from pywbms._distributed.cost import Cost, cost
    from pywbms._distributed.fault_tolerance import WorkersLost
    from pywbms._distributed.fit import fit
except ImportError as error:
    raise ImportError(
        f'pywbms.distributed needs dask and distributed: pip install "pywbms[dask]" ({error})'
    ) from error

__all__ = ["Cost", "WorkersLost", "cost", "fit", "grid"]
