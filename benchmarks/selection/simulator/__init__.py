"""Simulated data sets with known clusters: a seeded prior over many kinds of data.

`draw(seed)` draws one. The modules, from the bottom: `shapes` (clouds and mixtures of them),
`manifolds`, `classes` (hierarchies, genes and others), `nulls` (no clusters), `disturbances` (noise
columns, outliers, rounding), and `prior`, whose table `KINDS` says how often each kind is drawn.
"""

from benchmarks.selection.simulator.prior import KINDS, PROBABILITIES, SimulatedSet, draw

__all__ = ["KINDS", "PROBABILITIES", "SimulatedSet", "draw"]
