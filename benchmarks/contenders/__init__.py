"""One adapter a contender.

A contender for a single step has ``start(case, rows)``: what it returns takes one step when called,
returns the weights, and takes the next step when called again. A contender for a whole fit has
``fit(case, X)``: it returns the labels. Nothing else in `benchmarks` knows how a contender is
called.
"""
