"""Data in: arrays, pandas and Arrow, hostile ones included."""

import threading
import warnings
from decimal import Decimal
from fractions import Fraction

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from conftest import seeded

import tailcoat


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    n = 3000
    frame = pd.DataFrame({"a": rng.standard_normal(n), "b": rng.integers(0, 9, n), "c": rng.random(n) < 0.4})
    frame["city"] = rng.choice(["Graz", "Ödenburg", "a name that is longer than twelve bytes"], n)
    frame["y"] = 2 * frame.a - frame.b + 3 * (frame.city == "Graz") + rng.standard_normal(n)
    frame.loc[::50, ["a", "city"]] = None
    return frame


def fit(X, y, **parameters):
    return seeded("PrivateLinearRegression", categorical=["city"], **parameters).fit(X, y)


SOURCES = {
    "pandas": lambda frame: frame,
    "pandas with Arrow's types": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "pandas with nullable types": lambda frame: frame.convert_dtypes(),
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "pyarrow in batches": lambda frame: pa.Table.from_batches(pa.Table.from_pandas(frame).to_batches(max_chunksize=7)),
    "pyarrow sliced": lambda frame: pa.concat_tables(
        [pa.Table.from_pandas(frame).slice(0, 13), pa.Table.from_pandas(frame).slice(13)]
    ),
    "pyarrow with a dictionary": lambda frame: pa.Table.from_pandas(frame.assign(city=frame.city.astype("category"))),
    "pyarrow, large texts": lambda frame: (
        table := pa.Table.from_pandas(frame)
    ).set_column(table.schema.get_field_index("city"), "city", table["city"].cast(pa.large_utf8())),
    "polars": pl.from_pandas,
    "polars, categorical": lambda frame: pl.from_pandas(frame).with_columns(pl.col("city").cast(pl.Categorical)),
    "duckdb": lambda frame: duckdb.from_df(frame),
}


@pytest.mark.parametrize("source", SOURCES)
def test_the_model_does_not_depend_on_what_the_data_comes_in(frame, source):
    expected = fit(frame.drop(columns="y"), frame["y"])
    data = SOURCES[source](frame.drop(columns="y"))
    model = fit(data, frame["y"])
    assert model.model_.to_json() == expected.model_.to_json()
    assert list(model.feature_names_in_) == ["a", "b", "c", "city"] and model.n_features_in_ == 4
    np.testing.assert_array_equal(model.predict(data), expected.predict(frame.drop(columns="y")))
    np.testing.assert_array_equal(model.predict(frame.drop(columns="y")), expected.predict(frame.drop(columns="y")))


@pytest.mark.parametrize("source", ["pandas", "pyarrow", "polars", "duckdb"])
def test_the_target_can_be_named(frame, source):
    data = SOURCES[source](frame)
    named = fit(data, "y")
    assert named.model_.to_json() == fit(frame.drop(columns="y"), frame["y"]).model_.to_json()
    np.testing.assert_array_equal(named.predict(data), named.predict(frame.drop(columns="y")))  # with the target or not
    for target, labels in (("c", [False, True]), ("city", sorted(frame["city"].dropna().unique()))):
        kept = SOURCES[source](frame.drop(columns={"c": "city", "city": "c"}[target]))
        model = seeded("PrivateLogisticRegression", epsilon=5).fit(kept, target)
        assert model.classes_.tolist() == labels and "y" in model.feature_names_in_
    with pytest.raises(tailcoat.UsageError, match="'nothing'"):
        fit(data, "nothing")


def test_declared_levels_are_public_and_found_ones_are_paid_for(frame):
    X, levels = frame.drop(columns="y"), sorted(frame["city"].dropna().unique())
    given = seeded("PrivateLinearRegression", categorical={"city": levels}).fit(X, frame["y"])
    declared = pl.from_pandas(X).with_columns(pl.col("city").cast(pl.Enum(levels)))
    assert seeded("PrivateLinearRegression").fit(declared, frame["y"]).model_.to_json() == given.model_.to_json()
    # astype("category") reads the categories off the cells: a pandas categorical declares nothing.
    rare = X.assign(city=X["city"].mask(X.index == 0, "Jane Doe").astype("category"))
    assert not any("Jane" in term for term in seeded("PrivateLinearRegression").fit(rare, frame["y"]).terms_)
    assert any("level" in line["what"] for line in fit(X, frame["y"]).privacy_["releases"])
    assert not any("frequent" in line["what"] for line in given.privacy_["releases"])


@pytest.mark.parametrize("odd", [None, np.nan, True, 1.0])
def test_how_one_cell_is_written_does_not_change_what_others_are_called(odd):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 4000).tolist()
    X = (np.array(labels) + 0.5 * rng.standard_normal(4000)).reshape(-1, 1)
    usual = seeded("PrivateLogisticRegression", classes=[0, 1]).fit(X, np.array(labels, dtype=object))
    labels[0] = odd
    for y in (np.array(labels, dtype=object), pd.Series(labels, dtype=object)):
        model = seeded("PrivateLogisticRegression", classes=[0, 1]).fit(X, y)
        assert model.classes_.tolist() == usual.classes_.tolist()
        assert abs(model.coef_ - usual.coef_).max() < 0.5 * abs(usual.coef_).max()
    found = seeded("PrivateLinearRegression", categorical=["k"], epsilon=5)
    terms = found.fit(pd.DataFrame({"k": labels}, dtype=object), X[:, 0]).terms_
    assert set(terms) == {"k=0", "k=1"}


def test_labels_that_are_equal_but_written_differently_do_not_rename_others():
    X = np.random.default_rng(0).standard_normal((4000, 1))
    for labels, other in [
        ([Decimal("2"), Decimal("1")], Decimal("2.00")),
        ([0.5, 1.5], Decimal("0.5")),
        ([Fraction(1, 2), Fraction(3, 2)], 0.5),
        (["a", "b"], "\ud800"),
        (["a", "b"], pd.NA),
        ([("x", 1), ("y", 2)], ("z", 3)),
    ]:
        y = np.empty(4000, dtype=object)
        y[:] = [labels[i % 2] for i in range(4000)]
        before = seeded("PrivateLogisticRegression").fit(X, y)
        y[0] = other
        after = seeded("PrivateLogisticRegression").fit(X, y)
        assert before.classes_.tolist() == after.classes_.tolist() and before.classes_.dtype == after.classes_.dtype
        np.testing.assert_allclose(before.intercept_, after.intercept_, atol=0.2)


def test_a_text_in_a_list_does_not_round_the_numbers_of_others():
    numbers = [np.float16(0.1)] * 20000
    means = [seeded("PrivateMean", epsilon=50).fit(cells).mean_ for cells in (numbers, ["0.1", *numbers[1:]])]
    assert means[0] == pytest.approx(means[1], abs=1e-6)


@pytest.mark.parametrize("name", ["PrivateLogisticRegression", "PrivateLinearSVC"])
def test_a_target_of_numbers_is_refused_after_a_private_look_as_by_the_command_line(name):
    x = np.random.default_rng(0).standard_normal((3000, 1))
    told = "Unknown label type: no class of column 'y' is in more than .*PrivateLinearRegression.*counts as spent"
    with pytest.raises(tailcoat.DataError, match=told) as caught:
        seeded(name).fit(x, x[:, 0])
    assert caught.value.spent == (1.0, 1e-6)


def test_a_single_label_that_is_no_class_does_not_decide_whether_there_is_a_model():
    """It could not be told apart from other rare labels without looking at the rows."""
    x = np.random.default_rng(0).standard_normal((4000, 1))
    labels = (x[:, 0] > 0).astype(float)
    usual = seeded("PrivateLogisticRegression").fit(x, labels)
    labels[0] = 2.5
    model = seeded("PrivateLogisticRegression").fit(x, labels)
    assert model.classes_.tolist() == usual.classes_.tolist() == [0, 1]
    np.testing.assert_allclose(model.coef_, usual.coef_, rtol=0.2)


def test_numbers_that_are_none_are_data_errors():
    with pytest.raises(tailcoat.DataError):
        seeded("PrivateMean").fit([10**400, 1, 2])


def test_a_missing_label_does_not_change_the_classes_that_are_found():
    x = np.random.default_rng(2).standard_normal((4000, 1))
    for of in (int, bool, float, str):
        labels = [of(value > 0) for value in x[:, 0]]
        whole, missing = (
            seeded("PrivateLogisticRegression", epsilon=5).fit(x, y) for y in (labels, [np.nan, *labels[1:]])
        )
        assert whole.classes_.tolist() == missing.classes_.tolist()
        assert whole.classes_.dtype == missing.classes_.dtype
        assert len(whole.privacy_["releases"]) == len(missing.privacy_["releases"])


def test_a_null_in_an_arrow_target_does_not_change_the_classes():
    rng = np.random.default_rng(1)
    x = rng.standard_normal(4000)
    for kind, of in ((pa.int64(), int), (pa.bool_(), bool)):
        labels = [of(value > 0) for value in x]
        tables = [
            pa.table({"x": x, "y": pa.array(values, kind)}) for values in (labels, [None, *labels[1:]])
        ]
        whole, missing = (seeded("PrivateLogisticRegression", epsilon=5).fit(table, "y") for table in tables)
        assert whole.classes_.tolist() == missing.classes_.tolist() == [of(0), of(1)]
        assert len(whole.privacy_["releases"]) == len(missing.privacy_["releases"])


def test_texts_that_nobody_spoke_of_are_refused_with_what_to_pass(frame):
    for data in (frame.drop(columns="y"), pl.from_pandas(frame.drop(columns="y")), frame[["a", "city"]].to_numpy()):
        with pytest.raises(ValueError, match="categorical|could not convert string"):
            seeded("PrivateLinearRegression").fit(data, frame["y"])


def test_other_types_are_refused_by_name_and_type(frame):
    dates = frame[["a"]].assign(day=pd.Timestamp("2026-11-16"))
    with pytest.raises(tailcoat.DataError, match="'day' holds dates or times .datetime.*days since a date"):
        seeded("PrivateLinearRegression").fit(dates, frame["y"])
    with pytest.raises(tailcoat.DataError, match="y must hold numbers.*dates or times.*days since a date"):
        seeded("PrivateLinearRegression").fit(frame[["a"]], dates["day"])
    with pytest.raises(tailcoat.DataError, match="'day' holds dates or times.*'ts.*days since a date"):
        seeded("PrivateLinearRegression").fit(pa.Table.from_pandas(dates), frame["y"])
    with pytest.raises(tailcoat.DataError, match="'l'.*Arrow type"):
        seeded("PrivateLinearRegression").fit(pa.table({"l": [[1], [2], [3]]}), np.arange(3.0))


def test_an_array_of_texts_and_numbers_takes_places_of_columns(frame):
    X = frame[["a", "city"]].to_numpy()
    placed = seeded("PrivateLinearRegression", categorical=[1]).fit(X, frame["y"])
    named = fit(frame[["a", "city"]], frame["y"])
    np.testing.assert_array_equal(placed.coef_, named.coef_)
    np.testing.assert_array_equal(placed.predict(X), named.predict(frame[["a", "city"]]))


@pytest.mark.parametrize(
    "change",
    [
        np.asfortranarray,
        lambda X: np.repeat(X, 2, axis=1)[:, ::2],
        lambda X: X[::-1].copy()[::-1],
        lambda X: X.astype(">f8"),
        lambda X: X.astype(object),
        lambda X: X.tolist(),
        lambda X: np.lib.stride_tricks.as_strided(X, X.shape, X.strides, writeable=False),
        lambda X: np.frombuffer(b"\0" + X.tobytes(), dtype=np.uint8)[1:].view(X.dtype).reshape(X.shape),
        lambda X: np.pad(X, ((0, 0), (1, 2)))[:, 1:-2],
    ],
    ids=["Fortran", "strided", "reversed", "swapped bytes", "objects", "lists", "read-only", "unaligned", "padded"],
)
def test_arrays_of_any_layout_give_the_same_model(line, change):
    X, y, _ = line
    expected = seeded("PrivateLinearRegression").fit(X, y)
    changed = change(X)
    target = change(y[:, None])[:, 0] if isinstance(changed, np.ndarray) else y.tolist()
    model = seeded("PrivateLinearRegression").fit(changed, target)
    assert model.model_.to_json() == expected.model_.to_json()
    np.testing.assert_array_equal(model.predict(changed), expected.predict(X))


def test_floats_of_half_the_size_are_read_as_they_are(line):
    X, y, _ = line
    small = X.astype(np.float32)
    expected = seeded("PrivateLinearRegression").fit(small.astype(np.float64), y)
    model = seeded("PrivateLinearRegression").fit(small, y)
    assert model.model_.to_json() == expected.model_.to_json()


@pytest.mark.parametrize("bad", [np.inf, -np.inf])
def test_infinities_are_refused(line, bad):
    X, y, _ = line
    X = X.copy()
    X[17, 1] = bad
    frame = pd.DataFrame(X, columns=list("abc"))
    for data in (X, frame, frame.assign(d=1), pa.table({"a": X[:, 1]})):
        with pytest.raises(ValueError, match="infinity|not finite"):
            seeded("PrivateLinearRegression").fit(data, y)
    y = y.copy()
    y[3] = bad
    with pytest.raises(ValueError, match="infinity"):
        seeded("PrivateLinearRegression").fit(X[:, :1], y)


def test_missing_and_huge_cells_do_no_harm(line):
    X, y, slopes = line
    X, y = X.copy(), y.copy()
    X[::40, 0], X[1::40, 1], y[2::40] = np.nan, 1e300, np.nan
    X[3::40, 2] = 5e-324
    model = seeded("PrivateLinearRegression").fit(X, y)
    assert np.isfinite(model.coef_).all() and np.isfinite(model.predict(X)).all()
    assert abs(model.coef_[0] - slopes[0]) < 1


@pytest.mark.parametrize(
    "X, y, words",
    [
        (np.ones((1, 2)), [1.0], "1 sample"),
        (np.ones((0, 2)), [], "0 sample"),
        (np.ones((5, 0)), np.ones(5), "0 feature"),
        (np.ones((5, 2)), np.ones(4), "5 rows, but 4 values"),
        (np.ones((5, 2)), np.ones((5, 2)), "1d array"),
        (np.ones(5), np.ones(5), "2D array"),
        (np.ones((5, 2)), ["a"] * 5, "y must hold numbers.*for classes use PrivateLogisticRegression"),
        (np.ones((5, 2)) * 1j, np.ones(5), "Complex"),
        (scipy.sparse.eye(5).tocsr(), np.ones(5), "[Ss]parse"),
        (pa.table({"a": [1.0]}), [1.0], "1 rows; a fit needs two"),
        (pa.table({"a": [1.0], "b": [1.0]}).slice(1), [], "0 rows; a fit needs two"),
        (pd.Series(np.ones(5)), np.ones(5), "2-dimensional|2D array"),
        (pl.Series(np.ones(5)), np.ones(5), "2D array"),
        (pa.chunked_array([np.ones(5)]), np.ones(5), "2D array"),
        (pl.LazyFrame({"a": np.ones(5)}), np.ones(5), "LazyFrame.*X.collect"),
        (pa.table({}), [], "column"),
        (pd.DataFrame({"a": [1.0] * 5, "b": 1}).iloc[:, :0], np.ones(5), "0 feature"),
        (pd.DataFrame([[1.0, 2.0]] * 5, columns=["a", "a"]), np.ones(5), "'a'"),
        (pa.table([[1.0] * 3, [2.0] * 3], names=["a", "a"]), np.ones(3), "'a'"),
        (pa.table([[1.0] * 3], names=[""]), np.ones(3), "name"),
        (None, np.ones(3), None),
        ("text", np.ones(3), None),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::tailcoat.PrivacyWarning")
def test_data_that_cannot_be_served_is_refused(X, y, words):
    with pytest.raises((ValueError, TypeError), match=words):
        seeded("PrivateLinearRegression").fit(X, y)


def test_a_stream_that_fails_says_so():
    def batches():
        yield pa.record_batch({"a": [1.0, 2.0]})
        raise OSError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"a": pa.float64()}), batches())
    with pytest.raises(tailcoat.DataError, match="the disk is gone"):
        seeded("PrivateLinearRegression").fit(reader, [1.0, 2.0])


def test_every_number_type_of_arrow_is_read():
    whole = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()]
    types = [*whole, pa.float32(), pa.float64(), pa.bool_()]
    numbers = np.arange(400) % 2
    table = pa.table({str(kind): pa.array(numbers.astype(float)).cast(kind) for kind in types})
    table = table.append_column("halffloat", pa.array(numbers.astype(np.float16)))
    y = numbers + np.random.default_rng(0).standard_normal(400)
    frame = pd.DataFrame(dict.fromkeys(table.column_names, numbers))
    expected = seeded("PrivateLinearRegression", epsilon=9).fit(frame, y)
    model = seeded("PrivateLinearRegression", epsilon=9).fit(table, y)
    assert model.model_.to_json() == expected.model_.to_json()


DECIMALS = [pa.decimal128(9, 2), pa.decimal128(38, 20), pa.decimal128(30, 2), pa.decimal256(76, 2)]


@pytest.mark.parametrize("kind", DECIMALS, ids=str)
def test_decimals_are_numbers(kind):
    """Such as DuckDB makes of `select 1.5 * x`."""
    rng = np.random.default_rng(0)
    numbers = [Decimal(int(cents)) / 100 for cents in rng.integers(-500_000, 500_000, 400)]
    if kind.precision - kind.scale > 20:
        numbers[:4] = [Decimal(2) ** 70, -(Decimal(2) ** 70), Decimal(2) ** 64, -(Decimal(2) ** 64)]
    column = pa.array([None, *numbers], kind)
    read = tailcoat._core.Data.of_arrow(pa.table({"a": column}), [], [], None).column(0)
    np.testing.assert_allclose(read, [np.nan, *map(float, numbers)], rtol=4e-16 if kind.scale > 15 else 0, atol=0)
    sliced = tailcoat._core.Data.of_arrow(pa.table({"a": column.slice(7)}), [], [], None).column(0)
    np.testing.assert_array_equal(sliced, read[7:])


@pytest.mark.parametrize("bits", [32, 64])
def test_short_decimals_are_numbers(bits):
    make = getattr(pa, f"decimal{bits}", None)
    if make is None:
        pytest.skip("this pyarrow has none")
    numbers = [Decimal("-12.34"), Decimal("12.34"), Decimal(0), Decimal("-0.01"), None]
    table = pa.table({"a": pa.array(numbers, make(9, 2))})
    read = tailcoat._core.Data.of_arrow(table, [], [], None).column(0)
    np.testing.assert_array_equal(read, [-12.34, 12.34, 0, -0.01, np.nan])


def test_decimals_of_duckdb_polars_and_pandas_give_the_model_of_their_numbers(frame):
    X = pd.DataFrame({"a": frame["a"].fillna(0).round(2)})
    expected = seeded("PrivateLinearRegression").fit(X, frame["y"]).model_.to_json()
    for source in (
        duckdb.sql("select a::decimal(9, 2) as a from X"),
        pl.from_pandas(X).with_columns(pl.col("a").cast(pl.Decimal(9, 2))),
        pd.DataFrame({"a": pd.array([Decimal(str(a)) for a in X["a"]], pd.ArrowDtype(pa.decimal128(9, 2)))}),
    ):
        assert seeded("PrivateLinearRegression").fit(source, frame["y"]).model_.to_json() == expected
    classes = duckdb.sql("select a, (a > 0)::int::decimal(3, 1) as c from X")
    assert seeded("PrivateLogisticRegression").fit(classes, "c").classes_.tolist() == [0, 1]


def test_a_dictionary_may_be_another_one_in_each_batch():
    batches = [pa.array(texts).dictionary_encode() for texts in (["a", "b", "a"], ["b", None, "c"], ["a", "c", "c"])]
    reader = pa.RecordBatchReader.from_batches(
        pa.schema({"x": batches[0].type}), [pa.record_batch({"x": batch}) for batch in batches]
    )
    read = tailcoat._core.Data.of_arrow(reader, [], ["x"], None).column(0)
    np.testing.assert_array_equal(read, [0, 1, 0, 1, np.nan, 2, 0, 2, 2])


@pytest.mark.parametrize("kind", ["boolean", "bool[pyarrow]", "string", "category", pl.Boolean])
def test_labels_of_types_that_numpy_lacks_stay_what_they_are(kind):
    x = np.random.default_rng(2).standard_normal((4000, 1))
    texts = kind in ("string", "category")
    labels = np.where(x[:, 0] > 0, "yes", "no") if texts else x[:, 0] > 0
    y = pl.Series(labels, dtype=kind) if kind is pl.Boolean else pd.Series(labels).astype(kind)
    missing = pl.Series([None, *labels.tolist()[1:]]) if kind is pl.Boolean else y.mask(y.index == 0)
    for target in (y, missing):
        model = seeded("PrivateLogisticRegression", epsilon=5).fit(x, target)
        assert model.classes_.tolist() == (["no", "yes"] if texts else [False, True])
        assert model.classes_.dtype.kind == ("U" if texts else "b")


def test_no_rows_to_predict_are_refused_without_a_word_on_names(frame):
    model = seeded("PrivateLinearRegression").fit(frame[["a", "b"]], frame["y"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="0 sample"):
            model.predict(frame[["a", "b"]][:0])


def test_names_of_columns_are_checked_when_predicting(frame):
    model = seeded("PrivateLinearRegression").fit(frame[["a", "b"]], frame["y"])
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["b", "a"]])
    with pytest.raises(ValueError, match="'b'"):
        model.predict(pa.table({"a": [1.0]}))
    by_name = model.predict(pa.Table.from_pandas(frame[["b", "y", "a"]]))
    np.testing.assert_array_equal(by_name, model.predict(frame[["a", "b"]]))
    with pytest.warns(UserWarning, match="feature names"):
        np.testing.assert_array_equal(model.predict(frame[["a", "b"]].to_numpy(dtype=float)), by_name)


def test_unknown_texts_are_predicted_as_missing_ones(frame):
    model = fit(frame[["a", "city"]], frame["y"])
    unknown = model.predict(pd.DataFrame({"a": [1.0], "city": ["Nirgendwo"]}))
    missing = pd.DataFrame({"a": [1.0], "city": pd.Series([None], dtype=object)})
    np.testing.assert_array_equal(unknown, model.predict(missing))


def test_an_array_that_another_thread_changes_harms_nobody_else():
    X = np.random.default_rng(0).standard_normal((200_000, 5))
    y = X[:, 0].copy()
    stop = threading.Event()

    def scribble():
        while not stop.is_set():
            X[::7] = np.nan
            X[::7] = 1e308
            y[::5] = -1e300

    writer = threading.Thread(target=scribble)
    writer.start()
    try:
        model = seeded("PrivateLinearRegression").fit(X, y)
    finally:
        stop.set()
        writer.join()
    assert np.isfinite(model.coef_).all()
