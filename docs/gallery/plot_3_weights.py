"""
Which columns matter
====================

Columns along which the rows are displaced a lot lose weight. The clusters of Simulation 3 are in
two columns of twenty.
"""

from pywbms import datasets, wbms

df, truth = datasets.simulation3(random_state=0)
result = wbms(df)
result.plot("weights")
