"""
Two clusters in two of 32 columns
=================================

The paper's motivating example: 200 rows, two clusters that differ in two columns, and 30 columns
of noise. ``result.plot()`` draws the clusters in the heaviest columns and the weights.
"""

from pywbms import datasets, wbms

df, truth = datasets.data1(random_state=0)
result = wbms(df)
result.plot()
