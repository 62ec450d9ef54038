# %% [markdown]
# # The paper, computed anew
#
# Chakraborty, Paul and Das introduced Weighted Blurring Mean Shift (WBMS) at AAAI 2021 with three
# simulations, nine real data sets, eight other methods, two ablations and a few pictures. This
# vignette computes all of them again and puts what comes out beside what was printed: what holds,
# what does not, and, as far as it can be told, why.
#
# It is the *quick* form of a command that anybody can run:
# ```sh
# pywbms reproduce all --data FOLDER           # about an hour on two cores
# pywbms reproduce all --data FOLDER --quick   # minutes
# ```
# FOLDER holds the real data (`pywbms.datasets.load` says where they come from); without it the
# simulations are computed and the real sets are listed as missing. The numbers below are computed
# by the cells above them, and the main claims are assertions as well: a vignette that runs to its
# end has checked them. Where the text quotes the full form, it says so.
#
# WBMS is shown in three ways, because *which h and lam* decides everything:
#
# - **chosen**: `wbms(X)`, where h and lam are found from the data alone. It is the only one of the
#   three that a user can have;
# - **best on a grid**: the pair with the best ARI against the true labels, as the paper's own
#   protocol has it. It shows what the method could do if one knew the answer;
# - **released form**: the code the authors released, at the h and λ that the paper prints (where
#   it prints none: at the best pair in the range it recommends, h from 0.1 to 1 and λ from 1 to
#   20).

# %%
import os
import tempfile

import pandas as pd

from pywbms.experiments import EXPERIMENTS, reproduce

FOLDER = os.environ.get("PYWBMS_DATA")  # the real data, if they are there

with tempfile.TemporaryDirectory() as out:
    outcomes = reproduce(EXPERIMENTS.values(), out, data=FOLDER, form="quick", jobs=-1)
results = {outcome.experiment.name: outcome for outcome in outcomes}
assert not any(outcome.failures for outcome in outcomes)


def compared(name, *measures):
    """Return the table 'printed and measured' of an experiment, some measures of it."""
    table = results[name].report.tables["Printed and measured"]
    table = table[table["measure"].isin(measures)] if measures else table
    short = {column: column.removeprefix("measured: ") for column in table}
    return table.drop(columns="printed against measured").rename(columns=short)


def findings(name):
    """Print what an experiment says of the paper's claim."""
    print(f"The paper: “{results[name].experiment.claim}”\n")
    print("\n".join(f"- {finding}" for finding in results[name].report.findings))


def mean_ari(name):
    """Return the mean ARI, a row a data set, a column a method, each at its best setting."""
    rows = results[name].rows
    rows = rows[rows["ari"].notna()]
    best = rows.groupby(["setting", "data", "draw", "method", "run"])["ari"].max()
    return best.reset_index().pivot_table("ari", ["setting", "data"], "method")


# %% [markdown]
# ## What holds: the motivating example
#
# Two clusters of 100 points in two features, and 30 features of noise.

# %%
findings("motivating")
results["motivating"].draw()

# %%
ways = ["wbms", "wbms_grid", "wbms_released"]
assert (mean_ari("motivating")[ways] > 0.99).all(axis=None)
assert (mean_ari("motivating")["bms"] < 0.1).all()
compared("motivating")

# %% [markdown]
# WBMS finds the clusters and the two features, blurring mean shift without weights finds neither.
# One detail differs: at h = 0.1 the cloud of BMS does not go to the origin, it stays where it is
# (in 32 dimensions a point's own kernel value outweighs all others); at twice that h it does go.
#
# ## What holds: Simulations 1 and 2
#
# *k* clusters of 20 points in 5 of 20 features; then four clusters in 5 % of *p* features.

# %%
findings("simulation1")
results["simulation1"].draw()

# %%
assert (mean_ari("simulation1")["wbms"] > 0.95).all()
compared("simulation1", "ARI", "k̂")

# %%
findings("simulation2")
results["simulation2"].draw()

# %%
peers = mean_ari("simulation2").drop(columns=ways)
assert (mean_ari("simulation2")["wbms"] >= peers.max(axis=1) - 0.01).all()
compared("simulation2", "ARI", "k̂")

# %% [markdown]
# That WBMS outperforms the others holds in both, also with h and lam chosen without labels. That it
# finds the number of clusters holds in the first, and mostly in the second. Some remarks:
#
# - In these forms of WBMS a point's own kernel value is left out of its mean, as in the released
#   code. In Algorithm 1 as printed it counts, and outweighs all others where there are many
#   features or many clusters (`WBMS.paper`; it is not measured here).
# - The recommended range of h and λ does not suit many clusters: the released form in that range
#   falls behind as *k* grows. Smaller h are needed, and found.
# - Simulation 2 prints a *variance* of 0.3 around means from the unit cube, and "without any
#   overlaps". Both cannot be; with a standard deviation of 0.03, used here, the words are true.
# - Between p = 20 and p = 100 lie the hard cases, which the quick form leaves out: two or three
#   informative features among 40 or 60. In the full form the mean ARI is .61 at p = 40 and .70 at
#   p = 60 (.76 and .83 at the best pair of a grid). Every other p from 20 to 200 has at least .93,
#   and WBMS is ahead of all peers everywhere.
#
# ## What holds: the features that matter

# %%
findings("simulation3")
results["simulation3"].draw()

# %%
weights = results["simulation3"].rows.groupby("method")["informative"].mean()
assert weights["wbms"] > 0.9
assert weights["ewdp"] < 0.5
compared("simulation3", "weight on features 1 and 2", "ARI", "k̂")

# %% [markdown]
# The two informative features get nearly all the weight of WBMS. EWDP weighs all features nearly
# alike; WG-means, as we have it, finds the features in some of the draws and in others none, since
# it weighs only once it has split.
#
# ## What holds: a range of h and lam, on easy data

# %%
findings("sensitivity")
results["sensitivity"].draw()

# %%
assert results["sensitivity"].rows.query("method == 'wbms_grid'")["nmi"].eq(1).mean() > 0.1
compared("sensitivity", "NMI", "k̂")

# %% [markdown]
# ## What does not hold: the table of real data
#
# The paper prints the best scores of all methods for WBMS, on each of nine sets.

# %%
findings("real-data")
if FOLDER:
    results["real-data"].draw()

# %%
compared("real-data", "ARI", "NMI", "k̂", "share of singletons")

# %%
if FOLDER:
    table = results["real-data"].rows
    at_print = table[table["method"].isin(["wbms_released", "wbms_printed"])]
    assert (at_print["ari"] < 0.1).all()  # none of the printed scores at the printed parameters
    alone = table[table["method"] == "all_alone"].set_index("data")["nmi"]
    assert round(alone["nci9"], 3) == 0.686  # printed as the NMI of WBMS
    k = at_print.set_index(["data", "method"])["k"].unstack()  # noqa: PD010
    assert (k.loc[["appendicitis", "zoo", "mammographic"], "wbms_released"] == 1).all()
    assert k.loc["nci9", "wbms_printed"] == 60

# %% [markdown]
# - **The printed parameters do not give the printed scores.** On Appendicitis, Zoo and Mammographic
#   the released form puts everything into one cluster there, on nci9 all but a few rows, on Libras
#   it finds three. Algorithm 1 as printed, with the kernel exp(−d²/h²), does no better; on nci9 it
#   leaves every row alone, and has the printed NMI for that.
# - **The tables contradict each other**: for Zoo the appendix names h = 0.8 as the best, with an
#   ARI of .953, and the ablation prints .754 as the best ARI at h = 0.8.
# - **Some printed scores can be had elsewhere**: those of Zoo, in the full form, to the third
#   decimal, at h = 0.15. No pair of the full form's grid comes near those of nci9 and Libras.
# - **Some printed cells are those of a trivial partition.** If every point is a cluster of its
#   own, the NMI is large where there are many classes and few points: 0.686 on nci9 is printed for
#   WBMS, 0.193 on Appendicitis for RCC. The ARI of such a partition is 0, its AMI too. That is why
#   every table here has ARI, AMI, k̂ and the share of singletons beside NMI.
# - **The other methods differ from print, too**: MS and BMS, told the best h, do better in most
#   cells, k-means with the Gap statistic and WG-means worse in most. DP-means and EWDP were told
#   the true k.
# - The labels are classes that people gave, not clusters; on several of these sets no method comes
#   near them.
#
# What each method was told, and what it reached:

# %%
pd.set_option("display.max_rows", 120)
methods = results["real-data"].report.tables["All methods"]
methods.drop(columns="printed against measured", errors="ignore")

# %% [markdown]
# ## What does not hold: the ablations
#
# The paper prints the ARI over four values of h (λ the best), and over four of λ (h the best).

# %%
findings("ablation-h")
if FOLDER:
    results["ablation-h"].draw()

# %%
findings("ablation-lam")
if FOLDER:
    results["ablation-lam"].draw()

# %% [markdown]
# In the range of the two tables, few of the printed numbers come out; the useful values of h are
# smaller (0.02 to 0.2 on z-scores).
#
# ## What holds in part: two moons and clusters of varied densities
#
# Each with 30 features of noise.

# %%
findings("two-moons")
results["two-moons"].draw()

# %%
assert (mean_ari("two-moons")[ways] < 0.9).all(axis=None)
compared("two-moons", "ARI", "k̂")

# %%
findings("varied-densities")
results["varied-densities"].draw()

# %%
assert (mean_ari("varied-densities")["wbms"] > 0.9).all()
compared("varied-densities", "ARI", "k̂")

# %% [markdown]
# Clusters of different densities are found. Two moons are not, with no pair that was tried: what
# collapses onto a point is round, and a moon breaks into pieces before it could.
#
# ## Glioma, and run times
#
# The Glioma data (ASU feature selection collection, `GLIOMA.mat`) are drawn if they are there.

# %%
findings("glioma")
if "glioma" not in results["glioma"].missing:
    results["glioma"].draw()

# %%
findings("run-times")
if FOLDER:
    results["run-times"].draw()

# %%
results["run-times"].report.tables["Printed and measured: seconds of WBMS"]

# %% [markdown]
# Only orders of magnitude can be compared, the machines and languages being others. A single fit
# takes hundredths of a second on most sets here, the choice of h and lam some seconds.
#
# ## In short
#
# | claim of the paper | here |
# |---|---|
# | the motivating example | holds |
# | Simulation 1: finds k up to 50 | holds, h and lam chosen without labels |
# | Simulation 2: best of all methods | holds, with the standard deviation mended |
# | Simulation 2: k found perfectly | holds mostly; hard at p = 40 and 60 |
# | Simulation 3: feature weights | holds |
# | a considerable range of h and λ is good | holds on easy data, mostly at smaller h |
# | best on every real set | does not hold |
# | the printed parameters | do not give the printed scores |
# | varied densities, 30 noise features | holds |
# | two moons, 30 noise features | does not hold |
#
# `pywbms.peers` has all eight methods under one signature, for a comparison on data of your own.
