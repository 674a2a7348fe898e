"""Estimators in the manner of scikit-learn over the adaptive fit of the library (tailcoat/estimators/adaptive.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import column_or_1d

from tailcoat import _data
from tailcoat._base import ByColumn, PrivateModel, Theory, all_or_nothing, keep
from tailcoat._docs import documented
from tailcoat._errors import DataError
from tailcoat._parameters import Progress, listed

if TYPE_CHECKING:
    from typing_extensions import Self

Classes = Optional[Union[Sequence[Any], np.ndarray]]


class _PrivateRegressor(RegressorMixin, PrivateModel):
    target_bounds: tuple[float, float] | None

    @all_or_nothing
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
        self._fit(data, target, self._numbers(values), target_bounds=self.target_bounds)
        with self._spending():
            self._set_coefficients()
            for name in ("coef_", "std_err_", "intervals_", "intercept_interval_"):
                setattr(self, name, getattr(self, name)[0])
            self.intercept_, self.intercept_std_err_ = float(self.intercept_[0]), float(self.intercept_std_err_[0])
        return self

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
    >>> model.privacy_["epsilon"]
    1.0
    """

    _loss = "squared"

    def __init__(
        self, *, epsilon: float | None = None, delta: float | None = None, algorithm: str = "adaptive",
        constants: str = "tight", theory: Theory = None, bounds: ByColumn = None, scales: ByColumn = None,
        public_rows: Any = None, target_bounds: tuple[float, float] | None = None, categorical: Any = None,
        missing_indicators: Any = None, confidence: float = 0.95, straight: bool = False, diagnose: bool = False,
        threads: int = 0, progress: Progress = None, random_state: int | None = None,
        insecure_random_state: bool = False,
    ) -> None:  # fmt: skip
        keep(self, locals())


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
    _loss = "huber:{0.threshold}"

    def __init__(
        self, *, epsilon: float | None = None, delta: float | None = None, threshold: float = 1.345,
        algorithm: str = "adaptive", constants: str = "tight", theory: Theory = None, bounds: ByColumn = None,
        scales: ByColumn = None, public_rows: Any = None, target_bounds: tuple[float, float] | None = None,
        categorical: Any = None, missing_indicators: Any = None, confidence: float = 0.95, straight: bool = False,
        diagnose: bool = False, threads: int = 0, progress: Progress = None, random_state: int | None = None,
        insecure_random_state: bool = False,
    ) -> None:  # fmt: skip
        keep(self, locals())


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
    _loss = "quantile:{0.quantile}"

    def __init__(
        self, *, epsilon: float | None = None, delta: float | None = None, quantile: float = 0.5,
        algorithm: str = "adaptive", constants: str = "tight", theory: Theory = None, bounds: ByColumn = None,
        scales: ByColumn = None, public_rows: Any = None, target_bounds: tuple[float, float] | None = None,
        categorical: Any = None, missing_indicators: Any = None, confidence: float = 0.95, straight: bool = False,
        diagnose: bool = False, threads: int = 0, progress: Progress = None, random_state: int | None = None,
        insecure_random_state: bool = False,
    ) -> None:  # fmt: skip
        keep(self, locals())


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
    _loss = "poisson"

    def __init__(
        self, *, epsilon: float | None = None, delta: float | None = None, exposure: Any = None,
        algorithm: str = "adaptive", constants: str = "tight", theory: Theory = None, bounds: ByColumn = None,
        scales: ByColumn = None, public_rows: Any = None, target_bounds: tuple[float, float] | None = None,
        categorical: Any = None, missing_indicators: Any = None, confidence: float = 0.95, straight: bool = False,
        diagnose: bool = False, threads: int = 0, progress: Progress = None, random_state: int | None = None,
        insecure_random_state: bool = False,
    ) -> None:  # fmt: skip
        keep(self, locals())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags


class _PrivateClassifier(ClassifierMixin, PrivateModel):
    classes: Classes
    classes_: np.ndarray

    @all_or_nothing
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
        try:
            self._fit(data, target, codes, texts, classes)
        except DataError as error:  # what is no class is known after a private look at y, and not before
            if error.spent is not None:
                error.args = (f"Unknown label type: {error}",)
            raise
        with self._spending():
            known = dict(zip(texts, labels.tolist())) if given is None else dict(zip(classes, given.tolist()))
            chosen = [known[text] for text in self.model_.classes]
            # The type of y may say how a single cell is written; that of the classes that were found says nothing more.
            canonical = [_data.canonical(label) for label in chosen]
            found = np.array(canonical) if given is None else np.array(chosen, given.dtype)
            order = np.argsort(found) if given is None else np.arange(len(found))
            self.classes_ = found[order]
            self._of_model_ = order  # place in the model of each class
            self._sign_ = -1.0 if len(found) == 2 and order[0] == 1 else 1.0
            self._set_coefficients(order if len(found) > 2 else None, self._sign_)
        return self

    def _encode(self, y: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Places in labels, the labels there are, and the classes if they are public."""
        given = None if self.classes is None else np.array(list(listed(self.classes, "classes")))
        values = column_or_1d(_data.cells_of(y), warn=True)
        codes, labels = _data.encode(values)
        return codes, labels, given

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

    _loss = "logistic"

    def __init__(
        self, *, epsilon: float | None = None, delta: float | None = None, classes: Classes = None,
        algorithm: str = "adaptive", constants: str = "tight", theory: Theory = None, bounds: ByColumn = None,
        scales: ByColumn = None, public_rows: Any = None, categorical: Any = None, missing_indicators: Any = None,
        confidence: float = 0.95, straight: bool = False, diagnose: bool = False, threads: int = 0,
        progress: Progress = None, random_state: int | None = None, insecure_random_state: bool = False,
    ) -> None:  # fmt: skip
        keep(self, locals())

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

    _loss = "hinge"

    def __init__(
        self, *, epsilon: float | None = None, delta: float | None = None, classes: Classes = None,
        algorithm: str = "adaptive", constants: str = "tight", theory: Theory = None, bounds: ByColumn = None,
        scales: ByColumn = None, public_rows: Any = None, categorical: Any = None, missing_indicators: Any = None,
        confidence: float = 0.95, straight: bool = False, diagnose: bool = False, threads: int = 0,
        progress: Progress = None, random_state: int | None = None, insecure_random_state: bool = False,
    ) -> None:  # fmt: skip
        keep(self, locals())
