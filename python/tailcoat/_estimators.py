"""Estimators in the manner of scikit-learn over the adaptive fit of the library (tailcoat/estimators/adaptive.md)."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d, validate_data

from tailcoat import _core, _data
from tailcoat._base import ByColumn, PrivateModel, Theory, keep
from tailcoat._docs import documented
from tailcoat._errors import UsageError
from tailcoat._parameters import Progress

if TYPE_CHECKING:
    from typing_extensions import Self


class _PrivateRegressor(RegressorMixin, PrivateModel):
    target_bounds: tuple[float, float] | None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit privately; spends epsilon and delta.

        Parameters
        ----------
        X : array, pandas DataFrame, or anything with the Arrow C stream protocol, of n rows
            Must not change while the fit runs. NaN and null cells are missing.
        y : array of n numbers, or str
            The target, or the name of its column in a frame X. NaN: missing; such a row contributes nothing.

        Returns
        -------
        self
        """
        data, target, values = self._read_with_target(X, y)
        self._fit(data, target, self._numbers(values), target_bounds=self.target_bounds, exposure=self._exposure())
        self._set_coefficients()
        for name in ("coef_", "std_err_", "intervals_", "intercept_interval_"):
            setattr(self, name, getattr(self, name)[0])
        self.intercept_, self.intercept_std_err_ = float(self.intercept_[0]), float(self.intercept_std_err_[0])
        return self

    def _exposure(self) -> list[Any]:
        return []

    def predict(self, X: Any) -> np.ndarray:
        """What the model says of each row. Predictions are computed from the rows and are as sensitive as they are."""
        data = self._data_to_predict(X)
        return self.model_.predict(data)


@documented
class PrivateLinearRegression(_PrivateRegressor):
    """Linear regression by least squares, differentially private.

    {parameters}
    {regressor_parameters}

    {attributes}

    Examples
    --------
    >>> import numpy as np
    >>> from tailcoat import PrivateLinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((5000, 2))
    >>> y = 3 * X[:, 0] - X[:, 1] + rng.standard_t(3, 5000)
    >>> model = PrivateLinearRegression(epsilon=1, random_state=0,
    ...     insecure_random_state=True)  # for this example only: seeded noise is not private
    >>> model = model.fit(X, y)
    >>> model.coef_.round(1)
    array([ 3., -1.])
    >>> model.privacy_["budget"]["epsilon"]
    1.0
    """

    def __init__(
        self, *, epsilon: float | None = None, delta: float = 1e-6, algorithm: str = "adaptive",
        constants: str = "tight", theory: Theory = None, bounds: ByColumn = None, scales: ByColumn = None,
        public_rows: Any = None, target_bounds: tuple[float, float] | None = None, categorical: Any = None,
        missing_indicators: Any = None, confidence: float = 0.95, diagnose: bool = False, threads: int = 0,
        progress: Progress = None, random_state: int | None = None, insecure_random_state: bool = False,
    ) -> None:  # fmt: skip
        keep(self, locals())

    def _loss(self) -> str:
        return "squared"


@documented
class PrivateHuberRegressor(_PrivateRegressor):
    """Linear regression by Huber's loss, which outliers of the target move little, differentially private.

    {parameters}
    threshold : float, default=1.345
        Residuals count linearly beyond so many times their scale, which is found privately.
    {regressor_parameters}

    {attributes}

    Examples
    --------
    >>> import numpy as np
    >>> from tailcoat import PrivateHuberRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((5000, 2))
    >>> y = 3 * X[:, 0] - X[:, 1] + rng.standard_cauchy(5000)
    >>> model = PrivateHuberRegressor(epsilon=1, random_state=0,
    ...     insecure_random_state=True)  # for this example only: seeded noise is not private
    >>> model = model.fit(X, y)
    >>> bool(abs(model.coef_[0] - 3) < 1)
    True
    """

    threshold: float

    def __init__(
        self, *, epsilon: float | None = None, delta: float = 1e-6, threshold: float = 1.345,
        algorithm: str = "adaptive", constants: str = "tight", theory: Theory = None, bounds: ByColumn = None,
        scales: ByColumn = None, public_rows: Any = None, target_bounds: tuple[float, float] | None = None,
        categorical: Any = None, missing_indicators: Any = None, confidence: float = 0.95, diagnose: bool = False,
        threads: int = 0, progress: Progress = None, random_state: int | None = None,
        insecure_random_state: bool = False,
    ) -> None:  # fmt: skip
        keep(self, locals())

    def _loss(self) -> str:
        return f"huber:{float(self.threshold)!r}"


@documented
class PrivateQuantileRegressor(_PrivateRegressor):
    """Linear regression of a quantile, differentially private.

    {parameters}
    quantile : float, default=0.5
        Between 0 and 1; 0.5 is the median.
    {regressor_parameters}

    {attributes}

    Examples
    --------
    >>> import numpy as np
    >>> from tailcoat import PrivateQuantileRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((20000, 1))
    >>> y = X[:, 0] + rng.standard_normal(20000)
    >>> model = PrivateQuantileRegressor(epsilon=1, quantile=0.9, random_state=0,
    ...     insecure_random_state=True)  # for this example only: seeded noise is not private
    >>> model = model.fit(X, y)
    >>> bool(0.8 < np.mean(y < model.predict(X)) < 0.97)
    True
    """

    quantile: float

    def __init__(
        self, *, epsilon: float | None = None, delta: float = 1e-6, quantile: float = 0.5,
        algorithm: str = "adaptive", constants: str = "tight", theory: Theory = None, bounds: ByColumn = None,
        scales: ByColumn = None, public_rows: Any = None, target_bounds: tuple[float, float] | None = None,
        categorical: Any = None, missing_indicators: Any = None, confidence: float = 0.95, diagnose: bool = False,
        threads: int = 0, progress: Progress = None, random_state: int | None = None,
        insecure_random_state: bool = False,
    ) -> None:  # fmt: skip
        keep(self, locals())

    def _loss(self) -> str:
        return f"quantile:{float(self.quantile)!r}"


@documented
class PrivatePoissonRegressor(_PrivateRegressor):
    """Poisson regression of counts with a logarithmic link, differentially private.

    {parameters}
    exposure : column of X, optional
        Name, or position, of the column that multiplies the rate. It is no feature, and predictions need it, too.
    {regressor_parameters}

    {attributes}

    Examples
    --------
    >>> import numpy as np
    >>> from tailcoat import PrivatePoissonRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((20000, 2))
    >>> y = rng.poisson(np.exp(0.5 * X[:, 0]))
    >>> model = PrivatePoissonRegressor(epsilon=1, random_state=0,
    ...     insecure_random_state=True)  # for this example only: seeded noise is not private
    >>> model = model.fit(X, y)
    >>> bool(abs(model.coef_[0] - 0.5) < 0.2)
    True
    """

    exposure: Any

    def __init__(
        self, *, epsilon: float | None = None, delta: float = 1e-6, exposure: Any = None,
        algorithm: str = "adaptive", constants: str = "tight", theory: Theory = None, bounds: ByColumn = None,
        scales: ByColumn = None, public_rows: Any = None, target_bounds: tuple[float, float] | None = None,
        categorical: Any = None, missing_indicators: Any = None, confidence: float = 0.95, diagnose: bool = False,
        threads: int = 0, progress: Progress = None, random_state: int | None = None,
        insecure_random_state: bool = False,
    ) -> None:  # fmt: skip
        keep(self, locals())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags

    def _loss(self) -> str:
        return "poisson"

    def _exposure(self) -> list[Any]:
        return [] if self.exposure is None else [self.exposure]


class _PrivateClassifier(ClassifierMixin, PrivateModel):
    classes: Sequence[Any] | None
    classes_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit privately; spends epsilon and delta.

        Parameters
        ----------
        X : array, pandas DataFrame, or anything with the Arrow C stream protocol, of n rows
            Must not change while the fit runs. NaN and null cells are missing.
        y : array of n labels, or str
            The classes, or the name of their column in a frame X. None or NaN: missing; such a row contributes nothing.

        Returns
        -------
        self
        """
        data, target, values = self._read_with_target(X, y)
        codes, labels, given = self._encode(values)
        texts = _data.texts_of(labels.tolist())
        classes = [] if given is None else _data.texts_of(given.tolist())
        self._fit(data, target, codes, texts, classes=classes)
        known = dict(zip(texts, labels.tolist())) if given is None else dict(zip(classes, given.tolist()))
        chosen = [known[text] for text in self.model_.classes]
        # The type of y may say how a single cell is written; that of the classes that were found says nothing more.
        found = np.array([_data.canonical(label) for label in chosen]) if given is None else np.array(chosen, given.dtype)
        order = np.argsort(found) if given is None else np.arange(len(found))
        self.classes_ = found[order]
        self._of_model_ = order  # place in the model of each class
        self._sign_ = -1.0 if len(found) == 2 and order[0] == 1 else 1.0
        self._set_coefficients(order if len(found) > 2 else None, self._sign_)
        return self

    def _encode(self, y: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Places in labels, the labels there are, and the classes if they are public."""
        given = self.classes
        values = column_or_1d(np.array(y, dtype=object) if isinstance(y, (list, tuple)) else y, warn=True)
        codes, labels = _data.encode(values)
        if labels.dtype.kind != "O":
            with warnings.catch_warnings():  # how many labels there are is data
                warnings.simplefilter("ignore", UserWarning)
                check_classification_targets(labels)
        return codes, labels, None if given is None else np.asarray(given)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row. Predictions are computed from the rows and are as sensitive as they are."""
        data = self._data_to_predict(X)
        place = np.empty(len(self._of_model_), dtype=np.intp)
        place[self._of_model_] = np.arange(len(place))
        return self.classes_[place[self.model_.predict(data).astype(np.intp)]]

    def decision_function(self, X: Any) -> np.ndarray:
        """Margins: of ``classes_[1]`` if there are two classes, otherwise one column for each class."""
        data = self._data_to_predict(X)
        margins = self.model_.margins(data)
        return self._sign_ * margins[:, 0] if margins.shape[1] == 1 else margins[:, self._of_model_]


@documented
class PrivateLogisticRegression(_PrivateClassifier):
    """Logistic regression, differentially private; more than two classes one against the rest.

    {parameters}
    {classifier_parameters}

    {attributes}
    classes_ : array
        The classes, sorted if they were found, otherwise as they were given.

    Examples
    --------
    >>> import numpy as np
    >>> from tailcoat import PrivateLogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((5000, 2))
    >>> y = np.where(X[:, 0] + rng.logistic(size=5000) > 0, "yes", "no")
    >>> model = PrivateLogisticRegression(epsilon=1, classes=["no", "yes"], random_state=0,
    ...     insecure_random_state=True)  # for this example only: seeded noise is not private
    >>> model = model.fit(X, y)
    >>> model.predict_proba(X).shape
    (5000, 2)
    """

    def __init__(
        self, *, epsilon: float | None = None, delta: float = 1e-6, classes: Sequence[Any] | None = None,
        algorithm: str = "adaptive", constants: str = "tight", theory: Theory = None, bounds: ByColumn = None,
        scales: ByColumn = None, public_rows: Any = None, categorical: Any = None, missing_indicators: Any = None,
        confidence: float = 0.95, diagnose: bool = False, threads: int = 0, progress: Progress = None,
        random_state: int | None = None, insecure_random_state: bool = False,
    ) -> None:  # fmt: skip
        keep(self, locals())

    def _loss(self) -> str:
        return "logistic"

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, in the order of ``classes_``."""
        data = self._data_to_predict(X)
        return self.model_.probabilities(data)[:, self._of_model_]

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Its logarithm."""
        logarithms: np.ndarray = np.log(self.predict_proba(X))
        return logarithms


@documented
class PrivateLinearSVC(_PrivateClassifier):
    """Linear classifier by the hinge loss, differentially private; more than two classes one against the rest.

    {parameters}
    {classifier_parameters}

    {attributes}
    classes_ : array
        The classes, sorted if they were found, otherwise as they were given.

    Examples
    --------
    >>> import numpy as np
    >>> from tailcoat import PrivateLinearSVC
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((5000, 2))
    >>> y = X[:, 0] + 0.3 * rng.standard_normal(5000) > 0
    >>> model = PrivateLinearSVC(epsilon=1, random_state=0,
    ...     insecure_random_state=True)  # for this example only: seeded noise is not private
    >>> model = model.fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    def __init__(
        self, *, epsilon: float | None = None, delta: float = 1e-6, classes: Sequence[Any] | None = None,
        algorithm: str = "adaptive", constants: str = "tight", theory: Theory = None, bounds: ByColumn = None,
        scales: ByColumn = None, public_rows: Any = None, categorical: Any = None, missing_indicators: Any = None,
        confidence: float = 0.95, diagnose: bool = False, threads: int = 0, progress: Progress = None,
        random_state: int | None = None, insecure_random_state: bool = False,
    ) -> None:  # fmt: skip
        keep(self, locals())

    def _loss(self) -> str:
        return "hinge"


@documented
class PrivateMean(RegressorMixin, PrivateModel):
    """The mean of one column of numbers, differentially private.

    {mean_parameters}

    Attributes
    ----------
    mean_ : float
        The released mean.
    std_err_ : float
        Its standard error: sampling and privacy noise together.
    interval_ : array of two numbers
        Its confidence interval.
    privacy_ : dict
        The receipt: what was released at what price.
    model_ : Model
        The constant model as the command line has it, with ``to_json``.

    Examples
    --------
    >>> import numpy as np
    >>> from tailcoat import PrivateMean
    >>> wages = np.random.default_rng(0).lognormal(size=20000)
    >>> model = PrivateMean(epsilon=1, random_state=0,
    ...     insecure_random_state=True)  # for this example only: seeded noise is not private
    >>> model = model.fit(wages)
    >>> bool(abs(model.mean_ - wages.mean()) < 0.2)
    True
    """

    target_bounds: tuple[float, float] | None
    bounds = scales = public_rows = categorical = missing_indicators = None
    diagnose = False

    def __init__(
        self, *, epsilon: float | None = None, delta: float = 1e-6, algorithm: str = "adaptive",
        constants: str = "tight", theory: Theory = None, target_bounds: tuple[float, float] | None = None,
        confidence: float = 0.95, threads: int = 0, progress: Progress = None, random_state: int | None = None,
        insecure_random_state: bool = False,
    ) -> None:  # fmt: skip
        keep(self, locals())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # it is a constant
        tags.target_tags.required = False
        return tags

    def _loss(self) -> str:
        return "squared"

    def fit(self, X: Any, y: Any = None) -> Self:
        """Release the mean of y or, without y, of X; spends epsilon and delta.

        Parameters
        ----------
        X : array of n numbers, or n rows of which only the number counts if there is a y
        y : array of n numbers, or str, optional
            The numbers, or the name of their column in a frame X. NaN: missing; it contributes nothing.

        Returns
        -------
        self
        """
        if isinstance(y, str):
            y, name = self._column(X, y), y
        else:
            name = _data.target_name(X if y is None else y, [])
        if y is not None:
            check_consistent_length(np.empty(self._rows(X, True)), y)
        elif np.ndim(X) != 1:
            self._rows(X, True)
            if self.n_features_in_ != 1:
                raise UsageError(
                    f"PrivateMean releases one mean, X has {self.n_features_in_} columns and requires y to be passed, "
                    f"but the target y is None; pass one column at a time, each is a release of its own"
                )
        numbers = self._numbers(np.ravel(X) if y is None else y)
        self._schema_ = _data.Schema([])
        self._fit(_rows_alone(len(numbers)), name, numbers, target_bounds=self.target_bounds)
        estimates = self.model_.estimates()
        self.mean_, self.std_err_ = (float(estimates[what][1][0]) for what in ("value", "standard_error"))
        self.interval_ = np.array([estimates[end][1][0] for end in ("low", "high")])
        return self

    def _rows(self, X: Any, reset: bool) -> int:
        """How many; what is in a frame does not matter."""
        if not _data.is_pandas(X) and not _data.is_arrow(X):
            return len(self._check_array(X, reset))
        validate_data(self, X, skip_check_array=True, reset=reset)
        return len(X)

    def _column(self, X: Any, name: str) -> np.ndarray:
        try:
            return np.asarray(X[name])
        except Exception as error:  # each kind of frame has its own
            raise UsageError(f"y = {name!r} is no column of X; pass the numbers or the name of a column") from error

    def predict(self, X: Any) -> np.ndarray:
        """The mean, once for each row of X."""
        check_is_fitted(self)
        return self.model_.predict(_rows_alone(self._rows(X, False)))


def _rows_alone(rows: int) -> _core.Data:
    """So many rows without columns."""
    return _core.Data.of_array(np.empty((rows, 0)), [], [])
