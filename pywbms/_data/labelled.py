"""Labelled arrays: xarray, and AnnData with its X. Neither library is imported here."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import issparse

from pywbms._data.sparse import densified


def is_xarray(data):
    """Tell whether data is a DataArray or a Dataset of xarray."""
    return type(data).__module__.partition(".")[0] == "xarray" and hasattr(data, "dims")


def is_anndata(data):
    """Tell whether data has the parts of an AnnData object."""
    return all(hasattr(data, name) for name in ("X", "obs", "var", "obsm", "uns", "obs_names"))


@dataclass(frozen=True)
class XarrayKind:
    """A DataArray of two dimensions, or a Dataset of variables along one dimension.

    Attributes
    ----------
    array, dataset : type
        The classes of xarray; `dataset` is None for a DataArray.
    rows : str
        Name of the dimension of the rows.
    """

    array: type
    dataset: type | None
    rows: str
    has_index = True

    @classmethod
    def read(cls, data):
        """Return such a table as a DataFrame, and its kind."""
        if hasattr(data, "data_vars"):
            variables = list(data.data_vars.values())
            if len(variables) == 1 and len(variables[0].dims) == 2:
                return cls.read(variables[0])
            if len({variable.dims for variable in variables}) != 1 or variables[0].ndim != 1:
                raise ValueError(
                    "a Dataset must have variables along one and the same dimension, or a single "
                    f"variable of two dimensions, got {dict(data.sizes)}"
                )
            (rows,) = variables[0].dims
            columns = {name: variable.to_numpy() for name, variable in data.data_vars.items()}
            frame = pd.DataFrame(columns, index=index_of(data, rows))
            return frame, cls(type(variables[0]), type(data), rows)
        if data.ndim != 2:
            raise ValueError(
                f"a DataArray must have two dimensions, rows and columns, got {data.dims}"
            )
        rows, columns = data.dims
        frame = pd.DataFrame(data.to_numpy(), index_of(data, rows), index_of(data, columns))
        return frame, cls(type(data), None, rows)

    def table(self, frame):
        """Return a DataFrame as an object of this kind; a mixed one stays a DataFrame."""
        rows = str(frame.index.name or "row")
        if self.dataset is not None:
            columns = {name: (rows, frame[name].to_numpy()) for name in frame.columns}
            return self.dataset(columns, coords={rows: frame.index.to_numpy()})
        if not all(kind == np.float64 for kind in frame.dtypes):
            return frame
        columns = str(frame.columns.name or "column")
        coordinates = {rows: frame.index.to_numpy(), columns: frame.columns.to_numpy()}
        return self.array(frame.to_numpy(), coords=coordinates, dims=(rows, columns))

    def column(self, series):
        """Return a Series as a DataArray."""
        name = str(series.index.name or "column")
        coordinates = {name: series.index.to_numpy()}
        return self.array(series.to_numpy(), coordinates, dims=(name,), name=series.name)

    def with_column(self, data, series):
        """Return a Dataset with a further variable, or a DataArray with a further coordinate."""
        values = {series.name: (self.rows, series.to_numpy())}
        return data.assign(values) if hasattr(data, "data_vars") else data.assign_coords(values)


def index_of(data, dimension):
    """Return the coordinates of a dimension as an Index named like it, or its numbers."""
    if dimension in data.indexes:
        return data.indexes[dimension].rename(dimension)
    return pd.RangeIndex(data.sizes[dimension], name=dimension)


class AnnDataKind:
    """An AnnData object, whose own tables are those of pandas: so are those of a result."""

    has_index = True

    @classmethod
    def read(cls, data, obsm=None):
        """Return X, or an entry of `obsm`, as a DataFrame, and the kind."""
        if obsm is None:
            values, columns = data.X, pd.Index(data.var_names)
        elif obsm in data.obsm:
            values = data.obsm[obsm]
            columns = getattr(values, "columns", None)
            if columns is None:
                columns = [f"{obsm}{i + 1}" for i in range(values.shape[1])]
        else:
            raise ValueError(f"obsm has no {obsm!r}; it has {sorted(data.obsm)}")
        values = densified(values) if issparse(values) else np.asarray(values)
        return pd.DataFrame(values, pd.Index(data.obs_names), columns), cls()

    def table(self, frame):
        """Return a DataFrame as it is."""
        return frame

    def column(self, series):
        """Return a Series as it is."""
        return series
