"""
How h and lam were chosen
=========================

Each pair of h and lam that was tried, with its number of clusters and its score. The chosen pair is
marked.
"""

from pywbms import datasets, wbms

df, truth = datasets.data1(random_state=0)
result = wbms(df)
result.plot("selection")

# %%
# The reasons, in words:

print(result.choice.explanation)
