"""Evaluation of the choice of h and lam without labels: `python -m benchmarks.selection`."""
