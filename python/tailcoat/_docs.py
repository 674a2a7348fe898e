"""The parts of docstrings that the estimators share."""

from __future__ import annotations

from typing import TypeVar

_BUDGET = """Parameters
    ----------
    epsilon : float
        Bound on the privacy loss of one fit. There is no default: what it may be is for you to say. Each fit on the
        same rows spends as much again, and so does each fold of a cross-validation.
    delta : float, optional
        Probability with which the bound may fail; well below 1/n. 1e-6 if not given and, for an algorithm with a
        theorem, at most 1/(10 n), as in `tailcoat.plan`. 0 is pure epsilon-DP, for the algorithm "known-lipschitz".
    algorithm : str, default="adaptive"
        Or one that `tailcoat.plan` lists; its theorem then bounds the risk, and there are no standard errors.
    constants : str, default="tight"
        Of an algorithm with a theorem; "paper": the text's parameters.
    theory : dict, optional
        What such a theorem needs: "moments": (k, G2, Gk) and "diameter", and if wanted "smoothness",
        "strong_convexity", "failure_probability", "max_passes" and "fit_intercept"; see `tailcoat.plan`. Moments and
        diameter are those of the features as they are fitted (standardised, where bounds, scales or public rows say
        how) plus the constant 1 of the intercept, unless "fit_intercept" is False."""

_RUN = """confidence : float, default=0.95
        Of the intervals.
    threads : int, default=0
        How many; 0: one per core. They do not change the result.
    progress : callable or bool, optional
        Called with (done, total) now and then, counts that tell nothing of the rows; True: a progress bar of tqdm.
    random_state : int, optional
        A seed for the noise, for tests only: the result is then not private. Refused unless ``insecure_random_state``.
    insecure_random_state : bool, default=False
        Says that you know that."""

_COLUMNS = """bounds : dict, optional
        Columns and their (low, high), where that is public knowledge. It saves budget.
    scales : dict, optional
        Columns and their (centre, spread), where that is public knowledge.
    public_rows : like X, optional
        Rows that are public, such as last year's: what they say of the columns need not be paid for.
    categorical : list or dict, optional
        Columns that hold texts. A dict gives their levels, where those are public; otherwise (and for the value None)
        the frequent ones are found, at a price.
    missing_indicators : list, optional
        Columns whose missing cells say something: each gets a coefficient for that.
    straight : bool, default=False
        One slope for each number column, and no curve. Otherwise a column that is seen to bend has two slopes, below
        and above its middle, and predictions may have a curve.
    diagnose : bool, default=False
        Also release how well the model fits, for the report: residuals, or chances against what happened."""

_TARGET_BOUNDS = """target_bounds : (low, high), optional
        Of the target, where that is public knowledge. It saves budget."""

_CLASSES = """classes : sequence, optional
        The classes there can be, where that is public. Otherwise the frequent ones are found, at a price."""

_ATTRIBUTES = """Attributes
    ----------
    coef_ : array
        The slope of each number column of X, in its own units, then the coefficients of further terms; 0 where a term
        was left out. Of a classifier one row per class, or one row for two classes.
    terms_ : list of str
        What each coefficient is of: "age", "age below 38", "age beyond 90", "debt is not 0", "city=Graz",
        "city is other".
    intercept_ : float or array
    std_err_, intercept_std_err_ : like coef_, intercept_
        Standard errors: sampling and privacy noise together. NaN where a term was left out: how far its 0 is off is not
        known. 0 for the reference level of a text column, whose coefficient is 0 by definition.
    intervals_, intercept_interval_ : the same with a last axis of (low, high)
        Confidence intervals. NaN where a term was left out.
    curve_ : (knot, below, above) or None
        Coefficients are averages then: they count `below` times where they add up to less than the knot, `above` times
        where they add up to more.
    privacy_ : dict
        What was released, by which mechanism, at what price; as ``privacy`` of ``tailcoat fit --json``.
    certified_ : (bound, failure probability, trivial) or None
        Of the excess risk, of an algorithm with a theorem. If trivial is True the theorem promises no less than all
        coefficients 0 have without data, and the bound is theirs.
    notes_ : list of str
        What one should know: what was found, chosen, left out.
    model_ : Model
        The model as the command line has it: ``to_json``."""

_PARTS = {
    "{parameters}": f"{_BUDGET}\n    {_COLUMNS}\n    {_RUN}",
    "{mean_parameters}": f"{_BUDGET}\n    {_TARGET_BOUNDS}\n    {_RUN}",
    "{regressor_parameters}": _TARGET_BOUNDS,
    "{classifier_parameters}": _CLASSES,
    "{attributes}": _ATTRIBUTES,
}

T = TypeVar("T")


def documented(cls: type[T]) -> type[T]:
    """Puts the shared parts into the class's docstring."""
    for name, text in _PARTS.items():
        if cls.__doc__:
            cls.__doc__ = cls.__doc__.replace(name, text)
    return cls
