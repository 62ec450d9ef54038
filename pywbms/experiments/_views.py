"""What figures need besides partitions: an embedding, and the paths of the points."""

import numpy as np

from pywbms.estimator import WBMS

# So large that all weights are equal: blurring mean shift in the units of WBMS.
EVEN = 1e9


def tsne(X, truth):
    """Embed z-scored rows in two dimensions with t-SNE.

    Returns
    -------
    list of dict
        One row: ``points``, a pair of coordinates for each row of the data, and ``labels``, the
        true labels.
    """
    from sklearn.manifold import TSNE

    scale = X.std(ddof=1).to_numpy()
    Z = ((X - X.mean()) / np.where(scale > 0, scale, 1)).to_numpy()
    perplexity = min(30, (len(Z) - 1) / 3)
    points = TSNE(perplexity=perplexity, init="pca", random_state=0).fit_transform(Z)
    points = points.astype(float).round(4).tolist()
    return [{"method": "tsne", "points": points, "labels": truth.tolist()}]


def paths(X, truth, h, lam, iterations):
    """Record the points of BMS and of WBMS's released form in the first two features.

    BMS is run at h and at twice h: in high dimensions a small change of h separates points that
    hardly move from points that collapse onto one.

    Returns
    -------
    list of dict
        One row per method and iteration: ``points``, in z-scores, ``labels`` of the last recorded
        iteration, final ``weights`` of the two features.
    """
    rows = []
    even = {"stop": "fixed", "max_iter": max(iterations), "record_path": True}
    for method, model in (
        ("bms", WBMS.paper(h, EVEN, **even)),
        ("bms", WBMS.paper(2 * h, EVEN, **even)),
        ("wbms_released", WBMS.released(h, lam, max_iter=max(iterations), record_path=True)),
    ):
        model.fit(X)
        rows += [
            {
                "method": method,
                "iteration": t,
                "points": model.path_[t][:, :2].round(5).tolist(),
                "labels": model.labels_.tolist(),
                "weights": model.feature_weights_[:2].tolist(),
                "h": model.h,
            }
            for t in iterations
        ]
    return rows


VIEWS = {"tsne": tsne, "paths": paths}
