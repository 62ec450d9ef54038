"""A run: all sections of the table, in order."""

from benchmarks import busy, distributed, fits, memory, scaling, steps


def names(plan):
    """Return the valid names for ``--only``: sections, and cases of the steps and fits."""
    cases = [case.name for case in (*plan.steps, *plan.fits)]
    return ["step", "series", "fit", "busy", "memory", "distributed", *dict.fromkeys(cases)]


def run(plan, only, say):
    """Run the measurements of a plan.

    Parameters
    ----------
    plan : Plan
    only : collection of str
        Names of sections and cases to measure; all if it is empty.
    say : callable
        Receives progress messages.

    Returns
    -------
    rows : list of dict
        The table.
    rates : tuple of float or None
        Best rates of GEMM and exp, in flop and exponentials per second; None if no step was timed.
    """

    def chosen(section, cases):
        everything = not only or section in only
        return [case for case in cases if everything or case.name in only]

    single = [(case, measured_step(case, plan, say), None) for case in chosen("step", plan.steps)]
    series = run_series(plan, say) if not only or "series" in only else []
    rates = steps.best_rates([best for _, best, _ in single + series]) if single + series else None
    rows = [steps.row("step", case, best, rates) for case, best, _ in single]
    rows += [{**steps.row("series", case, best, rates), "fit_s": fit} for case, best, fit in series]
    rows += exponents(rows)
    for case in chosen("fit", plan.fits):
        for contender in fits.CONTENDERS:
            say(f"fit {case.name}, {contender}")
            rows.append(fits.measure(case, contender, plan))
    if not only or "busy" in only:
        for case in plan.busy:
            say(f"busy {case.name}")
            rows += busy.measure(case, plan)
    if not only or "memory" in only:
        for case in plan.memory:
            say(f"memory {case.name}")
            rows.append(memory.measure(case))
    if not only or "distributed" in only:
        rows += distributed.measure(plan.distributed, plan.least_iterations, say)
    return rows, rates


def measured_step(case, plan, say):
    """Time the step of a case, with a progress message."""
    say(f"step {case.name}")
    return steps.measure(case, plan)


def run_series(plan, say):
    """Return (case, times of the step, seconds of a fit or None), up to the time limit."""
    found = []
    fitting = True
    for case in plan.series:
        if found and scaling.too_long(
            case, found[-1][0], found[-1][1]["ours"].cpu, plan.longest_step
        ):
            say(f"skipped: {case.name}, its step may take more than {plan.longest_step:.0f} s")
            break
        best = measured_step(case, plan, say)
        if fitting and found:
            fitting = not scaling.too_long(case, found[-1][0], found[-1][2], plan.longest_fit)
        if fitting:
            say(f"fit {case.name}")
        else:
            say(f"skipped: the fit of {case.name}, it may take more than {plan.longest_fit:.0f} s")
        fit = scaling.fit_seconds(case, plan).cpu if fitting else None
        found.append((case, best, fit))
    return found


def exponents(rows):
    """Return the rows of the exponents of the series' steps, iterations and fits."""
    found = []
    for name, column in (("step", "ours_s"), ("in a fit", "iteration_s"), ("fit", "fit_s")):
        known = [
            (row["n"], row[column])
            for row in rows
            if row["section"] == "series" and row.get(column) is not None
        ]
        if len(known) > 1:
            n, seconds = zip(*known, strict=True)
            found.append(
                {
                    "section": "exponent",
                    "case": name,
                    "exponent": scaling.exponent(n, seconds),
                    "note": f"n = {n[0]:,} … {n[-1]:,}",
                }
            )
    return found
