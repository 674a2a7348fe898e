"""Pictures of a fit with matplotlib, where that is installed."""

from __future__ import annotations

from typing import Any

import numpy as np

from tailcoat._errors import UsageError


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise UsageError("plots need the package matplotlib; install it") from None
    return plt.subplots(layout="constrained")[1]


def plot_coefficients(model: Any, ax: Any = None) -> Any:
    """The coefficients of a fitted estimator with their confidence intervals.

    Parameters
    ----------
    model : fitted estimator
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib, numpy as np, tailcoat
    >>> matplotlib.use("Agg")
    >>> X = np.random.default_rng(0).normal(size=(1000, 2))
    >>> model = tailcoat.PrivateLinearRegression(epsilon=1, random_state=0, insecure_random_state=True).fit(X, X[:, 0])
    >>> tailcoat.plot_coefficients(model).get_xlabel()
    'coefficient, with its 95% interval'
    """
    if not hasattr(model, "intervals_"):
        raise UsageError(f"{type(model).__name__} has no coefficients; call fit first")
    ax = _axes(ax)
    coefficients, intervals = np.atleast_2d(model.coef_), model.intervals_.reshape(-1, len(model.terms_), 2)
    rows = np.arange(len(model.terms_))[::-1]
    for part, (values, ends) in enumerate(zip(coefficients, intervals)):
        label = str(model.classes_[part]) if len(coefficients) > 1 else None
        values = np.where(np.isnan(ends).any(axis=1), np.nan, values)  # left out of the model, and of the picture
        errors = np.clip(np.stack([values - ends[:, 0], ends[:, 1] - values]), 0, None)
        errors[~np.isfinite(errors)] = 0
        ax.errorbar(values, rows - 0.1 * part, xerr=errors, fmt="o", capsize=3, label=label)
    ax.axvline(0, color="grey", linewidth=0.8)
    ax.set_yticks(rows, model.terms_)
    ax.set_xlabel(f"coefficient, with its {model.model_.confidence:.0%} interval")
    if len(coefficients) > 1:
        ax.legend()
    return ax


def plot_budget(model: Any, ax: Any = None) -> Any:
    """What the privacy budget of a fit was spent on: the share of each kind of release in mu squared.

    Parameters
    ----------
    model : fitted estimator or Solution
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib, numpy as np, tailcoat
    >>> matplotlib.use("Agg")
    >>> X = np.random.default_rng(0).normal(size=(1000, 2))
    >>> model = tailcoat.PrivateLinearRegression(epsilon=1, random_state=0, insecure_random_state=True).fit(X, X[:, 0])
    >>> tailcoat.plot_budget(model).get_xlabel()
    'share of the Gaussian budget'
    """
    receipt = getattr(model, "privacy_", None) or getattr(model, "privacy", None)
    if receipt is None:
        raise UsageError(f"{type(model).__name__} has no receipt; call fit first")
    ax = _axes(ax)
    shares: dict[str, float] = {}
    for line in receipt["releases"]:
        what = line["what"].split(",")[0]
        shares[what] = shares.get(what, 0.0) + line.get("mu", 0.0) ** 2
    total = sum(shares.values()) or 1.0
    ax.barh(list(shares)[::-1], [share / total for share in shares.values()][::-1])
    ax.set_xlabel("share of the Gaussian budget")
    ax.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    return ax


def plot_error_against_epsilon(model: Any, ax: Any = None) -> Any:
    """The predicted error of a fit at other budgets, relative to the one it had.

    Parameters
    ----------
    model : fitted estimator
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib, numpy as np, tailcoat
    >>> matplotlib.use("Agg")
    >>> X = np.random.default_rng(0).normal(size=(1000, 2))
    >>> model = tailcoat.PrivateLinearRegression(epsilon=1, random_state=0, insecure_random_state=True).fit(X, X[:, 0])
    >>> tailcoat.plot_error_against_epsilon(model).get_xlabel()
    'epsilon'
    """
    points = getattr(getattr(model, "model_", None), "error_against_epsilon", None)
    if not points:
        raise UsageError(f"{type(model).__name__} has no forecast at other budgets")
    ax = _axes(ax)
    ax.loglog(*zip(*points), marker="o")
    ax.set_xlabel("epsilon")
    ax.set_ylabel("standard error, relative to this fit's")
    return ax
