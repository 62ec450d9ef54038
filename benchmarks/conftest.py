"""Which modules of the benchmarks have no doctests to collect."""

# It imports what only older builds have.
collect_ignore = ["contenders/wbms_0_1.py"]
