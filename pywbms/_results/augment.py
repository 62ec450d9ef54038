"""The clustered table with its labels."""

import pandas as pd

from pywbms._data.kinds import read
from pywbms._data.labelled import is_anndata
from pywbms._data.table import as_frame


def augmented(result, data, name):
    """Return a copy of a table with the labels as a further column; see `WBMSResult.augment`."""
    if data is None:
        labels = result.labels
        return with_labels(result.data, labels[labels >= 0], name)
    if not isinstance(data, pd.DataFrame) and is_anndata(data):
        return annotated(result, data, name)
    frame, kind = read(data)
    frame = as_frame(frame)
    if name in frame.columns or name in getattr(data, "coords", ()):
        raise ValueError(f"data already has a column {name!r}; give another name=")
    labels = aligned(result.labels, frame.index, kind is None or kind.has_index).rename(name)
    return with_labels(frame, labels, name) if kind is None else kind.with_column(data, labels)


def aligned(labels, index, has_index=True):
    """Return labels in the order of the rows of a table, told apart by their index.

    Raises
    ------
    ValueError
        If the rows are not those that were clustered, or cannot be told apart.
    """
    if index.equals(labels.index):
        return labels
    if len(index) != len(labels):
        raise ValueError(
            f"data must have the {len(labels)} rows that were clustered, got {len(index)} "
            "(its index differs); use predict for other rows"
        )
    if not has_index:
        return labels.set_axis(index)
    if not index.is_unique or not labels.index.is_unique:
        raise ValueError(
            "data must have the rows that were clustered, in their order: the index differs, and "
            "with repeated entries it does not tell which row is which"
        )
    place = labels.index.get_indexer(index)
    if (place < 0).any():
        raise ValueError("data must have the rows that were clustered (its index differs)")
    return labels.iloc[place]


def with_labels(frame, labels, name):
    """Return a DataFrame with its labels as a further column."""
    if name in frame.columns:
        raise ValueError(f"data already has a column {name!r}; give another name=")
    if frame.columns.nlevels > 1 and not isinstance(name, tuple):
        name = (name, *[""] * (frame.columns.nlevels - 1))
    return pd.concat([frame, labels.rename(None).to_frame(name)], axis=1)


def annotated(result, adata, name):
    """Return a copy of an AnnData object that has the labels, the weights and how they were found.

    Labels are categories of texts, as they are elsewhere in such objects. X is not looked at.
    """
    if name in adata.obs:
        raise ValueError(f"data already has a column {name!r} in obs; give another name=")
    labels = aligned(result.labels, pd.Index(adata.obs_names))
    weights, adata = result.weights, adata.copy()
    adata.obs[name] = pd.Categorical(labels.astype(str).to_numpy())
    if weights.index.isin(adata.var_names).all():
        adata.var[f"{name}_weight"] = weights.reindex(adata.var_names).to_numpy()
    adata.uns["wbms"] = {
        "name": name,
        "h": result.h,
        "lam": result.lam,
        "n_clusters": result.n_clusters,
        "converged": bool(result.converged),
        "columns": list(map(str, weights.index)),
        "weights": weights.to_numpy(),
        "centers": result.centers.to_numpy(),
    }
    return adata
