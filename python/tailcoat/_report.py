"""Models on disk, reports and pictures of a fit: all made from released numbers, so that they cost no privacy."""

from __future__ import annotations

import datetime
import html
import os
from pathlib import Path
from typing import Any

import numpy as np

from tailcoat import _core, _data
from tailcoat._errors import UsageError


class Report:
    """A fit as an HTML page that explains model, accuracy and privacy; a notebook shows it.

    Attributes
    ----------
    html : str
        The page: self-contained, without scripts.
    """

    def __init__(self, page: str) -> None:
        self.html = page

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file."""
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        # In a frame of its own, so that its style and the notebook's leave each other alone.
        page = html.escape(self.html, quote=True)
        style = "width:100%;height:40em;border:0"
        return f'<iframe srcdoc="{page}" style="{style}" title="report of a private fit"></iframe>'


def _model_of(model: Any) -> _core.Model:
    """Of an estimator, of a model that was loaded, or the model itself."""
    found = getattr(model, "model_", model)
    if not isinstance(found, _core.Model):
        raise UsageError(
            f"{type(model).__name__} is not fitted, or no model of tailcoat; call fit first, and of a "
            f"pipeline or a search pass the estimator itself: pipeline[-1], search.best_estimator_"
        )
    return found


def report(model: Any, *, data_name: str = "data", command: str = "", date: str | None = None) -> Report:
    """The report of a fitted estimator.

    Parameters
    ----------
    model : fitted estimator
    data_name : str, default="data"
        What the data is called in the report.
    command : str, optional
        That makes this fit again.
    date : str, optional
        As it is to be printed; today if not given.

    Returns
    -------
    Report

    Examples
    --------
    >>> import numpy as np, tailcoat
    >>> model = tailcoat.PrivateMean(epsilon=1, random_state=0, insecure_random_state=True).fit(
    ...     np.random.default_rng(0).normal(size=1000))
    >>> tailcoat.report(model, data_name="measurements").html.startswith("<!DOCTYPE html>")
    True
    """
    when = datetime.date.today().isoformat() if date is None else date
    return Report(_model_of(model).report(data_name, command or f"{model!r}.fit({data_name})", when))


class LoadedModel:
    """A model from a file: it predicts, it cannot be fitted.

    Attributes
    ----------
    model_ : Model
    privacy_ : dict
        What its fit released at what price.
    classes_ : list of str
        Of a classifier; otherwise empty.
    """

    def __init__(self, model: _core.Model) -> None:
        self.model_ = model
        self.privacy_: dict[str, Any] = model.privacy
        self.classes_: list[str] = model.classes

    def __repr__(self) -> str:
        return f"LoadedModel({self.model_.loss!r}, target={self.model_.target!r}, rows={self.model_.rows})"

    def _read(self, X: Any) -> _core.Data:
        columns = {column: kind == "level" for _, column, kind in self.model_.terms}
        if self.model_.exposure:
            columns[self.model_.exposure] = False
        names = list(columns)
        texts: dict[str, list[str]] = {name: [] for name, text in columns.items() if text}
        if not names:  # a constant
            return _core.Data.of_array(np.empty((len(X), 0)), [], [])
        if _data.is_arrow(X):
            return _core.Data.of_arrow(X, names, list(texts), None)
        if not _data.is_pandas(X):
            raise UsageError(f"a model from a file needs named columns: a DataFrame or an Arrow table with {names}")
        if absent := [name for name in names if name not in X.columns]:
            raise UsageError(f"the data lacks the columns {absent}")
        return _data.read_pandas(X[names], names, texts, False)[0]

    def predict(self, X: Any) -> np.ndarray:
        """Numbers or, of a classifier, classes."""
        values = self.model_.predict(self._read(X))
        return np.array(self.classes_)[values.astype(np.intp)] if self.classes_ else values

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, in the order of ``classes_``."""
        return self.model_.probabilities(self._read(X))


def load_model(path: str | os.PathLike[str]) -> LoadedModel:
    """A model from a file of `save_model` or of ``tailcoat fit --model``.

    Examples
    --------
    >>> import numpy as np, pandas as pd, tailcoat, tempfile, os
    >>> frame = pd.DataFrame({"a": np.random.default_rng(0).normal(size=1000)})
    >>> path = os.path.join(tempfile.mkdtemp(), "model.json")
    >>> model = tailcoat.PrivateLinearRegression(epsilon=1, random_state=0, insecure_random_state=True)
    >>> model = model.fit(frame, 2 * frame.a)
    >>> tailcoat.save_model(model, path)
    >>> bool((tailcoat.load_model(path).predict(frame) == model.predict(frame)).all())
    True
    """
    return LoadedModel(_core.Model.of_json(Path(path).read_text(encoding="utf-8")))


def save_model(model: Any, path: str | os.PathLike[str]) -> None:
    """Write the model of a fitted estimator to a file (docs/model.md), for `load_model` or ``tailcoat predict``.

    Examples
    --------
    >>> import numpy as np, pathlib, tailcoat, tempfile
    >>> model = tailcoat.PrivateMean(epsilon=1, random_state=0, insecure_random_state=True).fit(np.arange(1000.0))
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.json"
    >>> tailcoat.save_model(model, path)
    >>> tailcoat.load_model(path)
    LoadedModel('squared', target='y', rows=1000)
    """
    Path(path).write_text(_model_of(model).to_json(), encoding="utf-8")
