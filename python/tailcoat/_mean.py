"""The mean of a column: an estimator without features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from tailcoat import _core, _data
from tailcoat._base import PrivateModel, Theory, all_or_nothing, keep
from tailcoat._docs import documented
from tailcoat._errors import UsageError
from tailcoat._parameters import Progress

if TYPE_CHECKING:
    from typing_extensions import Self


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
    straight = diagnose = False
    _loss = "squared"

    def __init__(
        self, *, epsilon: float | None = None, delta: float | None = None, algorithm: str = "adaptive",
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

    @all_or_nothing
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
        if y is None or isinstance(y, str):
            y, name = self._column(X, y)
        else:
            check_consistent_length(np.empty(self._rows(X, True)), y)
            name = _data.target_name(y, [])
        numbers = self._numbers(y)
        self._schema_ = _data.Schema([])
        self._fit(_rows_alone(len(numbers)), name, numbers, target_bounds=self.target_bounds)
        with self._spending():
            estimates = self.model_.estimates()
            self.mean_, self.std_err_ = (float(estimates[what][1][0]) for what in ("value", "standard_error"))
            self.interval_ = np.array([estimates[end][1][0] for end in ("low", "high")])
        return self

    def _rows(self, X: Any, reset: bool) -> int:
        """How many; what is in a frame does not matter."""
        if _data.is_pandas(X):
            validate_data(self, X, skip_check_array=True, reset=reset)
        return len(X if _data.is_pandas(X) or _data.is_arrow(X) else self._check_array(X, reset))

    def _column(self, X: Any, name: str | None) -> tuple[Any, str]:
        """The column of that name, or the only one, and its name."""
        if _data.is_arrow(X):
            data = _core.Data.of_arrow(X, [] if name is None else [name], [], None)
            return data.column(0), _only(data.names)
        if _data.is_pandas(X):
            validate_data(self, X, skip_check_array=True, reset=True)
            label = _only(list(X.columns)) if name is None else name
            if label in X.columns:
                return X[label], str(label)
        if name is not None:
            raise UsageError(f"y = {name!r} is no column of X; pass the numbers or the name of a column")
        X = _data.by_cell(X)
        if getattr(X, "ndim", 1) == 1:
            return X, _data.target_name(X, [])
        X = self._check_array(X, True)
        _only(range(self.n_features_in_))
        return X[:, 0], "y"

    def predict(self, X: Any) -> np.ndarray:
        """The mean, once for each row of X."""
        check_is_fitted(self)
        return self.model_.predict(_rows_alone(self._rows(X, False)))


def _only(columns: Sequence[Any]) -> Any:
    if len(columns) == 1:
        return columns[0]
    raise UsageError(
        f"PrivateMean releases one mean, X has {len(columns)} columns and requires y to be passed, but the target y is "
        f"None; pass one column at a time, each is a release of its own"
    )


def _rows_alone(rows: int) -> _core.Data:
    """So many rows without columns."""
    return _core.Data.of_array(np.empty((rows, 0)), [], [])
