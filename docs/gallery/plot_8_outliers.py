"""
Rows far from every cluster
===========================

Ten rows are scattered far from two clusters. Their outlier scores are near 1; with
``outliers="label"`` they would get the label −1.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from pywbms import wbms

rng = np.random.default_rng(0)
clusters = rng.normal(np.repeat([[0.0, 0.0], [4.0, 4.0]], 100, axis=0), 0.5)
strays = rng.uniform(-4, 8, (10, 2))
df = pd.DataFrame(np.vstack([clusters, strays]), columns=["x", "y"])

result = wbms(df)
fig, ax = plt.subplots(figsize=(6, 4.5), layout="constrained")
drawn = ax.scatter(df["x"], df["y"], c=result.outlier_score, cmap="cividis_r")
fig.colorbar(drawn, label="outlier score")
ax.set(xlabel="x", ylabel="y", title="Outlier scores")
