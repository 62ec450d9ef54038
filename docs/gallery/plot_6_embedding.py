"""
Ten clusters in one picture
===========================

Where more than two columns have weight, the plane is drawn along which the rows differ most in the
learned distance.
"""

from pywbms import datasets, wbms

df, truth = datasets.simulation1(10, random_state=0)
result = wbms(df, h=0.02, lam=0.1)
result.plot("embedding")
