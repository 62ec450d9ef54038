"""Algorithm 1: the loop, and one iteration of it.

The loop stays in Python, which is what makes Ctrl-C, callbacks and progress work; each of its
steps is one call into the core.
"""

from pywbms._machine.threads import one_blas_thread


def run_wbms(points, settings, recorder, state):
    """Run Algorithm 1 of Chakraborty, Paul and Das (2021) on weighted points; return its state.

    Step 1   y_i ← Σ_j m_ij K(y_i, y_j) y_j / Σ_j m_ij K(y_i, y_j),   K(a, b) = exp(−‖a − b‖²_w / h)
    Step 2   w_l ∝ exp(−D_l / lam),   D_l = mean over rows of (x_il − y_il)²

    Here m_ij is the mass of point j, less the row itself for j = i (`exclude_self`): less one, or
    less all of it for a row that is lighter. With weights of rows D_l is the weighted mean. Added
    to the paper: a warm-up that only learns w, after which the points start again from X; a stop
    rule on the partition; points that coincide are merged; two-cycles are put at their midpoint.

    With ``standardize="robust"`` far values are replaced before the start and outliers have no mass
    (`Standardizer.start`), so that D_l, the mean in equation (5), is that of the other rows;
    equal columns have one D_l and share one w_l.

    Parameters
    ----------
    points : WeightedPoints
        The data, at the start.
    settings : Settings
    recorder : Recorder
        Sees every state: history, path, merge tree, checkpoint, callback.
    state : FitState
        Where to go on from: the start, with its weights, or later.
    """
    with one_blas_thread():
        for phase in settings.phases:
            if phase.name == "warmup" and state.phase == "main":
                continue  # resumed after it
            if state.phase != phase.name:
                # Both phases start from X. The last one may overwrite it, to spare memory.
                state.begin(phase, points if phase.may_stop else points.copy(), settings)
                recorder.begin(state)
            while state.n_iter < phase.max_iter and not state.finished:
                iterate(state, settings)
                if recorder.keeps_history or settings.stop == "diameter":
                    state.diameter = state.points.diameter()
                state.converged = phase.may_stop and state.stop_rule(state)
                state.interrupted = recorder.record(state)
                if recorder.is_at_rest(state):
                    break
            if state.interrupted:
                break
        if state.converged and state.swapping:  # all else is settled: these would swap for ever
            state.points.put_at_midpoint(state.swapping)
            state.weights = state.points.entropy_weights()
            recorder.amend(state)
    state.converged |= settings.stop == "fixed" and not state.interrupted
    return state


def iterate(state, settings):
    """Do one iteration: Steps 1 and 2 of Algorithm 1."""
    points = state.points = state.points.merge(settings.merge_radius)  # same answer, less work
    state.moves = points.shift(state.weights)  # Step 1
    state.swapping = state.two_cycles.settle(points) if settings.settles_two_cycles else []
    state.weights = points.entropy_weights()  # Step 2
    state.groups = points.groups(settings.eps, state.swapping)
    state.n_iter += 1
