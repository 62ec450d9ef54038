"""Estimators from pickles of older versions, which lack the parameters added since."""

import inspect


class OlderPicklesMixin:
    """A scikit-learn estimator whose pickles stay readable when parameters are added."""

    def __setstate__(self, state):
        """Take the state; parameters that it does not know have their defaults."""
        parameters = inspect.signature(type(self).__init__).parameters.values()
        defaults = {
            item.name: item.default for item in parameters if item.default is not item.empty
        }
        super().__setstate__({**defaults, **state})
