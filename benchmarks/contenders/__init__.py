"""One adapter per contender.

A contender for a single step has ``start(case, rows)``, which returns a function: each call takes
the next step and returns the weights. A contender for a whole fit has ``fit(case, X)``, which
returns the labels. Nothing else in `benchmarks` depends on how a contender is called.
"""
