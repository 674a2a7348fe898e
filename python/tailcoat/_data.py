"""Data of users as columns of the library: arrays and pandas frames here, Arrow streams in C++.

What a column is, numbers or texts, is decided by its declared type and by what the user says, never by its cells: the
guess itself would tell something about them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Hashable, Iterable, Mapping, Sequence

import numpy as np

from tailcoat import _core
from tailcoat._errors import DataError, UsageError
from tailcoat._parameters import listed

FLOATS = (np.float64, np.float32)
_BLOCK = 1 << 16
_DATES = "make numbers of them, such as days since a date: (X[column] - pd.Timestamp('2026-01-01')).dt.days"


@dataclass
class Schema:
    """What is public of the columns of a fit.

    Attributes
    ----------
    names : list of str
        In the order of the features.
    levels : dict of str to list of str
        The text columns and their levels; an empty list where the levels are found privately.
    """

    names: list[str]
    levels: dict[str, list[str]] = field(default_factory=dict)


def is_pandas(X: Any) -> bool:
    return type(X).__module__.partition(".")[0] == "pandas" and hasattr(X, "dtypes") and hasattr(X, "columns")


def is_arrow(X: Any) -> bool:
    """A frame with Arrow's protocol; single columns (Series, ChunkedArray) have it, too."""
    single = hasattr(type(X), "to_frame") or hasattr(type(X), "chunks")
    return hasattr(X, "__arrow_c_stream__") and not is_pandas(X) and not single


def canonical(value: Any) -> Any:
    """A truth value, a number or a text, made of the value alone: how one row is written must not change what others
    are called. Python's own equality would not do: values that are equal may be written differently."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    # As a double, which all numbers are where one cell is missing.
    if isinstance(value, (int, float, np.integer, np.floating, Decimal, Fraction)):
        number = float(value)
        return int(number) if number.is_integer() else number
    return str(value).encode("utf-8", "backslashreplace").decode()


def texts_of(values: Iterable[Any]) -> list[str]:
    return [str(canonical(value)) for value in values]


def by_cell(values: Any) -> Any:
    """A list as an array of its cells; NumPy would guess a type that depends on all of them."""
    return np.array(values, dtype=object) if isinstance(values, (list, tuple)) else values


def cells_of(labels: Any) -> Any:
    """Labels cell by cell: of a type that NumPy lacks it would make one that depends on whether a cell is missing."""
    dtype = getattr(labels, "dtype", None)
    if dtype is None or isinstance(dtype, np.dtype) or getattr(dtype, "kind", "O") in "iuf":
        return by_cell(labels)
    return np.asarray(labels, dtype=object)


def parse_categorical(categorical: Any) -> dict[Any, list[str]]:
    """Text columns and their levels, which are found privately where the list is empty."""
    if categorical is None:
        return {}
    if not isinstance(categorical, Mapping):
        return {key: [] for key in listed(categorical, "categorical")}
    return {
        key: [] if levels is None else texts_of(listed(levels, f"categorical[{key!r}]"))
        for key, levels in categorical.items()
    }


def named(columns: Any, labels: Sequence[Any], names: Sequence[str], option: str) -> dict[str, Any]:
    """What is said of columns in a dict (or nothing, in a list), by name; they are given by label or by position."""
    places = {label: place for place, label in enumerate(labels)}
    found = {}
    for key in columns:
        place = places.get(key) if isinstance(key, Hashable) else None
        if place is None and isinstance(key, (int, np.integer)) and 0 <= key < len(names):
            place = int(key)
        if place is None:
            shown = ", ".join(map(repr, labels[:20])) + (", ..." if len(labels) > 20 else "")
            raise UsageError(f"{option} names column {key!r:.99}, which is not there; there are {shown}")
        found[names[place]] = columns[key] if isinstance(columns, Mapping) else None
    return found


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def _encode_objects(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    places: dict[tuple[bool, Any], int] = {}  # True is not 1 here

    def place(value: Any) -> int:
        return places.setdefault((isinstance(value, bool), value), len(places))

    try:
        codes = np.fromiter(
            (np.nan if _is_missing(v) else place(canonical(v)) for v in values), float, len(values)
        )
        order = sorted((value for _, value in places))
    except (TypeError, ValueError, OverflowError):
        raise DataError("the cells are of types that do not compare, such as numbers and texts") from None
    ranks = {(isinstance(value, bool), value): rank for rank, value in enumerate(order)}
    rank = np.array([*(ranks[key] for key in places), np.nan])
    for part in _blocks(codes):
        part[:] = rank[np.where(np.isnan(part), len(order), part).astype(np.intp)]
    distinct = np.empty(len(order), dtype=object)
    distinct[:] = order
    return codes, distinct


def _blocks(values: np.ndarray) -> list[np.ndarray]:
    """Views of some rows each: what is made of one of them needs no memory worth mentioning."""
    return [values[begin : begin + _BLOCK] for begin in range(0, len(values), _BLOCK)]


def encode(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places in the distinct values, which are sorted; missing cells (None and what differs from itself) are NaN."""
    if values.dtype.kind == "O":
        return _encode_objects(values)
    parts = _blocks(values)
    distinct = np.unique(np.concatenate([values[:0], *(np.unique(part[part == part]) for part in parts)]))
    codes = np.empty(len(values))
    for into, part in zip(_blocks(codes), parts):
        into[:] = np.where(part == part, np.searchsorted(distinct, part), np.nan)
    return codes, distinct


def _encode_pandas(column: Any) -> tuple[np.ndarray, list[str]]:
    import pandas as pd

    if column.dtype == object:
        codes, values = _encode_objects(column.to_numpy())
        return codes, texts_of(values)
    codes, distinct = pd.factorize(column)
    numbers = codes.astype(np.float64)
    numbers[codes < 0] = np.nan
    return numbers, texts_of(distinct)


def _number_column(name: str, column: Any) -> np.ndarray:
    kind = getattr(column.dtype, "kind", "O")
    if kind in "mM":
        raise DataError(f"column {name!r} holds dates or times ({column.dtype}); {_DATES}, or drop it")
    if kind not in "biuf" and not str(column.dtype).startswith("decimal"):
        raise DataError(
            f"column {name!r} is of type {column.dtype}, which are no numbers; pass categorical=[{name!r}] if it holds "
            f"texts (or a dict with its levels: those cost no privacy), make numbers of it, or drop it"
        )
    numbers: np.ndarray = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return numbers


def _refuse_infinities(matrix: np.ndarray) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        finite = np.isfinite(matrix.sum())
    if not finite and np.isinf(matrix).any():
        raise DataError("Input X contains infinity; a cell is finite, or NaN where it is missing")


def _of_matrix(matrix: np.ndarray, names: list[str], texts: dict[str, list[str]]) -> _core.Data:
    """A view of the array."""
    return _core.Data.of_array(matrix, names, [texts.get(name) for name in names])


def read_pandas(X: Any, names: list[str], levels: Mapping[str, list[str]], reset: bool) -> tuple[_core.Data, Schema]:
    """`levels`: of the text columns that the user names, or those of the fit if not `reset`."""
    dtypes = set(X.dtypes)
    if not levels and len(dtypes) == 1 and next(iter(dtypes)) in FLOATS:
        matrix = np.ascontiguousarray(X.to_numpy())
        _refuse_infinities(matrix)
        return _of_matrix(matrix, names, {}), Schema(names)
    schema = Schema(names, dict(levels))
    matrix = np.empty((len(X), len(names)))
    texts = {}
    for place, name in enumerate(names):
        column = X.iloc[:, place]
        if reset and hasattr(column.dtype, "categories"):  # astype("category") reads them off the cells: not public
            schema.levels.setdefault(name, [])
        if name in schema.levels:
            matrix[:, place], texts[name] = _encode_pandas(column)
        else:
            matrix[:, place] = _number_column(name, column)
    _refuse_infinities(matrix)
    return _of_matrix(matrix, names, texts), schema


def read_array(X: np.ndarray, names: list[str], levels: Mapping[str, list[str]]) -> tuple[_core.Data, Schema]:
    """An array that scikit-learn has checked, or one of texts and numbers."""
    schema = Schema(names, dict(levels))
    if not levels:
        return _of_matrix(X, names, {}), schema
    matrix = np.empty(X.shape)
    texts = {}
    for place, name in enumerate(names):
        if name in levels:
            matrix[:, place], distinct = encode(X[:, place])
            texts[name] = texts_of(distinct)
        else:
            matrix[:, place] = as_numbers(X[:, place], f"column {name!r}")
    _refuse_infinities(matrix)
    return _of_matrix(matrix, names, texts), schema


def as_numbers(values: Any, what: str, hint: str = "") -> np.ndarray:
    try:
        if getattr(getattr(values, "dtype", None), "kind", "O") in "mM":  # NumPy would count them in its own unit
            raise TypeError(f"it holds dates or times; {_DATES}")
        return np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        advice = f"; {hint}" if hint else ""
        raise DataError(f"{what} must hold numbers: {error}{advice} (not private: it depends on the rows)") from None


def arrow_levels(X: Any, categorical: Any) -> dict[str, list[str]]:
    """The text columns of an Arrow source as the user names them; those of type Enum of polars have public levels."""
    levels = parse_categorical(categorical)
    if unnamed := [key for key in levels if not isinstance(key, str)]:
        raise UsageError(f"categorical has {unnamed!r}; say the columns of such a frame by name")
    if type(X).__module__.partition(".")[0] == "polars":
        for name, dtype in X.schema.items():
            categories = getattr(dtype, "categories", None) if type(dtype).__name__ == "Enum" else None
            if categories is not None and not levels.get(name):
                levels[name] = texts_of(categories)
    return levels


def apart_values(data: _core.Data) -> Any:
    """The column that an Arrow source was asked to keep apart, in its own type."""
    values, kind, levels = data.apart
    if kind == "text":
        cells = np.array([*levels, None], dtype=object)
        return cells[np.where(np.isnan(values), len(levels), values).astype(np.intp)]
    if kind in ("int", "bool"):  # by its declared type alone: whether a cell is missing must not change the others
        of = int if kind == "int" else bool
        cells = np.empty(len(values), dtype=object)
        cells[:] = [None if value != value else of(value) for value in values.tolist()]
        return cells
    return values


def target_name(y: Any, names: Sequence[str]) -> str:
    """The name of a Series, as long as it is one and no feature has it."""
    name = getattr(y, "name", None)
    name = name if isinstance(name, str) and name else "y"
    while name in names:
        name += "_target"
    return name
