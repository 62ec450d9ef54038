"""How well h and lam are chosen without labels: `python -m benchmarks.selection`."""
