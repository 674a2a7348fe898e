"""Makes the table of one set from the data frame it comes in: columns, rows and names as the programs compared take them.

Rows without target go, at most MOST_ROWS are kept; dates, texts of many levels and constant columns go; a column is
either numbers (missing: empty) or text (missing: the text "missing")."""
import fnmatch
import re

import numpy as np
import pandas

MOST_ROWS = 200_000
LEAST_ROWS = 800
MOST_LEVELS = 60
LEAST_SHARE_PRESENT = 0.02
SEED = 20240607


def matching(patterns, columns):
    found = [c for c in columns if any(fnmatch.fnmatchcase(str(c), p) for p in patterns.split())]
    unknown = [p for p in patterns.split() if not any(fnmatch.fnmatchcase(str(c), p) for c in columns)]
    if unknown:
        raise LookupError(f"no column {' '.join(unknown)}")
    return found


def table(line, frame):
    """The cleaned table of a line of the table of sets, and the names of its text columns."""
    frame = frame.copy()
    frame.columns = [str(c) for c in frame.columns]
    if line.where:
        frame = frame.query(line.where)
    wanted = [line.target] + [line.exposure] * bool(line.exposure)
    features = matching(line.keep, frame.columns) if line.keep else list(frame.columns)
    features = [c for c in features if c not in wanted]
    features = [c for c in features if c not in matching(line.drop, frame.columns)]
    codes = set(matching(line.codes, frame.columns))
    frame = frame[wanted + features]
    frame = frame[frame[wanted].notna().all(axis=1)]
    if len(frame) > MOST_ROWS:
        frame = frame.sample(MOST_ROWS, random_state=SEED).sort_index()
    out, text = {line.target: target(line, frame[line.target])}, []
    if line.exposure:
        out[line.exposure] = pandas.to_numeric(frame[line.exposure])
    for name in features:
        column = feature(frame[name], name in codes)
        if column is None:
            continue
        out[name] = column
        if not is_number(column):
            text.append(name)
    names = clean_names(out)
    cleaned = pandas.DataFrame({names[c]: out[c].to_numpy() for c in out})
    if len(cleaned) < LEAST_ROWS:
        raise ValueError(f"{len(cleaned)} rows")
    return cleaned, [names[c] for c in text], names


def is_number(column):
    return column.dtype.kind in "iuf"


def target(line, column):
    if line.task != "logistic":
        numbers = pandas.to_numeric(column).astype(float)
        if line.task == "poisson":
            assert (numbers >= 0).all() and (numbers == numbers.round()).all(), "not counts"
            return numbers.astype(int)
        return numbers
    texts = as_text(column)
    if line.one:
        assert (texts == line.one).any(), f"no class {line.one}: {sorted(texts.unique())[:9]}"
        return pandas.Series(np.where(texts == line.one, "yes", "no"), index=column.index)
    assert texts.nunique() == 2, f"classes {sorted(texts.unique())[:9]}"
    return texts


def feature(column, is_code):
    """Numbers or text, or None where there is nothing to learn from or too many levels."""
    if column.dtype.kind == "M" or column.nunique() < 2 or column.notna().mean() < LEAST_SHARE_PRESENT:
        return None
    if column.dtype.kind == "b":
        return column.astype(int)
    if column.dtype.kind in "iuf" and not is_code:
        return column
    if column.dtype.kind not in "iuf" and not is_code:
        if set(map(type, column.dropna().unique())) <= {bool, np.bool_}:
            return column.astype(float)
        numbers = pandas.to_numeric(column.astype(object), errors="coerce")
        if numbers.isna().sum() == column.isna().sum():
            return numbers.astype(float)
    texts = as_text(column)
    return texts if texts.nunique() <= MOST_LEVELS else None


def as_text(column):
    """Texts without what a csv or a command line could trip over."""
    def plain(value):
        if isinstance(value, float) and value == int(value):
            value = int(value)
        return re.sub(r"[^\w.<>+-]+", " ", str(value)).strip() or "empty"
    present = column.notna()
    texts = column.astype(object).where(present, "missing")
    return texts.map({v: plain(v) for v in texts.unique()})


def clean_names(columns):
    """Names of letters, digits and underscores, still different from each other."""
    names, taken = {}, set()
    for column in columns:
        name = re.sub(r"\W+", "_", column, flags=re.ASCII).strip("_") or "column"
        while name in taken:
            name += "_"
        taken.add(name)
        names[column] = name
    return names
