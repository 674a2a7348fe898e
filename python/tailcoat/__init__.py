"""Private convex models from heavy-tailed data.

Estimators in the manner of scikit-learn that are differentially private from nothing but a budget: no bounds, norms or
clipping thresholds have to be known. ``epsilon`` and ``delta`` are for one fit; every further fit on the same rows
spends as much again.

>>> import numpy as np, tailcoat
>>> rng = np.random.default_rng(0)
>>> X = rng.standard_normal((5000, 3))
>>> y = X @ [1.0, -2.0, 0.5] + rng.standard_t(3, 5000)
>>> model = tailcoat.PrivateLinearRegression(epsilon=1, random_state=0, insecure_random_state=True).fit(X, y)
>>> bool(np.abs(model.coef_ - [1.0, -2.0, 0.5]).max() < 0.2)
True
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

from tailcoat import _core
from tailcoat._errors import (
    BudgetExceeded,
    DataError,
    PreconditionFailed,
    PrivacyWarning,
    SystemFailure,
    TailcoatError,
    UsageError,
)

if _TYPE_CHECKING:
    from tailcoat._estimators import (
        PrivateHuberRegressor,
        PrivateLinearRegression,
        PrivateLinearSVC,
        PrivateLogisticRegression,
        PrivatePoissonRegressor,
        PrivateQuantileRegressor,
    )
    from tailcoat._functions import Solution, account, ball, box, intersection, minimize, plan, simplex
    from tailcoat._mean import PrivateMean
    from tailcoat._nonprivate import NonprivateSolution, nonprivate_high_probability_sco
    from tailcoat._plots import plot_budget, plot_coefficients, plot_error_against_epsilon
    from tailcoat._report import LoadedModel, Report, load_model, report, save_model

__version__: str = _core.__version__

# What is imported when it is first used: scikit-learn alone takes longer to import than all the rest.
_MODULES = {
    "_estimators": "PrivateLinearRegression PrivateHuberRegressor PrivateQuantileRegressor PrivatePoissonRegressor "
    "PrivateLogisticRegression PrivateLinearSVC",
    "_mean": "PrivateMean",
    "_functions": "plan account minimize Solution ball box simplex intersection",
    "_nonprivate": "nonprivate_high_probability_sco NonprivateSolution",
    "_report": "report Report LoadedModel load_model save_model",
    "_plots": "plot_coefficients plot_budget plot_error_against_epsilon",
}
_LAZY = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = [  # spelt out, for type checkers
    "BudgetExceeded",
    "DataError",
    "PreconditionFailed",
    "PrivacyWarning",
    "SystemFailure",
    "TailcoatError",
    "UsageError",
    "PrivateLinearRegression",
    "PrivateHuberRegressor",
    "PrivateQuantileRegressor",
    "PrivatePoissonRegressor",
    "PrivateLogisticRegression",
    "PrivateLinearSVC",
    "PrivateMean",
    "plan",
    "account",
    "minimize",
    "Solution",
    "nonprivate_high_probability_sco",
    "NonprivateSolution",
    "ball",
    "box",
    "simplex",
    "intersection",
    "report",
    "Report",
    "LoadedModel",
    "load_model",
    "save_model",
    "plot_coefficients",
    "plot_budget",
    "plot_error_against_epsilon",
]


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module 'tailcoat' has no attribute {name!r}")
    value = getattr(_import_module(f"tailcoat.{_LAZY[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
