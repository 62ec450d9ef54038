"""The parameters of a fit: their defaults, their checks, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from numbers import Integral
from typing import NamedTuple

import numpy as np

from pywbms._data.checks import (
    SMALLEST_SQUARABLE,
    generator,
    positive,
    require_boolean,
    require_integer,
    require_one_of,
)
from pywbms._data.levels import checked_groups, of_columns
from pywbms._data.standardize import is_robust
from pywbms._engine.landmark_number import number_of_landmarks, require_landmarks
from pywbms._machine.threads import number_of_threads

AUTO = "auto"
STOP_RULES = ("settled", "movement", "diameter", "fixed")
LAM_SCALES = ("mean", "sum")
STARTS = (AUTO, "uniform", "marginal")
OUTLIERS = ("keep", "label")

# The partition at COARSE · eps is watched: once it has been the same for a few iterations, the
# rows inside a group have long come closer than eps.
COARSE = 100
# Points closer than this share of eps are merged; modes and weights agree to nine digits.
MERGED = 1e-6


class Phase(NamedTuple):
    """One pass of the algorithm over the data."""

    name: str
    max_iter: int
    may_stop: bool


@dataclass(frozen=True)
class Settings:
    """Checked parameters of a fit; `pywbms.WBMS` documents them.

    Every layer takes its defaults from here.

    Raises
    ------
    ValueError
        If a parameter is out of range; the message names it.

    Examples
    --------
    >>> Settings.max_iter, Settings(h=0.1).is_auto
    (300, True)
    >>> Settings(h=-1)
    Traceback (most recent call last):
    ValueError: h must be a positive finite number or 'auto', got -1
    """

    h: float | str = AUTO
    lam: float | str = AUTO
    lam_scale: str = "mean"
    exclude_self: bool = True
    warmup: int = 20
    stop: str = "settled"
    patience: int = 5
    tol: float = 1e-8
    max_iter: int = 300
    eps: float = 1e-5
    standardize: bool | str = "robust"
    merge: bool = True
    n_jobs: int | None = None
    record_path: bool = False
    tree: bool = False
    init: str | tuple[float, ...] = AUTO
    join: bool | str = AUTO
    n_clusters: int | None = None
    outliers: str = "keep"
    indicators: tuple[tuple[int, ...], ...] = ()
    random_state: int | np.random.Generator | None = 0
    time_budget: float | None = None
    landmarks: int | str | None = AUTO

    def __post_init__(self):
        for name in ("h", "lam"):
            value = getattr(self, name)
            if not is_auto(value) and not positive(value):
                raise ValueError(
                    f"{name} must be a positive finite number or 'auto', got {value!r}"
                )
        for name in ("tol", "eps"):
            value = getattr(self, name)
            if not positive(value) or value < SMALLEST_SQUARABLE:
                raise ValueError(
                    f"{name} must be a finite number of at least {SMALLEST_SQUARABLE}, "
                    f"got {value!r}"
                )
        for name, least in (("warmup", 0), ("patience", 1), ("max_iter", 1)):
            require_integer(name, getattr(self, name), least)
        for name, choices in (("stop", STOP_RULES), ("lam_scale", LAM_SCALES)):
            require_one_of(name, getattr(self, name), choices)
        require_one_of("outliers", self.outliers, OUTLIERS)
        for name in ("exclude_self", "merge", "record_path", "tree"):
            require_boolean(name, getattr(self, name))
        number_of_threads(self.n_jobs)
        if self.n_clusters is not None:
            require_integer("n_clusters", self.n_clusters, least=1)
        if self.time_budget is not None and not positive(self.time_budget):
            raise ValueError(
                f"time_budget must be a positive number of seconds or None, got "
                f"{self.time_budget!r}"
            )
        if not is_robust(self.standardize) and not isinstance(self.standardize, bool | np.bool_):
            raise ValueError(
                f"standardize must be True, False or 'robust', got {self.standardize!r}"
            )
        if not is_auto(self.join) and not isinstance(self.join, bool | np.bool_):
            raise ValueError(f"join must be True, False or 'auto', got {self.join!r}")
        object.__setattr__(self, "indicators", checked_groups(self.indicators))
        generator(self.random_state)
        require_landmarks(self.landmarks)
        if isinstance(self.init, str):
            require_one_of("init", self.init, STARTS)
        else:  # as a tuple, so that settings can be compared
            object.__setattr__(self, "init", checked_weights(self.init))

    @classmethod
    def of(cls, params: dict) -> Settings:
        """Return the settings among the parameters of a `WBMS`."""
        return cls(**{field.name: params[field.name] for field in fields(cls)})

    # What is "auto", and on which scale lam is given

    @property
    def is_auto(self) -> bool:
        """Whether h or lam is to be chosen from the data."""
        return is_auto(self.h) or is_auto(self.lam)

    def given(self, n_rows: float) -> tuple[list | None, list | None]:
        """Return the values of h and lam (mean scale) to keep; None where the data decide."""
        h = None if is_auto(self.h) else [float(self.h)]
        lam = None if is_auto(self.lam) else [float(self.lam) / self.lam_unit(n_rows)]
        return h, lam

    def resolved(self, choice, n_rows: float) -> Settings:
        """Return settings in which nothing is "auto", as the data or the defaults decide.

        Parameters
        ----------
        choice : Selection or None
            What the data have decided; its lam is on the mean scale.
        n_rows : int or float
            What the weights of the rows, if there are any, sum up to.
        """
        h = choice.h if is_auto(self.h) else self.h
        lam = choice.lam * self.lam_unit(n_rows) if is_auto(self.lam) else self.lam
        init = self.init if choice is None else choice.init
        join = self.join if not is_auto(self.join) else choice is not None and choice.join
        return replace(self, h=float(h), lam=float(lam), init=init, join=bool(join))

    def lam_unit(self, n_rows: float) -> float:
        """Return what lam on the mean scale is multiplied by to be on the scale of `lam_scale`."""
        return n_rows if self.lam_scale == "sum" else 1

    def lam_sum(self, n_rows: float) -> float:
        """Return lam on the scale of the sum over rows."""
        lam = float(self.lam)
        return lam * n_rows if self.lam_scale == "mean" else lam

    def for_candidates(self, max_iter: int) -> Settings:
        """Return the settings of the many short fits of a search: one thread, mean scale."""
        return replace(
            self, lam_scale="mean", max_iter=min(self.max_iter, max_iter), n_jobs=1,
            record_path=False, tree=False,
        )  # fmt: skip

    def for_columns(self, chosen) -> Settings:
        """Return the settings of a fit of some of the columns only, given as a mask."""
        init = self.init if isinstance(self.init, str) else np.asarray(self.init)[chosen]
        return replace(self.in_columns(chosen), init=init)

    def in_columns(self, chosen) -> Settings:
        """Return settings whose indicators are positions among some of the columns."""
        if not self.indicators:
            return self
        return replace(self, indicators=of_columns(self.indicators, chosen))

    def seeded(self) -> Settings:
        """Return settings whose `random_state` is a number: each use of it draws the same."""
        if isinstance(self.random_state, Integral):
            return self
        return replace(self, random_state=int(generator(self.random_state).integers(2**31)))

    def n_landmarks(self, shape) -> int | None:
        """Return how many rows of a table of this shape are landmarks; None: all are fitted."""
        return number_of_landmarks(self.landmarks, shape, self.tree, self.record_path)

    # What follows for the loop

    @property
    def phases(self) -> tuple[Phase, Phase]:
        """The warm-up, which only learns the weights, and the main phase, which may stop."""
        return Phase("warmup", self.warmup, False), Phase("main", self.max_iter, True)

    @property
    def merge_radius(self) -> float:
        """Distance below which points are merged."""
        return MERGED * self.eps

    @property
    def coarse_radius(self) -> float:
        """Distance at which the partition is watched."""
        return COARSE * self.eps

    @property
    def settles_two_cycles(self) -> bool:
        """Whether rows that swap places for ever are put at their midpoint."""
        return self.exclude_self and self.stop != "fixed"

    @property
    def n_threads(self) -> int:
        """Number of threads that `n_jobs` asks for."""
        return number_of_threads(self.n_jobs)

    @property
    def least_recorded(self) -> int:
        """Number of iterations whose points are certain to be recorded."""
        if not self.record_path:
            return 0
        return self.max_iter if self.stop == "fixed" else self.patience


def checked_weights(init) -> tuple[float, ...]:
    """Return numbers that can be feature weights, as they were given."""
    try:
        weights = np.asarray(init, dtype=float)
    except (TypeError, ValueError):
        weights = np.empty((0, 0))
    if weights.ndim != 1 or not weights.size:
        raise ValueError(
            f"init must be one of {', '.join(map(repr, STARTS))}, or one number per column, "
            f"got {init!r}"
        )
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ValueError("init must hold finite numbers >= 0, not all of them 0")
    return tuple(weights.tolist())


def is_auto(value) -> bool:
    """Tell whether a parameter is left to the data."""
    return isinstance(value, str) and value == AUTO


def says_stop(answer) -> bool:
    """Tell whether a callback has returned True (and not just something that is not None)."""
    return isinstance(answer, bool | np.bool_) and bool(answer)
