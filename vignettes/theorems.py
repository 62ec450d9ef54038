# %% [markdown]
# # The theorems of Weighted Blurring Mean Shift, checked on data
#
# Weighted Blurring Mean Shift (WBMS; Chakraborty, Paul and Das, 2021) moves every point to a
# kernel-weighted mean of all points,
# $$
# y_i^{(t+1)} = \frac{\sum_j \exp\{-\|y_i^{(t)} - y_j^{(t)}\|_{w}^2 / h\}\, y_j^{(t)}}
#                    {\sum_j \exp\{-\|y_i^{(t)} - y_j^{(t)}\|_{w}^2 / h\}},
# \qquad \|u\|_w^2 = \sum_l w_l u_l^2,
# $$
# and after each step gives the features weights that decrease with the displacement along them,
# $$
# w_l \propto \exp(-D_l/\lambda), \qquad D_l = \frac1n \sum_i (x_{il} - y_{il}^{(t)})^2 .
# $$
# The paper proves five theorems about this iteration. This vignette states each of them, checks it
# on data with `pywbms.theory`, and illustrates it. Theorem 4 is misprinted in the paper and is
# given here in its corrected form, with the derivation. Theorem 3 is true, but too weak for a stop
# rule; its section explains what the package does instead. A last section derives why the start
# from equal weights fails among many noise features, and what another start changes.
#
# All numbers below are computed by the preceding cells. The claims are also assertions: if the
# vignette runs to the end, they have been checked.
#
# *Conventions.* The kernel is $\exp(-\|\cdot\|_w^2/h)$, as in the paper's section on rates, so that
# $h$ has the units of a variance. $\lambda$ is called `lam` and is on the scale of the mean
# displacement $D_l$. Unless stated otherwise the package excludes a point from its own mean ($j \ne
# i$), unlike the algorithm as printed; Theorems 1 to 3 hold for both forms, Theorems 4 and 5
# concern an infinite sample, where the two are the same.

# %% tags=["fold"]
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from presentation import BLUE, GREEN, GREY, ORANGE, RED, SKY, figure, show, tidy
from scipy.optimize import minimize
from scipy.spatial import ConvexHull
from scipy.spatial.distance import pdist
from scipy.stats import chi2, ncx2, norm
from sklearn.metrics import adjusted_rand_score

from pywbms import WBMS, datasets, wbms
from pywbms.gaussian import follow_sample, printed_recursion
from pywbms.theory import (
    check_all,
    check_finite_convergence,
    check_shrinking_hull,
    check_weights,
    convergence_order,
    effective_neighbours,
    entropy_objective,
    entropy_weights,
    first_step_displacement,
    gaussian_recursion,
    hull_distance,
    limit_weights,
)

# %% [markdown]
# ## Theorem 1: the weights are an entropy-regularised minimum
#
# **Theorem 1.** *Among all weights on the simplex, $w_l^\ast \propto \exp(-D_l/\lambda)$ minimises*
# $$ F(w) = \sum_l w_l D_l + \lambda \sum_l w_l \log w_l . $$
#
# $F$ is strictly convex, so the minimum is unique, and each of two residuals characterises it. The
# stationarity condition (KKT) states that $D_l + \lambda(1 + \log w_l)$ is the same for all $l$.
# And since $F(w) = F^\ast + \lambda\,\mathrm{KL}(w \,\|\, w^\ast)$ with $F^\ast = -\lambda \log
# \sum_l \exp(-D_l/\lambda)$, the value of the dual problem, the gap $F(w) - F^\ast$ is zero at
# $w^\ast$ and positive elsewhere. `check_weights` returns both.
#
# We fit the paper's motivating example, two clusters in 2 of 32 features, for three values of
# $\lambda$; take the displacements $D$ from the recorded path; and search for the minimum with a
# general-purpose optimiser (SLSQP, started from equal weights and given only $F$ and its gradient).


# %%
def minimise_on_simplex(D, lam):
    """Minimise the entropy objective without using its closed form."""
    found = minimize(
        lambda w: (w * D).sum() + lam * (w * np.log(w)).sum(),
        np.full(len(D), 1 / len(D)),
        jac=lambda w: D + lam * (1 + np.log(w)),
        method="SLSQP",
        bounds=[(1e-12, 1)] * len(D),
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": np.ones_like},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return found.x / found.x.sum()


X, truth = datasets.data1(random_state=0)
weight_rows, weight_fits = [], {}
for lam in (0.1, 0.2, 0.3):
    fit = WBMS(h=0.1, lam=lam, record_path=True).fit(X)
    D = ((fit.path_[0] - fit.path_[-1]) ** 2).mean(axis=0)
    closed, numeric = entropy_weights(D, lam), minimise_on_simplex(D, lam)
    residuals = check_weights(fit.feature_weights_, D, lam)
    weight_fits[lam] = D, fit.feature_weights_, numeric
    weight_rows.append(
        {
            "lam": lam,
            "clusters": fit.n_clusters_,
            "weight of x1 + x2": fit.feature_weights_[:2].sum(),
            "KKT residual": residuals["kkt"],
            "duality gap": residuals["gap"],
            "max |fit − closed|": np.abs(fit.feature_weights_ - closed).max(),
            "max |SLSQP − closed|": np.abs(numeric - closed).max(),
            "F(SLSQP) − F(closed)": entropy_objective(numeric, D, lam)
            - entropy_objective(closed, D, lam),
        }
    )
weight_checks = pd.DataFrame(weight_rows)
show(weight_checks, digits=3)

# %% tags=["checks"]
assert (weight_checks[["KKT residual", "duality gap"]] < 1e-12).all(axis=None)
assert (weight_checks["clusters"] == truth.nunique()).all()
assert (weight_checks["max |SLSQP − closed|"] < 1e-4).all()
assert (weight_checks["F(SLSQP) − F(closed)"] > -1e-12).all()

# %% [markdown]
# The optimiser agrees with the formula and never finds a lower value. The residuals also detect
# weights that are merely close: it is enough to distribute one per cent of the heaviest feature's
# weight equally among all features.

# %%
D, w, _ = weight_fits[0.2]
shared = w.copy()
taken = 0.01 * shared.max()
shared[shared.argmax()] -= taken
shared += taken / len(shared)
disturbed = pd.DataFrame(
    [
        {"weights": "of the fit", **check_weights(w, D, 0.2)},
        {"weights": "disturbed by 1 %", **check_weights(shared, D, 0.2)},
    ]
)
show(disturbed, digits=3)

# %% tags=["checks"]
assert disturbed.kkt[1] > 1e-3
assert disturbed.gap[1] > 1e-6

# %% [markdown]
# On a logarithmic scale the weights lie on a line in the displacement, with slope $-1/\lambda$. The
# smaller $\lambda$, the more displacement along a feature reduces its weight; the displacement is
# smallest along the two features that carry the clusters.

# %% tags=["figure"]
fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
for (lam, (D, w, numeric)), colour, marker in zip(
    weight_fits.items(), (BLUE, ORANGE, GREEN), "os^", strict=True
):
    grid = np.linspace(0, max(D) * 1.03, 50)
    line = np.exp(-grid / lam) / np.exp(-D / lam).sum()
    ax.plot(grid, line, color=colour, lw=1, zorder=1)
    ax.scatter(D, w, s=22, color=colour, marker=marker, label=f"fit, λ = {lam:g}", zorder=3)
    ax.scatter(D, numeric, s=80, facecolors="none", edgecolors=GREY, lw=0.8, zorder=2)
ax.scatter([], [], s=80, facecolors="none", edgecolors=GREY, lw=0.8, label="SLSQP")
ax.set(yscale="log", xlabel="displacement $D_l$", ylabel="weight $w_l$")
ax.set_title("Theorem 1: log-weights are linear in the displacement")
ax.legend(frameon=False)
tidy(ax)
figure(
    fig,
    "Theorem 1. The weights of three fits (filled) and the minimum that a general optimiser "
    "finds (rings) lie on the lines that the closed form predicts, with slope −1/λ.",
    "Scatter plot of log weight against displacement for λ = 0.1, 0.2 and 0.3: points lie on "
    "three straight falling lines, steeper for smaller λ.",
)

# %% [markdown]
# ## Theorem 2: the convex hull shrinks
#
# **Theorem 2.** *The convex hulls $C_t$ of the clouds $\{y_1^{(t)}, \dots, y_n^{(t)}\}$ are nested,
# $C_0 \supseteq C_1 \supseteq C_2 \supseteq \cdots$*
#
# *Proof.* A step replaces each point by a convex combination of the cloud's points. ∎
#
# The proof only uses that the coefficients are nonnegative and sum to one, so the theorem holds for
# any kernel and any weights, with or without the point itself. As corollaries the diameter and the
# volume of the hull never increase.
#
# In high dimensions the hull cannot be constructed: its number of facets explodes.
# `check_shrinking_hull` does not need it. For each point it finds the nearest point of the previous
# hull by Wolfe's (1976) active-set method; the distance `outside` is zero if and only if the point
# is inside.
#
# We start with the two features of Simulation 3 that carry its four clusters.

# %%
S3, _ = datasets.simulation3(random_state=0)
plane = WBMS(h=0.3, lam=1.0, warmup=0, record_path=True).fit(S3[["x1", "x2"]])
steps = check_shrinking_hull(plane.path_)
show(steps)

# %% tags=["checks"]
assert steps.holds.all()
assert steps.diameter.is_monotonic_decreasing
assert steps.volume.is_monotonic_decreasing

# %% tags=["figure"]
fig, (ax, right) = plt.subplots(
    1, 2, figsize=(10, 4.4), width_ratios=(3, 2), layout="constrained"
)  # fmt: skip
shown = range(6)
for t in shown:
    cloud = plane.path_[t]
    corners = cloud[ConvexHull(cloud).vertices]
    colour = plt.get_cmap("cividis")(t / max(shown))
    ax.fill(*corners.T, facecolor="none", edgecolor=colour, lw=1.8, label=f"t = {t}")
ax.scatter(*plane.path_[0].T, s=12, color=GREY, label="data")
ends = np.unique(plane.path_[-1].round(3), axis=0)
ax.scatter(*ends.T, s=60, color=RED, marker="X", label="end", zorder=3)
ax.set(xlabel="x1 (z-score)", ylabel="x2 (z-score)", title="hulls of the first clouds")
ax.set_aspect("equal", adjustable="datalim")
ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
start_area = ConvexHull(plane.path_[0]).volume
right.plot(
    [0, *steps.iteration], [1, *(steps.volume / start_area)], "o-", color=BLUE, label="area"
)  # fmt: skip
start_diameter = np.linalg.norm(plane.path_[0][:, None] - plane.path_[0], axis=2).max()
right.plot(
    [0, *steps.iteration], [1, *(steps.diameter / start_diameter)], "s-", color=ORANGE,
    label="diameter",
)  # fmt: skip
right.set(xlabel="iteration t", ylabel="relative to the start", ylim=(0, 1.05))
right.set_title("size of the hull")
right.legend(frameon=False)
tidy(ax, right)
figure(
    fig,
    "Theorem 2. Left: the hulls of the first clouds are nested. Right: area and diameter of "
    "the hull never increase.",
    "Left, six nested outlines around grey points, shrinking towards four marked end points. "
    "Right, two falling curves of area and diameter over the iterations.",
)

# %% [markdown]
# The check also works in all 32 features of the motivating example.

# %%
wide = WBMS(h=0.1, lam=0.05, record_path=True).fit(X)
wide_steps = check_shrinking_hull(wide.path_)
show(wide_steps)

# %% tags=["checks"]
assert wide_steps.holds.all()

# %% [markdown]
# A check must be able to fail. We move one of the 200 points, in one iteration, by a thousandth of
# the diameter beyond the previous hull, and check again. The certificate of `hull_distance` proves
# the verdict independently of the search: a direction $u$ in which the point lies farther out than
# every vertex, $u^\top x > \max_v u^\top v$.

# %%
when = 4
before = wide.path_[when - 1]
direction = np.eye(wide.path_.shape[2])[0]
tampered = wide.path_.copy()
corner = before[np.argmax(before @ direction)]
tampered[when, 0] = corner + 1e-3 * wide_steps.diameter[0] * direction
caught = check_shrinking_hull(tampered)
show(caught[["iteration", "outside", "holds"]])

proof = hull_distance(tampered[when, :1], before, certificate=True)
margin = proof.direction @ tampered[when, 0] - (before @ proof.direction.T).max()
print(f"distance {proof.distance[0]:.6g}, certified lower bound {margin[0]:.6g}")

# %% tags=["checks"]
assert caught.iteration[~caught.holds].tolist() == [when]
assert np.isclose(proof.distance[0], margin[0], rtol=1e-6)

# %% [markdown]
# ## Theorem 3: finite convergence, and what it does not say
#
# **Theorem 3.** *Let $a_t = \max_{i,j} \|y_i^{(t)} - y_j^{(t)}\|$ be the diameter. For every
# $\delta > 0$ there is a $T$ with $|a_{t+1} - a_t| < \delta$ for all $t \ge T$.*
#
# *Proof.* By Theorem 2, $a_t$ does not increase; being nonnegative, it converges. ∎
#
# `check_finite_convergence` finds $T$ for a recorded path, here the 32-dimensional one above.

# %%
finite = pd.DataFrame(
    [
        {"delta": delta, "T": check_finite_convergence(wide.path_, delta).T}
        for delta in (1.0, 1e-2, 1e-4, 1e-6)
    ]
)
show(finite)

# %% tags=["checks"]
assert finite["T"].notna().all()
assert finite["T"].is_monotonic_increasing

# %% [markdown]
# ### The diameter can be constant while the points move
#
# The theorem says that the diameter converges. It does not say that the points do. Two outliers
# so far away that no kernel reaches them fix the diameter from the first step on, and the paper's
# stop rule ends the iteration at once, whatever happens between them. We add two such rows to the
# plane of Simulation 3 and run Algorithm 1 as printed.

# %%
inner = S3[["x1", "x2"]].to_numpy()
rows = np.vstack([inner, [[-6.0, 0.5], [7.0, 0.5]]])
outlier_fits = {
    stop: WBMS.paper(0.005, 10.0, stop=stop, standardize=False, record_path=True).fit(rows)
    for stop in ("diameter", "settled")
}
outliers = pd.DataFrame(
    [
        {
            "stop": stop,
            "iterations": fit.n_iter_,
            "clusters": fit.n_clusters_,
            "change of diameter": check_finite_convergence(fit.path_, 1e-8).changes.iloc[-1],
            "largest move": fit.history_.movement.iloc[-1],
        }
        for stop, fit in outlier_fits.items()
    ]
)
show(outliers)

# %% tags=["checks"]
assert outliers.iterations[0] == 1
assert outliers.clusters[0] == len(rows)
assert outliers.clusters[1] == 4 + 2  # Simulation 3's clusters and the two outliers

# %% tags=["figure"]
fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", sharex=True, sharey=True)
for ax, (stop, fit) in zip(axes, outlier_fits.items(), strict=True):
    ax.scatter(*rows.T, s=14, color=GREY, label="data")
    ax.scatter(*fit.modes_.T, s=26, color=BLUE, marker="X", lw=0, label="final positions")
    ax.set(xlim=(-0.1, 1.1), xlabel="x1", title=f"stop = {stop!r}: {fit.n_clusters_} clusters")
    low, high = inner[:, 1].min(), inner[:, 1].max()
    ax.set_ylim(low - 0.1, high + 0.1)
axes[0].set_ylabel("x2")
axes[0].legend(frameon=False, loc="upper left")
fig.suptitle("Theorem 3: two outliers (outside the plot) keep the diameter constant")
tidy(*axes)
figure(
    fig,
    "Theorem 3. With two outliers outside the plot the diameter is constant: the paper's rule "
    "stops at once (left), the default once the four clusters have formed (right).",
    "Two scatter plots of the same data. Left, every row keeps its place; right, the final "
    "positions are four points amid four clusters.",
)

# %% [markdown]
# ### The points hardly ever come to rest
#
# To require instead that no point moves any more is too strict. A Gaussian kernel is never zero:
# collapsed clusters keep attracting each other. Two clusters of equal size at the weighted distance
# $d$ approach each other by about $2d\,\exp(-d^2/h)$ per iteration while $d$ is large. With
# $u = d^2/h$ this is $\mathrm{d}u/\mathrm{d}t \approx -4u\,e^{-u}$, and they merge after about
# $e^u/(4u)$ iterations, exponentially late. We show it with two groups of ten equal rows.

# %%
merging = []
for u in range(2, 13, 2):
    pair = np.repeat([0.0, np.sqrt(u)], 10)[:, None]
    fit = WBMS(
        1.0, 1.0, exclude_self=False, warmup=0, stop="fixed", max_iter=20_000, standardize=False,
        callback=lambda state: state.groups == 1,
    ).fit(pair)  # fmt: skip
    merging.append({"u = d²/h": u, "iterations": fit.n_iter_, "exp(u)/(4u)": np.exp(u) / (4 * u)})
merging = pd.DataFrame(merging)
merging["ratio"] = merging["iterations"] / merging["exp(u)/(4u)"]
show(merging)

# %% tags=["checks"]
assert merging["ratio"].is_monotonic_decreasing
assert merging["ratio"].iloc[-1] < 1.2

# %% [markdown]
# The cloud is *metastable*: after a few iterations it consists of groups, and these groups persist
# for a long time, moving all the while, until two of them merge. Simulation 1 with 20 clusters,
# over 300 iterations:

# %%
S1, S1_truth = datasets.simulation1(20, random_state=0)
long = wbms(S1, h=0.02, lam=0.1, stop="fixed", max_iter=300)
trace = long.history.query("phase == 'main'").set_index("iteration")
settled = wbms(S1, h=0.02, lam=0.1)

began = trace.index[trace.groups.ne(trace.groups.shift())]
stages = trace.loc[began, ["groups", "movement"]].reset_index(names="from iteration")
show(stages)

rules = pd.DataFrame(
    [
        {
            "stopped by": "settled partition (default)",
            "iterations": settled.n_iter,
            "clusters": settled.n_clusters,
            "ARI": adjusted_rand_score(S1_truth, settled.labels),
        },
        {
            "stopped by": "nothing, for 300 iterations",
            "iterations": long.n_iter,
            "clusters": long.n_clusters,
            "ARI": adjusted_rand_score(S1_truth, long.labels),
        },
    ]
)
show(rules)
print(f"smallest of the largest moves in 300 iterations: {trace.movement.min():.2g}")

# %% tags=["checks"]
assert trace.movement.min() > 1e-8  # the rule "movement" would not have fired
assert settled.converged
assert settled.n_clusters == S1_truth.nunique() > long.n_clusters

# %% tags=["figure"]
fig, (upper, lower) = plt.subplots(2, 1, figsize=(8, 5.4), sharex=True, layout="constrained")
upper.step(trace.index, trace.groups, where="mid", color=BLUE)
upper.axhline(S1_truth.nunique(), color=GREY, lw=1, ls=":", label="true number")
upper.set(yscale="log", ylabel="groups", title="Simulation 1, 20 clusters: metastable groups")
upper.set_yticks([20, 50, 100, 200, 400], ["20", "50", "100", "200", "400"])
upper.minorticks_off()
lower.plot(trace.index, trace.movement, color=ORANGE, label="largest move")
lower.axhline(1e-8, color=GREY, lw=1, ls="--", label="tolerance of “movement”")
lower.set(xscale="log", yscale="log", xlabel="iteration", ylabel="largest move", ylim=(1e-9, 20))
for ax in (upper, lower):
    ax.axvline(settled.n_iter, color=GREEN, lw=1.5, label="settled: the default stops")
    ax.legend(frameon=False)
tidy(upper, lower)
figure(
    fig,
    "Simulation 1 with 20 clusters over 300 iterations: the number of groups falls in steps "
    "and stays for long, while the movement never falls below the tolerance.",
    "Above, a step curve of the number of groups, which rests at 20 and later falls. Below, "
    "the largest move in each iteration, with peaks whenever groups merge. A line marks where "
    "the default stops.",
)

# %% [markdown]
# Neither the diameter nor the movement indicates when to stop, and the true partition is an
# intermediate stage, not the limit. What users want is the partition; the package therefore stops
# when the *partition* has settled: the groups at $100\,\varepsilon$ have been the same for five
# iterations and equal those at $\varepsilon$, and no point that is still on its own is still
# moving. This is the rule `stop="settled"`, the default; Carreira-Perpiñán (2006) also recommends
# stopping as soon as the clusters have formed, for blurring mean shift without weights. The other
# rules, `"diameter"`, `"movement"` and `"fixed"`, remain available.

# %% [markdown]
# ## Theorem 4: a Gaussian cloud stays Gaussian (corrected)
#
# Let the cloud be an infinite sample from $N(0, \mathrm{diag}(\sigma_1^2, \dots, \sigma_p^2))$, and
# let $s$ be the standard deviation of one feature after some iterations, $w$ its weight. A step of
# WBMS takes $x$ to the conditional expectation $E(y \mid x)$, where $y \sim N(0, s^2)$ and
# $x - y \sim N(0, h/(2w))$. Completing the square in $y$,
# $$
# E(y \mid x) = \frac{2w/h}{2w/h + 1/s^2}\; x ,
# $$
# a linear map: the cloud stays Gaussian, and its standard deviation is multiplied by the factor.
# Up to this point the paper and this vignette agree. The paper's next line contains an error.
#
# | | the paper, equation (6) | corrected |
# |:--|:--|:--|
# | proof | $s' = s\,\dfrac{2w/h}{2w/h + 1/s^2}$ | $s' = s\,\dfrac{2w/h}{2w/h + 1/s^2}$ |
# | divided by $2w/h$ | $s' = \dfrac{s}{1 + h\,s^2/(2w)}$ | $s' = \dfrac{s}{1 + h/(2w\,s^2)}$ |
# | that is | — | $s' = \dfrac{s^3}{s^2 + h/(2w)}$ |
# | units of the term added to 1 | $[s]^4$ | none |
# | a wide cloud, $s \to \infty$ | $s' \to 0$ | $s' \to s$ |
# | a narrow cloud, $s \to 0$ | $s' \to s$ | $s' \approx (2w/h)\, s^3$ |
# | asymptotically | $s_t \approx \sqrt{w/(h t)}$ | cubic |
#
# The printed formula has $s^2$ in place of $1/s^2$. As $h$ has the units of $s^2$, the printed sum
# adds terms of different units; and it gets the extremes the wrong way round. It is the narrow
# cloud, in which all points are neighbours, that collapses at once, and the wide cloud that the
# kernel hardly affects.
#
# **Theorem 4, corrected.** *$x_t \sim N(0, \mathrm{diag}(s_1^2, \dots, s_p^2))$ with*
# $$ s_l^{(t+1)} = \frac{(s_l^{(t)})^3}{(s_l^{(t)})^2 + h/(2 w_l^{(t)})} . $$
#
# As $x_t = (s_t/\sigma)\, x_0$, the displacement is $E(x_0 - x_t)^2 = (\sigma - s_t)^2$ and the
# weights are $w_l \propto \exp\{-(\sigma_l - s_l)^2/\lambda\}$. `gaussian_recursion` computes both;
# `printed_recursion` computes the misprinted recursion.
#
# Which one do data follow? We draw samples from a Gaussian with two features, run Algorithm 1 on
# them (the point itself included, one pass from equal weights, nothing standardised) and compare;
# `follow_sample` does this.

# %%
sigma = pd.Series({"a": 2.0, "b": 2.5})
samples = pd.concat(
    follow_sample(n, sigma, h=2.0, lam=20.0, n_iter=3, random_state=seed).assign(n=n, sample=seed)
    for n, n_samples in ((500, 16), (2000, 8), (8000, 3))
    for seed in range(n_samples)
)
sizes = samples.assign(
    corrected=samples["error"].abs(), printed=samples["error_printed"].abs()
).query("iteration > 0")  # fmt: skip
errors = sizes.groupby(["n", "iteration"], as_index=False).agg(
    samples=("sample", "nunique"), corrected=("corrected", "mean"), printed=("printed", "mean")
)
show(
    errors,
    digits=3,
    caption="Mean relative error of s against each recursion, over samples and features",
)

by_size = errors.pivot_table(index="n", columns="iteration", values="corrected")
assert np.allclose(samples.query("iteration == 0").w_sample, 1 / len(sigma))
assert (by_size.diff().dropna() < 0).all(axis=None)
assert (errors.corrected < 0.5).all()
assert (errors.corrected[errors.n == 8000] < 0.05).all()
assert (errors.printed > 1).all()

# %% [markdown]
# The error of the corrected recursion decreases as the sample grows, at every iteration. The
# printed recursion is off by more than its own value, whatever the sample size. Errors are larger
# in later iterations because a finite sample eventually departs from the theory: outlying rows have
# no neighbours and stay behind when the others have merged.

# %% tags=["figure"]
fig, (ax, right) = plt.subplots(
    1, 2, figsize=(10.5, 4.4), width_ratios=(3, 2), layout="constrained"
)  # fmt: skip
narrow = samples[samples.feature == "a"]
theory = narrow.drop_duplicates("iteration")
ax.plot(theory.iteration, theory.s, color="black", label="corrected recursion")
ax.plot(theory.iteration, theory.s_printed, color=RED, ls="--", label="as printed")
for (n, found), shift, colour, marker in zip(
    narrow.groupby("n"), (-0.06, 0, 0.06), (SKY, ORANGE, BLUE), "os^", strict=True
):
    ax.scatter(
        found.iteration + shift, found.s_sample, s=22, color=colour, marker=marker, alpha=0.7,
        lw=0, label=f"samples, n = {n:,}",
    )  # fmt: skip
ax.set(yscale="log", xlabel="iteration t", ylabel="standard deviation $s_t$")
ax.set_xticks(theory.iteration)
ax.set_title(f"feature with σ = {sigma['a']:g}")
ax.legend(frameon=False, loc="lower left")
for iteration, colour, marker in zip(by_size.columns, (BLUE, ORANGE, GREEN), "os^", strict=True):
    right.plot(
        by_size.index, by_size[iteration], color=colour, marker=marker, label=f"t = {iteration}"
    )
right.set(xscale="log", yscale="log", xlabel="n", ylabel="mean relative error")
right.set_xticks(by_size.index, [f"{n:,}" for n in by_size.index])
right.minorticks_off()
right.set_title("error against the corrected recursion")
right.legend(frameon=False)
tidy(ax, right)
figure(
    fig,
    "Theorem 4. Left: samples follow the corrected recursion, not the printed one. Right: "
    "their error falls as the sample grows.",
    "Left, standard deviation over iterations on a log scale: sample points lie along the "
    "solid corrected curve, far from the dashed printed curve. Right, three falling curves of "
    "error against n.",
)

# %% [markdown]
# ## Theorem 5: the order is three, the rate is $2w/h$
#
# **Theorem 5.** *$s_l^{(t)} \to 0$, with order of convergence at least three and asymptotic rate
# $2w_l/h$, where $w_l$ is the limit of the weight.*
#
# *Proof, from the corrected recursion.* $s' < s$, so $s$ converges, and with it the weights. Their
# limits are positive, being proportional to $\exp\{-(\sigma_l - s_l)^2/\lambda\}$ with
# $0 \le s_l \le \sigma_l$. A limit $s$ satisfies $s\,(s^2 + h/(2w)) = s^3$, hence $s = 0$. Then
# $s'/s^3 = 1/(s^2 + h/(2w)) \to 2w/h$. ∎
#
# The paper's proof of Theorem 5 uses this quotient, so its claims stand; they would not follow from
# equation (6) as printed. For blurring mean shift without weights the cubic rate is due to
# Carreira-Perpiñán (2006). As $s \to 0$, the weights have the limit
# $w_l \propto \exp(-\sigma_l^2/\lambda)$: features that vary less get larger weights.
#
# `convergence_order` estimates both constants from the sequence alone.

# %%
sigma = pd.Series({"a": 0.5, "b": 1.0, "c": 1.5})
h, lam = 1.0, 1.0
cloud = gaussian_recursion(sigma, h, lam, 20)
limit = limit_weights(sigma, lam)
order = convergence_order(cloud)[["feature", "order", "constant"]]
order["2w/h"] = 2 * limit.to_numpy() / h
show(order, digits=8)

# %% tags=["checks"]
assert np.allclose(order["order"], 3, atol=1e-3)
assert np.allclose(order["constant"], order["2w/h"], rtol=1e-3)

# %% [markdown]
# The printed recursion has no such order: it decreases like $\sqrt{w/(ht)}$, slower than any
# geometric sequence. A single feature, whose weight is 1, shows this.

# %%
slow = printed_recursion(1.0, h, lam, 10_000)
slow = slow[slow.iteration.isin([10, 100, 1000, 10_000])]
slow = slow[["iteration", "s"]].assign(ratio=slow["s"] * np.sqrt(h * slow["iteration"]))
show(slow.rename(columns={"ratio": "s / √(w/(ht))"}))

fast = gaussian_recursion(1.0, h, lam, 6)
show(fast[["iteration", "s"]], caption="The corrected recursion, from the same start")

# %% tags=["checks"]
assert abs(slow["ratio"].iloc[-1] - 1) < 1e-2
assert fast["s"].iloc[-1] < 1e-20

# %% tags=["figure"]
fig, (ax, right) = plt.subplots(1, 2, figsize=(10.5, 4.4), layout="constrained")
first = cloud[cloud.iteration <= 6]
log_s = first.log_s.to_numpy().reshape(-1, len(sigma)) / np.log(10)
weights = first.w.to_numpy().reshape(-1, len(sigma))
for k, (feature, colour, marker) in enumerate(
    zip(sigma.index, (BLUE, ORANGE, GREEN), "os^", strict=True)
):
    label = f"{feature}, σ = {sigma[feature]:g}"
    seen = log_s[:, k] > -16
    x = log_s[:-1, k][seen[1:]]
    ax.scatter(x, log_s[1:, k][seen[1:]], s=36, color=colour, marker=marker, label=label, zorder=2)
    ends = np.array([x.min(), 0.3])
    ax.plot(ends, np.log10(2 * limit[feature] / h) + 3 * ends, color=colour, lw=1, zorder=1)
    right.plot(weights[:, k], color=colour, marker=marker, label=label)
    right.axhline(limit[feature], color=colour, lw=1, ls="--", zorder=0)
ax.set(xlabel=r"$\log_{10} s_t$", ylabel=r"$\log_{10} s_{t+1}$")
ax.set_title("lines of slope 3 and intercept log(2w/h)")
right.set(xlabel="iteration t", ylabel="weight $w_l$", ylim=(0, 1))
right.set_title(r"weights and their limit $\propto \exp(-\sigma_l^2/\lambda)$ (dashed)")
ax.legend(frameon=False)
right.legend(frameon=False)
tidy(ax, right)
figure(
    fig,
    "Theorem 5. Left: successive standard deviations lie on lines of slope 3, the order. "
    "Right: the weights reach their limits (dashed).",
    "Left, points of three features on three parallel lines of slope three in a log-log plot. "
    "Right, weights of three features over iterations, levelling off at dashed lines.",
)

# %% tags=["checks"]
assert np.allclose(weights[-1], limit, atol=1e-6)

# %% [markdown]
# ## Where the weights start
#
# Algorithm 1 starts from equal weights, $w_l = 1/p$, and fails when many features are noise, even
# if the clusters are far apart. The package can also start from weights that each feature earns on
# its own (`init="marginal"`): blur each column alone for 20 steps with the bandwidth $h_1 = 0.3$,
# let $D_l$ be its displacement, and start with
# $$
# w_l \propto \exp\left\{-\frac{D_l - \min_j D_j}{\lambda_0\,\mathrm{median}_j D_j}\right\},
# \qquad \lambda_0 = 0.1 .
# $$
# This section derives what the first step from equal weights can tell about the features, and what
# the marginal start changes.
#
# *Setting.* All features have variance 1. $m$ of them are noise, $N(0, 1)$ and independent of
# everything else. The other $q = p - m$ are informative: mixtures
# $\sum_c \pi_c\, N(\mu_c, \sigma^2)$ of $k$ clusters, independent of each other, such as clusters
# at the nodes of a grid. The centers have mean 0 and variance $1 - \sigma^2$; $\gamma$ and
# $\beta$ are their skewness and kurtosis ($\beta = 1$ for two equal clusters, 3 for a Gaussian),
# $\Delta$ the smallest distance between two of them. A feature of weight $w$ is blurred with the
# bandwidth $h/w$; let $b = h/(2w)$, the kernel's variance, which is $hp/2$ for equal weights.
# $D$ is the mean squared displacement after one step.
#
# **Proposition.** *(a) In an infinite sample, $D$ depends on $b$ and the feature alone:*
# $$
# D_\mathrm{noise} = \left(\frac{b}{1+b}\right)^2, \qquad
# D_\mathrm{inf} = E\{x - T(x)\}^2, \quad
# T(x) = \sum_c \pi_c(x)\, \frac{\sigma^2 x + b \mu_c}{\sigma^2 + b}, \quad
# \pi_c(x) \propto \pi_c \exp\left\{-\frac{(x - \mu_c)^2}{2(\sigma^2 + b)}\right\} .
# $$
# *(b) A wide kernel does not see the clusters. As $b = hp/2 \to \infty$,*
# $$
# D_\mathrm{noise} - D_\mathrm{inf}
#   = \frac{4\,(1-\sigma^2)^2}{(hp)^2} \left\{3 - \beta + \tfrac34 (1-\sigma^2)\,\gamma^2\right\}
#   + O\bigl((hp)^{-3}\bigr) ,
# $$
# *while both tend to 1, the variance of every feature, and the weights after Step 2 have the ratio
# $w_\mathrm{inf}/w_\mathrm{noise} = \exp\{(D_\mathrm{noise} - D_\mathrm{inf})/\lambda\} \to 1$. For
# $k$ equal, equally spaced clusters the brace is $\frac65 (k^2+1)/(k^2-1)$.*
#
# *(c) A narrower kernel sees clusters that are far apart, if it is not too narrow. Up to a term
# that is exponentially small in $\Delta^2/(\sigma^2 + b)$, $D_\mathrm{inf}$ is
# $\sigma^2 b^2/(\sigma^2+b)^2$, and this is less than $D_\mathrm{noise}$ if and only if
# $b > \sigma$. With equal weights, a first step thus shows the clusters if
# $\sigma < hp/2 \ll \Delta^2$: $h$ must be of the order of $1/p$.*
#
# *(d) In a sample of $n$ rows, a kernel mean is over
# $(n-1)\, E(K \mid x)^2 / E(K^2 \mid x)$ effective neighbours of the row $x$. Their harmonic mean
# over all rows is at most*
# $$
# N = (n-1) \left\{\frac{b^2(b+3)}{(1+b)^3}\right\}^{m/2}
#   = (n-1)\, e^{-6m/(hp)^2\,\{1 + O(1/(hp))\}} .
# $$
# *If $hp$ is fixed, as (c) demands, $N$ decreases exponentially in the number of noise features.
# If $h$ is chosen so large that $N \ge N_0$, then $hp \gtrsim \sqrt{6m/\log(n/N_0)}$, and by (b)
# the difference of the displacements is at most of the order of $\log(n/N_0)/m$.*
#
# *(e) The marginal start does not depend on $p$. Its $b$ is $h_1/2$, and as the steps go on
# $D_\mathrm{noise} \to 1$, while $D_\mathrm{inf}$ stays near $\sigma^2$ for about $e^u/(4u)$ steps,
# $u = \Delta^2/h_1$. With $D_\mathrm{noise} = 1$, $D_\mathrm{inf} = \sigma^2$, $m > q$ and
# $a = (1-\sigma^2)/\lambda_0$, the weights start at the ratio
# $w_\mathrm{noise}/w_\mathrm{inf} = e^{-a}$, with the effective dimension*
# $$
# \frac1{\sum_l w_l^2} = \frac{(q + m\,e^{-a})^2}{q + m\,e^{-2a}} ,
# $$
# *which is close to $q$ as long as $m \ll q\,e^a$. The first step of all features then blurs the
# informative ones with a bandwidth close to $hq$, whatever $p$ is, and the noise with about
# $hq\,e^a$.*
#
# *Proof.* (a) The kernel and the density are products over features, so all but one cancel from
# the kernel mean. What remains is $E(y \mid x)$, where $y$ follows the mixture and
# $x - y \sim N(0, b)$: given the cluster, Theorem 4 applies; and $\pi_c(x)$ is the cluster's
# posterior probability. For noise, $T(x) = x/(1+b)$.
#
# (b) With $\varepsilon = 1/b$, $T(x)$ is the mean of $y$ under a density tilted by
# $\exp\{\varepsilon g\}$, $g = xy - y^2/2$. Expanding in joint cumulants,
# $$
# T(x) = \varepsilon\,\mathrm{Cov}(y, g) + \tfrac12 \varepsilon^2\, \kappa(y, g, g)
#   + O(\varepsilon^3)
# $$
# with $\mathrm{Cov}(y, g) = x - m_3/2$ and
# $\kappa(y, g, g) = m_3 x^2 + (1 - m_4)\,x + \text{const}$, where $m_3$ and $m_4$ are moments of
# the mixture. Hence
# $$ D = 1 - 2\varepsilon + \varepsilon^2 (m_4 - \tfrac34 m_3^2) + O(\varepsilon^3) , $$
# where $m_4 = 3$ and $m_3 = 0$ for noise. Cumulants of the centers and of the Gaussian part add, so
# $m_4 - 3 = (1-\sigma^2)^2 (\beta - 3)$ and $m_3^2 = (1-\sigma^2)^3 \gamma^2$.
#
# (c) Up to such a term $\pi_c(x) = 1$ for the cluster of $x$, and
# $x - T(x) = (x - \mu_c)\, b/(\sigma^2 + b)$. Both displacements are squares of positive numbers,
# and $\sigma/(\sigma^2 + b) < 1/(1 + b)$ is $\sigma (1 - \sigma) < b\,(1 - \sigma)$.
#
# (d) For one noise feature
# $E(K \mid x) = \sqrt{b/(1+b)}\; e^{-x^2/(2(1+b))}$; $E(K^2 \mid x)$ is the same with $b/2$ in
# place of $b$; and the mean of $E(K^2 \mid x)/E(K \mid x)^2$ over $x \sim N(0, 1)$ is
# $(1+b)^{3/2}/\{b\,(b+3)^{1/2}\}$. These means multiply over the noise features, and the
# informative ones contribute a factor of at least 1 (Cauchy–Schwarz).
#
# (e) The first limit is Theorem 5. Clusters collapse in the same way, each onto its mean, and
# collapsed clusters stay apart for as long as the section on Theorem 3 says. If more than half of
# the features are noise, the median of $D$ is theirs. ∎
#
# In words: from equal weights, a kernel that is wide enough to reach some neighbours in all
# directions cannot see the clusters in any single one; and a kernel narrow enough to see them has
# no neighbours. Either way all features are displaced alike. The wide kernel then makes the whole
# cloud collapse, with cubic order, onto one point, where $D_l = 1$ for every feature. The narrow
# one takes every row to its nearest neighbour, which for large $m$ is an almost random row, so
# that $D_l \to E(x - y)^2 = 2$ for every feature; *Without neighbours*, below, derives how fast.
#
# `first_step_displacement` computes (a), `effective_neighbours` the $N$ of (d). We compare them
# with samples of $n = 2{,}000$ rows: four clusters with $\sigma = 0.2$ on a $2 \times 2$ grid in
# two features, and noise. To the first order in $1/N$ the mean over few neighbours adds
# $\{b/(2+b) + b(5+2b)/((1+b)(2+b)(3+b))\}/N$ to the displacement of noise (by the delta method, for
# a row that is excluded from its own mean); this is part of the prediction for noise.

# %%
inside = 0.2  # σ, the standard deviation within clusters
half = np.sqrt(1 - inside**2)  # the centers are at ± half along each informative feature


def grid_clusters(n, p, rng):
    """Draw four clusters on a 2 × 2 grid in the first two of p features."""
    rows = rng.standard_normal((n, p))
    rows[:, :2] = inside * rows[:, :2] + rng.choice([-half, half], (n, 2))
    return rows


def displacement(rows, h, n_iter=1):
    """Return the mean squared displacement of each feature after some steps from equal weights."""
    fit = WBMS(
        h, 1e9, init="uniform", warmup=0, stop="fixed", max_iter=n_iter, record_path=True
    ).fit(rows)  # fmt: skip
    return ((fit.path_[0] - fit.path_[-1]) ** 2).mean(axis=0)


rng = np.random.default_rng(0)
n = 2000
first_steps = []
for hp in (1, 3, 10, 30, 100):
    b = hp / 2
    inf, noise = (
        first_step_displacement(spots, spread, hp)
        for spots, spread in (([-half, half], inside), ([0.0], 1.0))
    )
    few = b / (2 + b) + b * (5 + 2 * b) / ((1 + b) * (2 + b) * (3 + b))
    for p in (10, 20, 50, 100, 200):
        D = displacement(grid_clusters(n, p, rng), hp / p)
        N = effective_neighbours(n, p - 2, hp)
        first_steps.append(
            {
                "hp": hp,
                "p": p,
                "N": N,
                "D inf": D[:2].mean(),
                "predicted inf": inf,
                "D noise": D[2:].mean(),
                "predicted noise": noise + few / N,
                "predicted difference": noise - inf,
                "sd of noise": D[2:].std(ddof=1),
            }
        )
first_steps = pd.DataFrame(first_steps)
enough = first_steps[first_steps.N > 100]
show(enough.drop(columns="predicted difference"), digits=3)

difference = enough["D noise"] - enough["D inf"]
assert (np.abs(enough["D inf"] - enough["predicted inf"]) < 4 / enough.N).all()
assert (np.abs(enough["D noise"] - enough["predicted noise"]) < 2 / enough.N).all()
assert (np.abs(difference - enough["predicted difference"]) < 4 * enough["sd of noise"]).all()

# %% [markdown]
# With enough neighbours the samples agree with (a). Without neighbours they do not, and all
# displacements grow towards 2 with $p$. When $m$ is large, nearest neighbours even reverse the
# order: the noise features move less, and get the larger weights.

# %%
lonely = first_steps[first_steps.N < 1]
show(lonely[["hp", "p", "N", "D inf", "D noise", "predicted inf"]], digits=3)

assert (lonely["D inf"] > lonely["predicted inf"] * 1.1).all()
farthest = lonely[lonely.p == 200].set_index("hp")
assert (farthest.loc[[1, 3], "D inf"] > farthest.loc[[1, 3], "D noise"]).all()
assert (lonely[lonely.hp == 1]["D noise"].diff().dropna() > 0).all()

# %% [markdown]
# A small $\lambda$ does not help to use a small difference. Sample correlations among the features
# make the $D_l$ of the noise features differ, too, with a standard deviation of about
# $(4/hp)\,\sqrt{2p}/n$ when $hp$ is large, and $\lambda$ magnifies both.
#
# We also check the expansion (b), for several $k$; that its sign is the opposite for a rare
# cluster (two clusters, the smaller with less than 9 % of the rows: $\beta$ is large); the
# threshold $b = \sigma$ of (c); and what correlation between informative features adds. If they
# share their clusters, (a) holds with the posterior given all informative features, and (b) begins
# with the larger term $(4/hp) \sum_{j \ne l} \rho_{lj}^2$. A fixed number of them is lost all the
# same as $p$ grows; a fixed *share* of them is not, because the sum then grows like $p$.

# %%
wide_b = 1000.0
unseen = first_step_displacement([0.0], 1.0, 2 * wide_b)
expansion = []
for k in (2, 3, 5, 10):
    spots = np.arange(k) - (k - 1) / 2
    spots *= half / spots.std()
    exact = unseen - first_step_displacement(spots, inside, 2 * wide_b)
    leading = (1 - inside**2) ** 2 * 6 / 5 * (k**2 + 1) / (k**2 - 1)
    expansion.append({"k": k, "b² × difference": exact * wide_b**2, "leading term": leading})
expansion = pd.DataFrame(expansion)
show(expansion)

assert np.allclose(expansion["b² × difference"], expansion["leading term"], rtol=0.01)

signs = {}
for share in (0.05, 0.085, 0.1, 0.5):  # two points of mean 0 and variance 1
    spots = [-np.sqrt(share / (1 - share)), np.sqrt((1 - share) / share)]
    signs[share] = first_step_displacement(spots, 0.0, 2 * wide_b, [1 - share, share]) < unseen
assert signs == {0.05: False, 0.085: False, 0.1: True, 0.5: True}

narrow_b = np.array([0.045, 0.055])  # just below and just above σ = 0.05
tight = first_step_displacement([-1.0, 1.0], 0.05, 2 * narrow_b)
assert np.allclose(tight, (0.05 * narrow_b / (0.05**2 + narrow_b)) ** 2)
assert (tight < (narrow_b / (1 + narrow_b)) ** 2).tolist() == [False, True]

spread = first_steps[first_steps.hp == 100]
assert np.allclose(spread["sd of noise"], 4 / spread.hp * np.sqrt(2 * spread.p) / n, rtol=0.3)

diagonal = grid_clusters(n, 50, rng)
diagonal[:, 1] = inside * rng.standard_normal(n) + half * np.sign(diagonal[:, 0])
D = displacement(diagonal, 100 / 50)
rho = np.corrcoef(diagonal[:, 0], diagonal[:, 1])[0, 1]
print(f"shared clusters: difference {D[2:].mean() - D[0]:.4f}, (4/hp) ρ² = {0.04 * rho**2:.4f}")
assert np.isclose(D[2:].mean() - D[0], 0.04 * rho**2, rtol=0.1)

# %% [markdown]
# The left panel shows the proposition's curves and the samples. On the right we choose, for every
# $m$, the $h$ that makes the difference of the displacements as large as possible while there are
# at least $N_0 = 10$ effective neighbours. It decreases like $\log(n/N_0)/m$: more rows hardly
# help. The marginal start, which takes 20 steps along each feature, has the difference
# $1 - \sigma^2$ for any $m$.


# %% tags=["figure"]
def largest_gap(n, m, least=10):
    """Return the largest difference of displacements over h with enough neighbours."""
    allowed = effective_neighbours(n, m, bandwidths) >= least
    return (noise_curve - clusters_curve)[allowed].max()


bandwidths = np.geomspace(0.1, 1000, 400)
noise_curve = first_step_displacement([0.0], 1.0, bandwidths)
clusters_curve = first_step_displacement([-half, half], inside, bandwidths)
dimensions = np.unique(np.geomspace(2, 10_000, 60).astype(int))
gaps = {size: np.array([largest_gap(size, m) for m in dimensions]) for size in (100, 2000, 40_000)}

fig, (ax, right) = plt.subplots(1, 2, figsize=(10.5, 4.4), layout="constrained")
ax.plot(bandwidths, noise_curve, color=ORANGE, label="noise")
ax.plot(bandwidths, clusters_curve, color=BLUE, label="informative")
for p, marker in zip((10, 20, 50, 100, 200), "os^Dv", strict=True):
    found = first_steps[first_steps.p == p]
    for name, colour in (("D noise", ORANGE), ("D inf", BLUE)):
        face = [colour if N > 100 else "none" for N in found.N]
        ax.scatter(found.hp, found[name], s=34, marker=marker, edgecolors=colour, facecolors=face)
    ax.scatter([], [], s=34, marker=marker, color=GREY, label=f"samples, p = {p}")
ax.set(xscale="log", xlim=(0.5, 200), xlabel="$hp$", ylabel="displacement $D$ after one step")
ax.set_title("open: fewer than 100 effective neighbours")
ax.legend(frameon=False, fontsize="small")
for (size, values), colour, style in zip(
    gaps.items(), (SKY, BLUE, "black"), ("-", "--", "-."), strict=True
):
    right.plot(dimensions, values, color=colour, ls=style, label=f"equal weights, n = {size:,}")
right.axhline(1 - inside**2, color=GREEN, lw=2, label="marginal start")
right.set(xscale="log", yscale="log", xlabel="noise features $m$")
right.set_ylabel(r"$D_\mathrm{noise} - D_\mathrm{inf}$")
right.set_title("largest difference, at the best $h$")
right.legend(frameon=False)
tidy(ax, right)
figure(
    fig,
    "The first step from equal weights. Left: displacements of noise and informative features "
    "as formulas (lines) and in samples (points). Right: the largest difference that any h "
    "can show, against the marginal start.",
    "Left, two rising curves of displacement against hp with sample points on them where "
    "there are enough neighbours. Right, three curves that fall with the number of noise "
    "features, below a constant line for the marginal start.",
)

# The bound of (d), for clusters with β = 1 and γ = 0.
bound = 4 / 3 * (1 - inside**2) ** 2 * np.log(2000 / 10) / dimensions
assert np.allclose(gaps[2000][dimensions > 1000] / bound[dimensions > 1000], 1, atol=0.15)

# %% [markdown]
# ### Without neighbours
#
# As $h \to 0$ every row moves to its nearest neighbour. (This is because a row is excluded from its
# own mean; otherwise it stays where it is.) The nearest neighbour is a matter of the sample, so now
# $n$ is fixed, and the number $m$ of noise features grows. The informative features may depend on
# each other here, such as $k$ clusters somewhere in $q$ dimensions: let $\Delta_{ce}^2$ be the
# squared distance between the centers of the clusters $c$ and $e$ in all informative features
# together, and $z$ the expected maximum of $n - 1$ independent $N(0, 1)$ variables, about
# $\sqrt{2 \log n}$.
#
# **Proposition.** *(f) Let $x$ be a row of cluster $c$, and $y$ another one, and divide the squared
# distances by $p$, as equal weights do. The clusters contribute $\Delta_{ce}^2/p$, up to their
# spread. The noise features contribute $S/p$, where $S$ has, given $x$, a noncentral $\chi^2$
# distribution with $m$ degrees of freedom and noncentrality $R$, the squared length of $x$ in the
# noise features. The standard deviation of $S/p$ is $\sqrt{2m + 4R}/p \approx \sqrt{6m}/p$, so the
# signal-to-noise ratio is*
# $$ \delta_{ce} = \frac{\Delta_{ce}^2}{\sqrt{6m}} . $$
# *It vanishes as $m$ grows, unless $q$ grows at least like $\sqrt m$.*
#
# *(g) Let $f$ and $\bar F$ be the density and the survival function of $S$ given $R$. If the spread
# within clusters is neglected, the nearest neighbour of a row of cluster $c$ is in $e$ with the
# probability*
# $$
# P_{ce} = (n-1)\,\pi_e\, E \int f(s - \Delta_{ce}^2 \mid R)
#   \left\{\sum_a \pi_a \bar F(s - \Delta_{ca}^2 \mid R)\right\}^{n-2} ds
#   = \pi_e \left\{1 + z \left(\sum_a \pi_a \delta_{ca} - \delta_{ce}\right)\right\} + O(1/m) .
# $$
# *This tends to the cluster's share, $1/k$ for $k$ clusters of equal size, no matter which cluster
# the row is in.*
#
# *(h) With $\kappa_{lj} = E\,\mathrm{Cov}\{(x_l - y_l)^2, (x_j - y_j)^2 \mid x\}$,*
# $$ D_l = 2 - \frac{z}{\sqrt{6m}} \sum_j \kappa_{lj} + O(1/m) . $$
# *The sum is 6 for noise, and $3 + m_4$ for an informative feature that is independent of the
# others; in this case*
# $$
# D_\mathrm{noise} - D_\mathrm{inf} = -(1-\sigma^2)^2\,(3 - \beta)\, \frac{z}{\sqrt{6m}} + O(1/m) .
# $$
#
# *Proof.* (f) Given $x_l$, $(x_l - y_l)^2$ has the mean $1 + x_l^2$ and the variance $2 + 4x_l^2$,
# and $R \sim \chi^2_m$ is close to $m$. (Over all pairs of rows the variance of $S$ is $8m$. But
# $2m$ of it are the variance of $m + R$, which is the same for all candidates of a row and does not
# affect which of them is the nearest.)
#
# (g) The integrand is the probability that one of the other rows is in $e$, at the squared distance
# $s$, and all others are farther away. For the expansion, divide the distances by their standard
# deviation. For large $m$ they are independent normal variables with the means $\delta_{ce}$. Where
# all means are equal, the probability that a given one of $N = n - 1$ such variables is the
# smallest has the derivative $-z/N$ in its own mean and $z/\{N(N-1)\}$ in each of the others. The
# deviations from normality are $O(1/\sqrt m)$, and so are the $\delta_{ce}$ that they multiply.
#
# (h) Given $x$, the nearest row is $z$ standard deviations below the mean squared distance, up to
# terms of lower order, and $(x_l - y_l)^2$ follows by its regression on the squared distance, whose
# variance is $6m + O(\sqrt m)$. Without the condition the mean of $(x_l - y_l)^2$ is 2. Its
# variance given $x_l$ is $m_4 - 1 - 4 m_3 x_l + 4 x_l^2$, with the mean $3 + m_4$. ∎
#
# By (g) the own cluster shows as long as $z\,\delta$ is not small, that is for $m$ up to the order
# of $\Delta^4 \log n$; again, more rows hardly help. By (h) independent informative features move
# *more* than noise, because clusters of similar size have a low kurtosis. If they share their
# clusters, the covariances can make the sum larger than 6, and they move less; but this difference,
# too, vanishes like $1/\sqrt m$.
#
# The scatter of the $D_l$ does not vanish. Of the variance $6m$ of $S$, a third is that of the
# squared length of $y$, and a row $y$ that is close to the origin is close to *all* rows. So some
# rows, called hubs, are the nearest neighbours of many others, whatever $m$ is, and $D_l$ depends
# on where these happen to be. With $n_j$ rows moving to row $j$, there are in effect
# $n^2/\sum_j n_j^2$ targets, about $n/2$ if all rows moved at random.
#
# `nearest_row` computes (g) and, from it, the displacements: $E(S)/m$ for noise, and
# $2\sigma^2 + \sum_e P_{ce}\,(\mu_{cl} - \mu_{el})^2$ for an informative feature. We try two
# designs with $q = 2$ and $\sigma = 0.2$: the four clusters on a grid, and two clusters on its
# diagonal, which both features share.


# %%
def nearest_row(n, m, centers):
    """Return P(own cluster), D of noise and mean D of the informative features as h → 0.

    The clusters, with `centers` of shape (k, q), are of equal size. The first one must be typical,
    that is, have the same distances to the others as all of them.
    """
    towards = centers - centers[0]
    gaps = (towards**2).sum(axis=1)[:, None, None]
    R = chi2.ppf((np.arange(12) + 0.5)[:, None] / 12, m)
    sd = np.sqrt(2 * m + 4 * R)
    low, high = np.maximum(m + R - 8 * sd, 0), m + R + 3 * sd
    s = low + np.linspace(0, 1, 400) * (high - low)
    all_farther = ncx2.sf(s - gaps, m, R).mean(axis=0) ** (n - 2)
    density = (n - 1) * ncx2.pdf(s - gaps, m, R) / len(centers) * all_farther
    mass = density * (s[:, 1:2] - s[:, :1]) / len(R)
    P = mass.sum(axis=(1, 2))
    assert abs(P.sum() - 1) < 1e-3
    return P[0], (mass * (s - gaps)).sum() / m, 2 * inside**2 + (P @ towards**2).mean()


def diagonal_clusters(n, p, rng):
    """Draw two clusters that the first two of p features share."""
    rows = rng.standard_normal((n, p))
    rows[:, :2] = inside * rows[:, :2] + rng.choice([-half, half], (n, 1))
    return rows


grid = half * np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]])
shared = grid[[0, 3]]
n = 200
z = norm.isf(0.625 / (n - 0.75))  # Blom's approximation

far = 10**5
limits = []
for name, centers, kappa in (("grid", grid, 4 * half**4), ("shared", shared, 8 * half**4)):
    own, noise, inf = nearest_row(n, far, centers)
    gaps = ((centers - centers[0]) ** 2).sum(axis=1) / np.sqrt(6 * far)
    limits += [
        {"design": name, "of": "P(own) k − 1", "exact": own * len(centers) - 1,
         "first order": z * gaps.mean()},
        {"design": name, "of": "2 − D noise", "exact": 2 - noise,
         "first order": 6 * z / np.sqrt(6 * far)},
        {"design": name, "of": "2 − D inf", "exact": 2 - inf,
         "first order": kappa * z / np.sqrt(6 * far)},
    ]  # fmt: skip
limits = pd.DataFrame(limits)
show(limits, digits=3)

# %% tags=["checks"]
assert np.allclose(limits["exact"], limits["first order"], rtol=0.03)

# %% [markdown]
# The first orders agree with the integral at $m = 10^5$. (They are without the spread within
# clusters, as the integral is; $\kappa$ is $4(1-\sigma^2)^2$ for each feature with the clusters.)
#
# Now the samples, of $n = 200$ rows: the share of rows that move to a row of their own cluster in
# the first step from equal weights as $h \to 0$; and the displacements in the same step, in the
# first step from equal weights at $h = 0.3$, and in the first step from the marginal start at the
# same $h$. At a fixed $h$ the kernel from equal weights becomes wide, $hp = 0.3\,p$. By (b) the
# difference of the displacements is then about $8\,(1-\sigma^2)^2/(hp)^2$, and by the scatter given
# above it is $2\,(1-\sigma^2)^2\, n/(hp\sqrt{2p})$ standard deviations of the noise features, which
# decreases like $p^{-3/2}$. From the marginal start, (a) holds with the weights of (e); the means
# are over the $n/k$ rows of a cluster, which adds $k/n$ to the displacement of noise.


# %%
def first_move(rows, h, init):
    """Return the z-scored rows before and after the first step."""
    return (
        WBMS(
            h, 1e9, init=init, warmup=0, stop="fixed", max_iter=1, standardize=True,
            record_path=True,
        )
        .fit(rows)
        .path_
    )  # fmt: skip


def predict_first_step(start, p):
    """Return P(own cluster), D of noise and D of informative features in the first step."""
    m = p - 2
    if start.startswith("nearest"):
        return nearest_row(n, m, shared if "shared" in start else grid)
    ratio = np.exp(-(1 - inside**2) / 0.1) if start == "marginal" else 1.0
    bandwidth = 0.3 * (2 + m * ratio)  # of the informative features, h/w
    inf = first_step_displacement([-half, half], inside, bandwidth)
    return np.nan, first_step_displacement([0.0], 1.0, bandwidth / ratio), inf


rng = np.random.default_rng(0)
grown_p = (10, 30, 100, 300, 1000)
moves = []
for p in grown_p:
    for _ in range(10):
        drawn = {"grid": grid_clusters(n, p, rng), "shared": diagonal_clusters(n, p, rng)}
        for start, design, h, init in (
            ("nearest", "grid", 0.01 / p, "uniform"),
            ("nearest, shared", "shared", 0.01 / p, "uniform"),
            ("h = 0.3", "grid", 0.3, "uniform"),
            ("marginal", "grid", 0.3, "marginal"),
        ):
            before, after = first_move(drawn[design], h, init)
            D = ((before - after) ** 2).mean(axis=0)
            kept = (np.sign(before[:, :2]) == np.sign(after[:, :2])).all(axis=1)
            _, arrivals = np.unique(after[:, 0], return_counts=True)
            moves.append(
                {
                    "start": start,
                    "p": p,
                    "own": kept.mean() if "nearest" in start else np.nan,
                    "targets": n**2 / (arrivals**2).sum() if "nearest" in start else np.nan,
                    "D inf": D[:2].mean(),
                    "D noise": D[2:].mean(),
                    "sd of noise": D[2:].std(ddof=1),
                }
            )
moves = pd.DataFrame(moves)
moves["difference"] = moves["D noise"] - moves["D inf"]
moves["difference/sd"] = moves["difference"] / moves["sd of noise"]
by_p = moves.groupby(["start", "p"], sort=False).mean().sort_index(level=0, sort_remaining=False)
expected = [predict_first_step(*key) for key in by_p.index]
by_p[["own, predicted", "noise, predicted", "inf, predicted"]] = expected
columns = ["own", "own, predicted", "D inf", "inf, predicted", "D noise", "noise, predicted"]
show(by_p[columns].reset_index(), digits=3)
show(by_p[["difference", "sd of noise", "difference/sd", "targets"]].reset_index(), digits=3)

by_nearest = by_p.loc[["nearest", "nearest, shared"]]
assert (np.abs(by_nearest["own"] - by_nearest["own, predicted"]) < 0.08).all()
assert (np.abs(by_nearest["D noise"] - by_nearest["noise, predicted"]) < 0.03).all()
assert (np.abs(by_nearest["D inf"] - by_nearest["inf, predicted"]) < 0.2).all()
assert by_p.loc["nearest"].loc[1000, "own"] < 0.35  # 1/k is 0.25
far_off = moves[(moves.start == "nearest") & (moves.p >= 100)]
assert far_off.difference.mean() < 0
for design in ("nearest", "nearest, shared"):
    assert (by_p.loc[design, "sd of noise"].diff().dropna() > 0).all()
    assert (by_p.loc[design].loc[300:, "targets"] < n / 4).all()

wide_kernel = by_p.loc["h = 0.3"]
bound = np.array([4 / effective_neighbours(n, p - 2, 0.3 * p) for p in wide_kernel.index])
assert (np.abs(wide_kernel["D inf"] - wide_kernel["inf, predicted"]) < bound).all()
assert (np.abs(wide_kernel["D noise"] - wide_kernel["noise, predicted"]) < bound).all()
assert wide_kernel.loc[10, "difference/sd"] > 4
assert (wide_kernel.loc[300:, "difference/sd"].abs() < 1).all()

own_start = by_p.loc["marginal"]
gap = own_start["noise, predicted"] - own_start["inf, predicted"]
assert np.allclose(own_start["D noise"], own_start["noise, predicted"] + 4 / n, atol=0.01)
assert np.allclose(own_start["D inf"], own_start["inf, predicted"], atol=0.01)
assert (gap > 0.95).all()
assert (own_start["difference/sd"] > 20).all()

# %% tags=["figure"]
fig, (ax, right) = plt.subplots(1, 2, figsize=(10.5, 4.4), layout="constrained")
curve_p = np.unique(np.geomspace(8, 1500, 20).astype(int))
for start, label, k, colour, marker in (
    ("nearest", "4 clusters on a grid", 4, BLUE, "o"),
    ("nearest, shared", "2 clusters, shared", 2, ORANGE, "s"),
):
    single = moves[moves.start == start]
    ax.plot(curve_p, [predict_first_step(start, p)[0] for p in curve_p], color=colour, label=label)
    ax.scatter(single.p, single.own, s=14, color=colour, marker=marker, alpha=0.5, lw=0)
    ax.axhline(1 / k, color=colour, lw=1, ls=":", label=f"1/k = {1 / k:g}")
ax.set(xscale="log", xlabel="features $p$", ylabel="share of rows", ylim=(0, 1.05))
ax.set_title("nearest neighbour in the own cluster, equal weights")
for start, label, colour, marker in (
    ("marginal", "marginal start, h = 0.3", GREEN, "D"),
    ("h = 0.3", "equal weights, h = 0.3", "black", "^"),
    ("nearest", "equal weights, $h \\to 0$", BLUE, "o"),
    ("nearest, shared", "the same, 2 clusters, shared", ORANGE, "s"),
):
    single = moves[moves.start == start]
    lines = np.array([predict_first_step(start, p) for p in curve_p])
    right.plot(curve_p, lines[:, 1] - lines[:, 2], color=colour, label=label)
    right.scatter(single.p, single.difference, s=14, color=colour, marker=marker, alpha=0.5, lw=0)
right.axhline(0, color=GREY, lw=1, ls=":")
right.set(xscale="log", xlabel="features $p$", ylabel=r"$D_\mathrm{noise} - D_\mathrm{inf}$")
right.set_title("difference of displacements after the first step")
ax.legend(frameon=False)
right.legend(frameon=False, loc="upper right", bbox_to_anchor=(1, 0.94))
tidy(ax, right)
figure(
    fig,
    "Without neighbours. Left: how often the nearest row is of the own cluster, which falls "
    "to 1/k. Right: the difference of displacements, which only the marginal start keeps.",
    "Left, two falling curves with sample points, approaching one quarter and one half. "
    "Right, one level curve near 1 for the marginal start, and three that fall to 0 or below "
    "as features are added.",
)

# %% [markdown]
# Lines are the formulas, points are samples. The neglected spread within clusters makes the
# prediction of $D_\mathrm{inf}$ a little too large. From equal weights the informative features
# cannot be told from noise when $p$ is large, at either bandwidth; in the first step from the
# marginal start the difference does not depend on $p$.

# %% [markdown]
# ### What the marginal start changes
#
# We blur the columns one by one, as the marginal start does, and compare the displacements with 1
# and $\sigma^2$ and the effective dimension $1/\sum_l w_l^2$ with (e).

# %%
starts = []
for p in (10, 50, 200, 1000):
    sample = grid_clusters(500, p, rng)
    D = np.array([displacement(sample[:, [column]], 0.3, 20)[0] for column in range(min(p, 50))])
    model = WBMS(0.05, 0.1, init="marginal", stop="fixed", max_iter=1, warmup=0).fit(sample)
    w = model.init_
    ratio = np.exp(-(1 - inside**2) / 0.1)
    starts.append(
        {
            "p": p,
            "D inf": D[:2].mean(),
            "D noise": np.median(D[2:]),
            "weight of x1 + x2": w[:2].sum(),
            "effective dimension": 1 / (w**2).sum(),
            "predicted": (2 + (p - 2) * ratio) ** 2 / (2 + (p - 2) * ratio**2),
        }
    )
    if p <= 50:
        own = np.exp(-(D - D.min()) / (0.1 * np.median(D)))
        assert np.allclose(w, own / own.sum(), atol=1e-8)
starts = pd.DataFrame(starts)
show(starts)

# %% tags=["checks"]
assert np.allclose(starts["D inf"], inside**2, rtol=0.15)
assert np.allclose(starts["D noise"], 1, atol=0.01)
assert np.allclose(starts["effective dimension"], starts["predicted"], rtol=0.05)

# %% [markdown]
# And the clusters? Simulation 2 has $n = 100$ rows in four clusters; in the paper's design 5 % of
# the features are informative, at least two. We fit it at given $h = 0.05$ and $\lambda = 0.1$ from
# both starts, and add a second design: the two informative features of $p = 20$, with ever more
# noise.


# %%
def buried(p, seed):
    """Draw Simulation 2 with two informative features, whatever p is."""
    few, labels = datasets.simulation2(20, random_state=seed)
    noise = np.random.default_rng(1000 + seed).standard_normal((len(few), p - 20))
    return np.column_stack([few, noise]), labels


designs = {
    "5 % informative": lambda p, seed: datasets.simulation2(p, random_state=seed),
    "2 informative": buried,
}
sizes_p = (20, 40, 60, 100, 200)
runs = []
for design, draw in designs.items():
    for p in sizes_p:
        for seed in range(10):
            sample, labels = draw(p, seed)
            for init in ("uniform", "marginal"):
                fit = WBMS(0.05, 0.1, init=init).fit(sample)
                ari = adjusted_rand_score(labels, fit.labels_)
                runs.append({"design": design, "p": p, "start": init, "ARI": ari})
runs = pd.DataFrame(runs)
recovered = runs.pivot_table(index=["design", "p"], columns="start", values="ARI")
show(recovered.reset_index(), digits=3)

# %% tags=["checks"]
assert (recovered["marginal"] > 0.95).all()
assert (recovered.loc["2 informative"].loc[40:, "uniform"] < 0.5).all()
assert (recovered.loc["5 % informative"].loc[40:60, "uniform"] < 0.5).all()

# %% tags=["figure"]
fig, axes = plt.subplots(1, 2, figsize=(10, 3.8), sharey=True, layout="constrained")
for ax, design in zip(axes, designs, strict=True):
    for init, colour, marker in (("uniform", ORANGE, "o"), ("marginal", GREEN, "s")):
        single = runs[(runs.design == design) & (runs.start == init)]
        ax.scatter(single.p, single.ARI, s=12, color=colour, alpha=0.4, lw=0)
        ax.plot(
            recovered.loc[design].index, recovered.loc[design, init], color=colour, marker=marker,
            label=f'init="{init}"',
        )  # fmt: skip
    ax.set(xlabel="features $p$", title=f"Simulation 2, {design}")
axes[0].set_ylabel("adjusted Rand index")
axes[1].legend(frameon=False, loc="center right")
fig.suptitle("Lines: means of 10 samples (dots)")
tidy(*axes)
figure(
    fig,
    "Simulation 2 from two starts of the weights: the marginal one finds the clusters at any "
    "number of features.",
    "Two panels of adjusted Rand index against the number of features: a curve at 1 for the "
    "marginal start, and a lower, falling one for equal weights.",
)

# %% [markdown]
# From equal weights the clusters are lost as noise is added. In the paper's design they are found
# again when $p$ is large, because the number of informative features grows with $p$ and all of them
# share the four clusters, as discussed above.
#
# The marginal start has its limits. $h_1$ is a resolution: by (e), clusters stay apart for 20 steps
# only if $e^u/(4u) > 20$, that is $\Delta > 1.4$ standard deviations at $h_1 = 0.3$; closer ones
# merge, and the feature shows groups of clusters at best. And clusters that no feature shows on its
# own do not distinguish their features from noise. Two long, parallel clusters on a diagonal are an
# example: they are far apart across it, but their centers are only 1.2 standard deviations apart
# along either feature. We bury them in 18 noise features and also fit with a start that knows where
# they are.


# %%
def parallel_clusters(n, p, seed):
    """Draw two long clusters along the diagonal of the first two of p features."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(2, size=n)
    along = 1.3 * rng.standard_normal(n)
    across = 2 * labels - 1 + 0.12 * rng.standard_normal(n)
    rows = rng.standard_normal((n, p))
    rows[:, 0], rows[:, 1] = (along + across) / np.sqrt(2), (along - across) / np.sqrt(2)
    return rows, labels


known = np.full(20, 1e-3)
known[:2] = 1
hidden = []
for seed in range(8):
    sample, labels = parallel_clusters(300, 20, seed)
    for name, init in (("uniform", "uniform"), ("marginal", "marginal"), ("known", known)):
        fit = WBMS(0.15, 0.1, init=init).fit(sample)
        start = np.full(20, 1 / 20) if name == "uniform" else fit.init_ / np.sum(fit.init_)
        ari = adjusted_rand_score(labels, fit.labels_)
        hidden.append({"start": name, "weight of x1 + x2": start[:2].sum(), "ARI": ari})
hidden = pd.DataFrame(hidden).groupby("start", sort=False).mean()
show(hidden.reset_index(), digits=2)

# %% tags=["checks"]
assert hidden.loc["marginal", "weight of x1 + x2"] < 0.2  # equal weights: 0.1
assert (hidden.loc[["uniform", "marginal"], "ARI"] < 0.2).all()
assert hidden.loc["known", "ARI"] > 0.6

# %% [markdown]
# The marginal start gives the two features no more weight than noise. The clusters can be found at
# this $h$ and $\lambda$, but only from another start, which has to look at several features
# together, for instance at how pairs of them depend on each other. No start suits all data. This
# is why `init="auto"`, the default, tries several of them, equal weights among them, and chooses by
# the result.
#
# ### The theorems hold for any start
#
# None of the first three proofs uses $w_l = 1/p$.
#
# - Theorem 1 concerns one Step 2. The displacements $D_l$ are constants in it, and its proof uses
#   only that they are finite and $\lambda > 0$. The weights that led to them do not occur. In
#   particular all weights are positive after the first Step 2, even those that started at 0.
# - Theorem 2 uses that the coefficients of each step are nonnegative and sum to one. These are
#   kernel values divided by their sum, whatever the weights are; the weights need not be positive,
#   sum to one or be the same in the next step. (If some are 0, $\|\cdot\|_w$ is only a seminorm,
#   not a norm as the paper says, but this is not used.)
# - Theorem 3 uses Theorem 2, and that the diameter is measured in the same norm at all times, the
#   unweighted one. The diameter in $\|\cdot\|_{w^{(t)}}$ can grow, because the norm changes.
#
# The checks confirm it for equal weights, the marginal start and arbitrary numbers, some of them 0.
# There is no warm-up, so that the recorded path begins with these weights. (A warm-up is itself an
# example of another start: the path of the second pass begins with the weights learnt in the
# first.)

# %%
arbitrary = np.random.default_rng(3).exponential(size=X.shape[1]) ** 2
arbitrary[::5] = 0
start_fits = {
    name: WBMS(0.1, 0.05, init=init, warmup=0, record_path=True).fit(X)
    for name, init in (("uniform", "uniform"), ("marginal", "marginal"), ("arbitrary", arbitrary))
}
by_start = pd.concat(check_all(fit).assign(start=name) for name, fit in start_fits.items())
by_start = by_start[by_start.theorem.str[0].isin(["1", "2", "3"])]
show(by_start[["start", "theorem", "checked", "deviation", "tolerance", "holds"]], digits=2)

began = {name: fit.weights_path_[0] for name, fit in start_fits.items()}
assert np.allclose(began["uniform"], 1 / X.shape[1])
assert np.allclose(began["marginal"], start_fits["marginal"].init_)
assert np.allclose(began["arbitrary"], arbitrary / arbitrary.sum())
assert by_start.holds.all()
assert by_start.groupby("start").theorem.nunique().eq(4).all()
assert all((fit.weights_path_[1:] > 0).all() for fit in start_fits.values())

changing = start_fits["uniform"]
weighted_diameters = [
    pdist(cloud * np.sqrt(w)).max()
    for cloud, w in zip(changing.path_, changing.weights_path_, strict=True)
]
print(f"weighted diameter before and after the first step: {weighted_diameters[0]:.3f}, ", end="")
print(f"{weighted_diameters[1]:.3f}")
assert weighted_diameters[1] > 1.02 * weighted_diameters[0]

# %% [markdown]
# ## All theorems on one fit
#
# `check_all` runs every check that applies to a fit. Theorems 1 to 3 concern the fit itself;
# Theorem 5 is checked for a Gaussian cloud with the spread, bandwidth and $\lambda$ of the fit.

# %%
result = wbms(X, h=0.1, lam=0.05)
table = check_all(result)
show(table, digits=2)

# %% tags=["checks"]
assert table.holds.all()

# %% [markdown]
# ## References
#
# - S. Chakraborty, D. Paul and S. Das (2021). Automated Clustering of High-dimensional Data with a
#   Feature Weighted Mean Shift Algorithm. *Proceedings of the 35th AAAI Conference on Artificial
#   Intelligence*.
# - M. Á. Carreira-Perpiñán (2006). Fast nonparametric clustering with Gaussian blurring mean-shift.
#   *Proceedings of the 23rd International Conference on Machine Learning*.
# - P. Wolfe (1976). Finding the nearest point in a polytope. *Mathematical Programming* 11.
