"""Weights of rows give the same numbers in R as in Python, to the last bit."""

import textwrap

import numpy as np
import pytest
import rsession
from rexchange import Exchange, same_bits
from rsession import made_once

from pywbms import WBMS, datasets
from pywbms.select import select

# fixtures
r_library = rsession.r_library

rng = np.random.default_rng(0)
X = datasets.data1(0)[0].to_numpy()[::2, :5]
NEW = rng.normal(size=(30, 5))
WEIGHTS = {
    "whole": rng.integers(0, 4, size=len(X)).astype(float),
    "real": rng.exponential(2.0, size=len(X)),
    "shares": rng.dirichlet(np.ones(len(X))),
}
FORMS = {
    "default": {"h": 0.1, "lam": 0.05},
    "released": {"h": 0.1, "lam": 5.0},
    "paper": {"h": 0.1, "lam": 0.5},
}


@pytest.fixture(scope="session")
def from_r(r_library, tmp_path_factory):
    """What one R session found for all weights and forms."""

    def make(folder):
        exchange = Exchange(folder)
        code = [textwrap.dedent(Exchange.IN_R), "options(warn = -1)"]
        code += [f"x <- {exchange.put(X, 'x')}", f"new <- {exchange.put(NEW, 'new')}"]
        for name, weights in WEIGHTS.items():
            code.append(f"w <- {exchange.put(weights[:, None], name)}[, 1]")
            for form, params in FORMS.items():
                given = f"h = {params['h']}, lambda = {params['lam']}"
                code.append(f'fit <- wbms(x, {given}, weights = w, form = "{form}", max_iter = 30)')
                code.append(f'put(unclass(fit), "{name}-{form}")')
                code.append(f'put(predict(fit, new), "{name}-{form}-predicted")')
                for kind in ("prob", "distance"):
                    code.append(f'put(predict(fit, new, "{kind}"), "{name}-{form}-{kind}")')
                code.append(f'put(membership(fit), "{name}-{form}-membership")')
                code.append(f'put(outlier_score(fit, new), "{name}-{form}-score")')
            code.append("choice <- wbms_select(x, h = c(0.1, 0.3), lambda = 0.05, weights = w)")
            code.append(f'put(choice$grid$screened, "{name}-screened")')
        rsession.run_r(r_library, "\n".join(code), folder)

    return Exchange(made_once(tmp_path_factory, "row-weights", make))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", WEIGHTS)
def test_fits_and_predictions(name, form, from_r):
    make = {"default": WBMS, "released": WBMS.released, "paper": WBMS.paper}[form]
    model = make(**FORMS[form]).set_params(max_iter=30).fit(X, sample_weight=WEIGHTS[name])
    fit = f"{name}-{form}-"
    same_bits(from_r[fit + "cluster"], model.labels_ + 1)
    same_bits(from_r[fit + "modes"], model.modes_)
    same_bits(from_r[fit + "weights"], model.feature_weights_)
    same_bits(from_r[fit + "centers"], model.cluster_centers_)
    same_bits(from_r[fit + "row_weights"], WEIGHTS[name])
    same_bits(from_r[fit + "predicted"], model.predict(NEW) + 1)
    same_bits(from_r[fit + "prob"], model.predict_proba(NEW))
    same_bits(from_r[fit + "distance"], model.transform(NEW))
    same_bits(from_r[fit + "membership"], model.membership_)
    same_bits(from_r[fit + "score"], model.outlier_score(NEW))


@pytest.mark.parametrize("name", WEIGHTS)
def test_selections(name, from_r):
    choice = select(X, [0.1, 0.3], 0.05, sample_weight=WEIGHTS[name])
    same_bits(from_r[f"{name}-screened"], choice.table["screened"].to_numpy())
