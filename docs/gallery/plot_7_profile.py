"""
What sets each cluster apart
============================

A heat map of the clusters and the columns that set them apart from the other rows, on the wine data
of scikit-learn.
"""

from sklearn.datasets import load_wine

from pywbms import wbms

wine = load_wine(as_frame=True).data
result = wbms(wine)
result.plot("profile")

# %%
# The columns that set the largest cluster apart:

print(result.describe(0, top=3).to_string())
