"""
Coarse and fine: the coalescence tree
=====================================

After a fit its clusters attract each other and merge, the nearest first. The height is the
logarithm of the number of iterations that this takes.
"""

from pywbms import datasets, wbms

df, truth = datasets.simulation1(5, random_state=0)
result = wbms(df, h=0.05, lam=0.1, tree=True)
result.plot("tree")

# %%
# Partitions that live long are layers, each of which can be taken as a result of its own.

print(result.layers)
