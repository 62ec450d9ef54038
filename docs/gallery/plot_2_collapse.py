"""
The rows collapse
=================

Every iteration moves each row to the weighted mean of the rows around it. The rows of a cluster end
in one point, which is how the number of clusters is found.
"""

from pywbms import datasets, wbms

df, truth = datasets.data1(random_state=0)
result = wbms(df, h=0.1, lam=0.05, record_path=True)
result.plot("collapse")
