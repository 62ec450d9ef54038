"""How to get a result again: versions, parameters, and code in Python and R."""

import platform

import numpy as np
import pandas as pd
import scipy
import sklearn

from pywbms._engine.settings import is_auto
from pywbms._report.markup import escaped, table
from pywbms._version import __version__
from pywbms.estimator import WBMS

# Parameters that do not change a result.
INDIFFERENT = {"n_jobs", "verbose", "callback", "record_path", "tree"}
# R's names of parameters.
IN_R = {
    "lam": "lambda", "lam_scale": "lambda_scale", "n_clusters": "k", "na_action": "na.action",
    "random_state": "seed",
}  # fmt: skip
MOST_NUMBERS = 20


def reproduce_section(result):
    """Return versions, parameters and code as HTML."""
    versions = {
        "pywbms": __version__, "Python": platform.python_version(), "numpy": np.__version__,
        "scipy": scipy.__version__, "pandas": pd.__version__, "scikit-learn": sklearn.__version__,
    }  # fmt: skip
    given = parameters(result)
    rows = [(name, as_text(value)) for name, value in given.items()]
    used = [("h", repr(result.h)), ("lam", repr(result.lam)), ("iterations", str(result.n_iter))]
    return "".join(
        [
            "<h3>In Python</h3>", code(python_code(result)),
            "<h3>In R</h3>", code(r_code(result)),
            "<p>Both give the same numbers, whatever the number of threads and the order of the "
            "rows.</p>",
            table("Parameters that were given, where they differ from the defaults",
                  ("Parameter", "Value"), rows or [("none", "–")]),
            table("What the fit used", ("Quantity", "Value"), used),
            table("Versions", ("Software", "Version"), versions.items()),
        ]
    )  # fmt: skip


def parameters(result):
    """Return the parameters of a result that differ from the defaults."""
    defaults = WBMS().get_params(deep=False)
    model = result.estimator.get_params(deep=False)
    given = {
        name: value
        for name, value in model.items()
        if name not in INDIFFERENT and not same(value, defaults[name])
    }
    if isinstance(model["random_state"], np.random.Generator):  # no code makes it again
        given.pop("random_state", None)
    if result._encoding is not None and result._encoding.levels:
        given.pop("indicators", None)
        given["categories"] = "indicators"
    if result._na_action != "raise":
        given["na_action"] = result._na_action
    return given


def same(value, default):
    """Tell whether a parameter has its default value."""
    return type(value) is type(default) and bool(np.all(value == default))


def code(text):
    """Return code as HTML."""
    return f'<pre tabindex="0"><code>{escaped(text)}</code></pre>'


def as_text(value):
    """Return a value as code; long lists are cut."""
    value = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    if isinstance(value, list | tuple) and len(value) > MOST_NUMBERS:
        return f"({len(value)} numbers)"
    return repr(value)


def python_code(result):
    """Return code that makes the same result in Python."""
    arguments = [f"{name}={as_text(value)}" for name, value in parameters(result).items()]
    if result.row_weights is not None:
        arguments.append("weights=weights")
    lines = [
        "import pandas as pd",
        "from pywbms import wbms",
        "",
        'data = pd.read_csv("data.csv")  # your table, with the columns that were clustered',
        f"result = wbms({', '.join(['data', *arguments])})",
    ]
    if searched(result):
        lines += [
            "# h and lam were chosen; the same clusters without the search:",
            f"again = wbms({', '.join(['data', *fixed(result)])})",
        ]
    lines.append('result.report("report.html")')
    return "\n".join(lines)


def r_code(result):
    """Return code that makes the same result in R."""
    given = parameters(result).items()
    arguments = [
        "na.action = na.omit"
        if name == "na_action" and value == "omit"
        else f"{IN_R.get(name, name)} = {in_r(value)}"
        for name, value in given
    ]
    if result.row_weights is not None:
        arguments.append("weights = weights")
    lines = [
        "library(wbms)",
        "",
        'data <- read.csv("data.csv", check.names = FALSE)',
        "fit <- wbms(" + ", ".join(["data", *arguments]) + ")",
        'wbms_report(fit, "report.html")',
    ]
    return "\n".join(lines)


def searched(result):
    """Tell whether h or lam was chosen, and can be given instead to get the same clusters."""
    return is_auto(result.estimator.h) or is_auto(result.estimator.lam)


def fixed(result):
    """Return the arguments that give the same clusters without a search."""
    model = result.estimator
    given = {name: v for name, v in parameters(result).items() if name not in ("h", "lam")}
    given |= {"h": result.h, "lam": result.lam}
    if model.choice_ is not None:
        init = model.init_.tolist()
        even = len(set(init)) <= 1
        given["init"] = "uniform" if even else tuple(init)
        given["join"] = bool(model.choice_.join)
    texts = {name: as_text(value) for name, value in given.items()}
    if texts.get("init", "").endswith("numbers)"):
        texts["init"] = "result.estimator.init_"
    return [f"{name}={text}" for name, text in texts.items()]


def in_r(value):
    r"""Return a value as R code.

    Examples
    --------
    >>> in_r(True), in_r((1.0, 2.0)), in_r('say "a"'), in_r(3)
    ('TRUE', 'c(1.0, 2.0)', '"say \\"a\\""', '3L')
    """
    value = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, list | tuple):
        if len(value) > MOST_NUMBERS:
            return f"c(...)  # {len(value)} numbers"
        return "c(" + ", ".join(map(in_r, value)) + ")"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f"{value}L" if isinstance(value, int) else repr(value)
