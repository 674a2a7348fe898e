"""What the estimators share: parameters, the reading of data, the fit, and what is kept of it. The fit itself, and
whatever draws noise, is C++.
"""

from __future__ import annotations

import functools
import warnings
from typing import Any, Callable, Mapping, Optional, TypeVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, check_is_fitted, column_or_1d, validate_data

from tailcoat import _core, _data
from tailcoat._errors import DataError, PrivacyWarning, UsageError, counted_as_spent, tell_spent
from tailcoat._parameters import (
    Progress,
    count_of,
    listed,
    moments_of,
    number_of,
    numbers_of,
    progress_of,
    seed_of,
    text_of,
)

ByColumn = Optional[Mapping[Any, Any]]  # by name or position
Theory = Optional[Mapping[str, Any]]

_THEORY = {"smoothness": np.inf, "strong_convexity": 0.0, "failure_probability": 0.0, "max_passes": 1000.0}
_USUAL_DELTA = 1e-6


def keep(estimator: BaseEstimator, parameters: dict[str, Any]) -> None:
    """Sets the parameters of a constructor, given its locals(), as attributes: as they are, as scikit-learn wants."""
    for name, value in parameters.items():
        if name not in ("self", "__class__"):
            setattr(estimator, name, value)


_Fit = TypeVar("_Fit", bound=Callable[..., Any])


def all_or_nothing(fit: _Fit) -> _Fit:
    """A fit that fails leaves the estimator as it was: no columns of new data beside an older model."""

    @functools.wraps(fit)
    def whole(self: PrivateModel, *data: Any, **named: Any) -> Any:
        if named.pop("sample_weight", None) is not None:
            raise TypeError(
                f"{type(self).__name__}.fit takes no sample_weight: privacy rests on every row counting the same. "
                f"Leave it out; where rows stand for more or less time or volume, PrivatePoissonRegressor has exposure; "
                f"tailcoat.minimize takes a gradient with weights of your own"
            )
        before = self.__dict__.copy()
        try:
            return fit(self, *data, **named)
        except BaseException as error:
            if self.__dict__.get("model_") is not before.get("model_") and not hasattr(error, "spent"):
                tell_spent(error, *self._spent_budget)
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    return whole  # type: ignore[return-value]


class PrivateModel(BaseEstimator):
    """Base of all estimators."""

    epsilon: float | None
    delta: float | None
    algorithm: str
    constants: str
    theory: Theory
    bounds: ByColumn
    scales: ByColumn
    public_rows: Any
    categorical: Any
    missing_indicators: Any
    confidence: float
    straight: bool
    diagnose: bool
    threads: int
    progress: Progress
    random_state: int | None
    insecure_random_state: bool
    _loss: str  # as the command line writes it, with parameters to fill in

    model_: _core.Model
    privacy_: dict[str, Any]
    intercept_: Any  # a number or one per class
    std_err_: Any
    intercept_std_err_: Any
    _schema_: _data.Schema
    _spent_budget: tuple[float, float]
    _target_column_: str | None = None  # of the frame of the fit; predictions take frames that still have it

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        tags.non_deterministic = not self.insecure_random_state
        return tags

    # Reading

    def _read(self, X: Any, *, reset: bool) -> _core.Data:
        """X as columns of the library. In a fit (`reset`) what is public of them is kept for predictions."""
        if _data.is_arrow(X):
            return self._read_arrow(X, reset=reset)
        data, schema = self._read_pandas(X, reset) if _data.is_pandas(X) else self._read_array(X, reset)
        if reset:
            self._schema_ = schema
        return data

    def _read_pandas(self, X: Any, reset: bool) -> tuple[_core.Data, _data.Schema]:
        if not reset and self._target_column_ is not None and self._target_column_ in X.columns:
            X = X.drop(columns=[self._target_column_])
        validate_data(self, X, skip_check_array=True, reset=reset)
        if len(X) < 1 + reset or X.shape[1] == 0:  # says what is wrong
            check_array(np.empty(X.shape), ensure_min_samples=1 + reset, estimator=self)
        labels = list(X.columns)
        names = _data.texts_of(labels) if reset else self._schema_.names
        return _data.read_pandas(X, names, self._levels_to_read(labels, names, reset), reset)

    def _read_array(self, X: Any, reset: bool) -> tuple[_core.Data, _data.Schema]:
        if self.categorical is not None and not hasattr(X, "toarray"):
            X = np.asarray(_data.by_cell(X))
        if self.categorical is not None and getattr(X, "ndim", 0) == 2 and X.dtype.kind in "OUS":
            validate_data(self, X, skip_check_array=True, reset=reset)
        else:
            X = self._check_array(X, reset)
        names = [f"x{j}" for j in range(X.shape[1])] if reset else self._schema_.names
        return _data.read_array(X, names, self._levels_to_read(names, names, reset))

    def _check_array(self, X: Any, reset: bool) -> np.ndarray:
        if hasattr(type(X), "collect"):
            raise UsageError(f"X is a {type(X).__name__}, which has no rows yet; pass X.collect()")
        checked: np.ndarray = validate_data(
            self,
            _data.by_cell(X),
            dtype=_data.FLOATS,
            order="C",
            ensure_all_finite="allow-nan",
            ensure_min_samples=2 if reset else 1,
            reset=reset,
        )
        return checked

    def _read_arrow(self, X: Any, *, reset: bool, apart: str | None = None) -> _core.Data:
        levels = _data.arrow_levels(X, self.categorical) if reset else self._schema_.levels
        data = _core.Data.of_arrow(X, [] if reset else self._schema_.names, list(levels), apart)
        if reset:
            if data.rows < 2:
                raise DataError(f"{data.rows} rows; a fit needs two at least. (A stream can be read only once.)")
            self._schema_ = _data.Schema(data.names, _data.named(levels, data.names, data.names, "categorical"))
            self.n_features_in_ = len(data.names)
            self.feature_names_in_ = np.array(data.names, dtype=object)
        return data

    def _levels_to_read(self, labels: list[Any], names: list[str], reset: bool) -> dict[str, list[str]]:
        if not reset:
            return self._schema_.levels
        return _data.named(_data.parse_categorical(self.categorical), labels, names, "categorical")

    def _read_with_target(self, X: Any, y: Any) -> tuple[_core.Data, str, Any]:
        """X, and the target as its name and values. A y that is a text is a column of the frame X."""
        if y is None:
            raise UsageError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        self._target_column_ = y if isinstance(y, str) else None
        if isinstance(y, str):
            if _data.is_arrow(X):
                data = self._read_arrow(X, reset=True, apart=y)
                return data, y, _data.apart_values(data)
            if not _data.is_pandas(X) or y not in X.columns:
                raise UsageError(f"y = {y!r} is no column of X; pass the values of the target or the name of a column")
            X, y = X.drop(columns=[y]), X[y]
        data = self._read(X, reset=True)
        return data, _data.target_name(y, self._schema_.names), y

    # Fitting

    def _fit(
        self,
        data: _core.Data,
        target: str,
        y: np.ndarray,
        labels: list[str] | None = None,
        classes: list[str] | None = None,
        target_bounds: Any = None,
    ) -> None:
        """Fits and keeps the model. `labels` and, if they are public, `classes`: of a classifier."""
        epsilon, delta = self._budget(data.rows)
        bounds = self._pairs("bounds", "low, high")
        if target_bounds is not None:
            bounds[target] = numbers_of(target_bounds, "target_bounds", "low, high")
        exposure = getattr(self, "exposure", None)
        arguments: dict[str, Any] = dict(
            target=target,
            y=y,
            labels=labels,
            loss=self._loss.format(self),
            epsilon=epsilon,
            delta=delta,
            levels=self._schema_.levels if labels is None else {**self._schema_.levels, target: classes or []},
            bounds=bounds,
            scales=self._pairs("scales", "centre, spread"),
            public_rows=self._read_public(None if labels is not None else target),
            missing_indicators=list(self._named(self.missing_indicators, "missing_indicators")),
            exposure="".join(self._named(None if exposure is None else [exposure], "exposure")),
            confidence=number_of(self.confidence, "confidence"),
            straight=bool(self.straight),
            diagnose=bool(self.diagnose),
            algorithm=text_of(self.algorithm, "algorithm"),
            theory=self._theory(),
            seed=seed_of(self.random_state, self.insecure_random_state),
            threads=count_of(self.threads, "threads"),
            progress=progress_of(self.progress),
        )
        with counted_as_spent(epsilon, delta):
            self.model_ = _core.fit(data, **arguments)
        self.privacy_ = self.model_.privacy
        self.certified_ = self.model_.certified
        self.notes_ = self.model_.notes

    def _named(self, columns: Any, option: str) -> dict[str, Any]:
        """What is said of columns, by their names."""
        names = self._schema_.names
        given = () if columns is None else listed(columns, option)
        return _data.named(given, list(getattr(self, "feature_names_in_", names)), names, option)

    def _pairs(self, option: str, of: str) -> dict[str, Any]:
        given = getattr(self, option)
        if not isinstance(given, (Mapping, type(None))):
            raise UsageError(f"{option} = {given!r} must be a dict: for each column that it is about ({of})")
        return {name: numbers_of(pair, f"{option}[{name!r}]", of) for name, pair in self._named(given, option).items()}

    def _spending(self) -> Any:
        """Around whatever follows the first release."""
        return counted_as_spent(*self._spent_budget)

    def _budget(self, rows: int) -> tuple[float, float]:
        if self.epsilon is None:
            raise UsageError("give epsilon, the bound on the privacy loss of this fit; there is no default for it")
        usual = _USUAL_DELTA if self.algorithm == "adaptive" else _core.default_delta(rows)
        epsilon = number_of(self.epsilon, "epsilon")
        delta = usual if self.delta is None else number_of(self.delta, "delta")
        self._spent_budget = epsilon, delta
        if delta * rows > 1:
            warnings.warn(
                f"delta = {delta} is above 1 / rows = {1 / rows:.3g}; publishing a whole row at random would be "
                f"allowed by it",
                PrivacyWarning,
                stacklevel=4,
            )
        return epsilon, delta

    def _theory(self) -> dict[str, Any] | None:
        """What the algorithm's theorem needs, as the library takes it; None for the adaptive fit."""
        for option in ("straight", "diagnose"):
            if self.algorithm != "adaptive" and getattr(self, option):
                raise UsageError(f"{option}=True is for the algorithm 'adaptive'")
        if self.algorithm == "adaptive":
            if self.theory is not None or self.constants != "tight":
                raise UsageError("theory and constants are for an algorithm with a theorem; 'adaptive' needs neither")
            return None
        given = {**_THEORY, **(self.theory or {})}
        if unknown := given.keys() - {*_THEORY, "moments", "diameter", "fit_intercept"}:
            raise UsageError(
                f"theory has {sorted(unknown)}; it takes moments, diameter, {', '.join(_THEORY)}, fit_intercept"
            )
        if "moments" not in given or "diameter" not in given:
            raise UsageError(
                f"algorithm = {self.algorithm!r} has a theorem that needs "
                f"theory={{'moments': (k, G2, Gk), 'diameter': D}}; see tailcoat.plan"
            )
        moments = moments_of(given["moments"], "theory['moments']")
        numbers = {name: number_of(given[name], f"theory[{name!r}]") for name in ("diameter", *_THEORY)}
        return {
            "moments": moments,
            **numbers,
            "fit_intercept": bool(given.get("fit_intercept", True)),
            "constants": text_of(self.constants, "constants"),
        }

    def _read_public(self, target: str | None) -> _core.Data | None:
        """The columns of the public rows that the fit has, too."""
        X = self.public_rows
        if X is None:
            return None
        texts: dict[str, list[str]] = {name: [] for name in self._schema_.levels}
        if _data.is_arrow(X):
            return _core.Data.of_arrow(X, [], list(texts), None)
        if not _data.is_pandas(X):
            X = check_array(X, dtype=np.float64, order="C", ensure_all_finite="allow-nan", input_name="public_rows")
            if X.shape[1] != len(self._schema_.names):
                raise UsageError(f"public_rows have the shape {X.shape}, not (rows, {len(self._schema_.names)}) as X")
            return _data.read_array(X, self._schema_.names, {})[0]
        wanted = {*self._schema_.names, target}
        places = [place for place, label in enumerate(X.columns) if str(label) in wanted]
        if not places:
            raise UsageError("public_rows have none of the columns of the fit")
        names = [str(X.columns[place]) for place in places]
        used = {name: levels for name, levels in texts.items() if name in names}
        return _data.read_pandas(X.iloc[:, places], names, used, False)[0]

    def _numbers(self, y: Any) -> np.ndarray:
        hint = "for classes use PrivateLogisticRegression or PrivateLinearSVC"
        values = _data.as_numbers(column_or_1d(_data.by_cell(y), warn=True), "y", hint)
        if np.isinf(values).any():
            raise DataError("Input y contains infinity; a target is finite, or NaN where it is missing")
        return values

    def _set_coefficients(self, order: Any = None, sign: float = 1.0) -> None:
        """coef_ and the like, one row per part of the model: the slope of each number column, then all other terms.
        `order` of the parts; a `sign` of -1 turns the two classes of a single part round."""
        terms = self.model_.terms
        place = {column: j for j, (_, column, kind) in enumerate(terms) if kind in ("number", "below")}
        texts = {*self._schema_.levels, self.model_.exposure}
        slopes = [name for name in self._schema_.names if name not in texts]
        others = [j for j in range(len(terms)) if j not in place.values()]
        self.terms_ = [terms[place[name]][0] if name in place else name for name in slopes]
        self.terms_ += [terms[j][0] for j in others]
        self.curve_ = self.model_.curve
        estimates = self.model_.estimates()

        def arranged(what: str, absent: float) -> tuple[np.ndarray, np.ndarray]:
            coefficients, intercepts = (part[slice(None) if order is None else order] for part in estimates[what])
            nothing = np.full(len(coefficients), absent)
            columns = [coefficients[:, place[name]] if name in place else nothing for name in slopes]
            columns += [coefficients[:, j] for j in others]
            return np.stack(columns, axis=1) if columns else np.empty((len(coefficients), 0)), intercepts

        self.coef_, self.intercept_ = (sign * part for part in arranged("value", 0.0))
        self.std_err_, self.intercept_std_err_ = arranged("standard_error", np.nan)
        ends = [arranged("low", np.nan), arranged("high", np.nan)][:: int(sign)]
        self.intervals_, self.intercept_interval_ = (sign * np.stack(pair, axis=-1) for pair in zip(*ends))

    # Predicting

    def _data_to_predict(self, X: Any) -> _core.Data:
        check_is_fitted(self)
        return self._read(X, reset=False)
