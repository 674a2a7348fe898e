"""The estimators: what they find, what they say, what they refuse."""

import json
import pickle

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from conftest import ESTIMATORS, seeded

import tailcoat


def test_linear_regression_finds_slopes_with_intervals_that_hold_them(line):
    X, y, slopes = line
    model = seeded("PrivateLinearRegression").fit(X, y)
    assert np.all(np.abs(model.coef_ - slopes) < 5 * model.std_err_)
    assert np.all(model.intervals_[:, 0] < model.coef_) and np.all(model.coef_ < model.intervals_[:, 1])
    assert model.intercept_interval_[0] < model.intercept_ < model.intercept_interval_[1]
    assert model.terms_[:3] == ["x0", "x1", "x2"] and model.n_features_in_ == 3


def tailed(rows=40000):
    """A column of which one row in twenty is far out, and a target that does not change there."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((rows, 2))
    X[::20, 1] += 20 + 10 * rng.random(len(X[::20]))
    return X, 2 * X[:, 0] + rng.standard_normal(rows)


def test_terms_left_out_are_zero_without_an_error():
    X, y = tailed()
    model = seeded("PrivateLinearRegression", epsilon=5.0).fit(X, y)
    assert model.terms_[:2] == ["x0", "x1"] and model.terms_[2].startswith("x1 beyond")
    for fitted in (model, pickle.loads(pickle.dumps(model))):
        assert fitted.coef_[2] == 0 and np.isnan(fitted.std_err_[2]) and np.isnan(fitted.intervals_[2]).all()
        assert np.isfinite(fitted.std_err_[:2]).all() and np.isfinite(fitted.intervals_[:2]).all()
    terms = json.loads(model.model_.to_json())["parts"][0]["coefficients"]
    assert [term["standard_error"] is None for term in terms] == [kind == "beyond" for *_, kind in model.model_.terms]
    assert np.isfinite(model.predict(X)).all()


def angle(rows=20000):
    """The target is the distance of the first column from 5, and knows little of the second."""
    rng = np.random.default_rng(8)
    X = rng.standard_normal((rows, 2)) + [5, 0]
    return X, abs(X[:, 0] - 5) + 0.2 * X[:, 1] + 0.5 * rng.standard_normal(rows)


def test_a_number_that_bends_has_its_lower_slope_in_its_place_and_the_upper_one_later():
    X, y = angle()
    model = seeded("PrivateLinearRegression").fit(X, y)
    assert model.terms_[0].startswith("x0 below ") and model.terms_[1] == "x1"
    assert model.terms_[2].startswith("x0 above ") and len(model.terms_) == 3
    np.testing.assert_allclose(model.coef_, [-1, 0.2, 1], atol=0.15)
    assert np.all(model.intervals_[:, 0] < model.coef_) and np.all(model.coef_ < model.intervals_[:, 1])
    knot = float(model.terms_[0].removeprefix("x0 below "))
    assert abs(knot - 5) < 0.1 and model.terms_[2] == model.terms_[0].replace("below", "above")
    inside = X[abs(X[:, 0] - 5) < 3]  # where nothing is cut
    below, above = np.minimum(inside[:, 0], knot), np.maximum(inside[:, 0], knot)
    margin = model.intercept_ + np.column_stack([below, inside[:, 1], above]) @ model.coef_
    np.testing.assert_allclose(model.predict(inside), margin, atol=0.01)  # the name has four digits of the knot
    straight = seeded("PrivateLinearRegression", straight=True).fit(X, y)
    assert straight.terms_ == ["x0", "x1"] and abs(straight.coef_[0]) < 0.2
    assert any(line["what"] == "where numbers bend" for line in model.privacy_["releases"])
    assert not any(line["what"] == "where numbers bend" for line in straight.privacy_["releases"])


def test_effects_in_proportion_have_a_curve():
    rng = np.random.default_rng(9)
    X = rng.standard_normal((20000, 2))
    y = 100 * np.exp(X @ [0.5, 0.4] + 0.1 * rng.standard_normal(20000))
    model = seeded("PrivateLinearRegression").fit(X, y)
    knot, below, above = model.curve_
    assert above > 1.2 and abs(below + above - 2) < 1e-12
    straight = seeded("PrivateLinearRegression", straight=True).fit(X, y)
    assert straight.curve_ is None and model.score(X, y) > straight.score(X, y) + 0.02
    if model.terms_ == ["x0", "x1"]:
        inside = X[np.abs(X).max(axis=1) < 2]  # where nothing is cut
        away = model.intercept_ + inside @ model.coef_ - knot
        np.testing.assert_allclose(model.predict(inside), knot + away * np.where(away < 0, below, above), rtol=1e-9)


def test_straight_is_for_the_adaptive_fit(line):
    X, y, _ = line
    theory = {"moments": (3, 1, 2), "diameter": 2}
    model = seeded("PrivateLinearRegression", algorithm="implicit-glm", theory=theory, straight=True)
    with pytest.raises(tailcoat.UsageError, match="straight=True is for the algorithm 'adaptive'"):
        model.fit(X, y)


def test_a_constant_model_claims_no_errors_of_slopes():
    X, _ = tailed(4000)
    noise = np.random.default_rng(6).standard_normal(len(X))
    models = [seeded("PrivateLinearRegression", random_state=seed).fit(X, noise) for seed in range(30)]
    constant = [model for model in models if model.model_.constant]
    assert len(constant) > 3
    for model in constant:
        assert (model.coef_ == 0).all() and np.isnan(model.std_err_).all() and np.isnan(model.intervals_).all()
        assert np.isfinite(model.intercept_std_err_)


def test_the_reference_level_is_zero_by_definition():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"city": rng.choice(["Graz", "Linz"], 5000, p=[0.7, 0.3])})
    model = seeded("PrivateLinearRegression", categorical={"city": ["Graz", "Linz"]})
    model.fit(frame, (frame.city == "Linz") * 2.0 + rng.standard_normal(5000))
    errors = dict(zip(model.terms_, model.std_err_))
    assert errors["city=Graz"] == 0 and errors["city=Linz"] > 0


def test_huber_and_quantile_ignore_wild_targets(line):
    X, _, slopes = line
    y = X @ slopes + np.random.default_rng(2).standard_cauchy(len(X))
    for model in (seeded("PrivateHuberRegressor"), seeded("PrivateQuantileRegressor")):
        assert np.all(np.abs(model.fit(X, y).coef_[:2] - slopes[:2]) < 0.5)


def test_quantile_regression_has_its_share_of_rows_below():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20000, 1))
    y = X[:, 0] + rng.standard_normal(len(X))
    model = seeded("PrivateQuantileRegressor", quantile=0.9).fit(X, y)
    assert 0.87 < np.mean(y < model.predict(X)) < 0.93


def test_poisson_regression_takes_an_exposure():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"years": rng.uniform(0.5, 2, 20000), "age": rng.standard_normal(20000)})
    y = rng.poisson(frame.years * np.exp(0.4 * frame.age - 1))
    model = seeded("PrivatePoissonRegressor", exposure="years").fit(frame, y)
    assert model.terms_[0] == "age" and abs(model.coef_[0] - 0.4) < 0.1
    np.testing.assert_allclose(model.predict(frame.assign(years=2.0)), 2 * model.predict(frame.assign(years=1.0)))
    by_place = seeded("PrivatePoissonRegressor", exposure=0).fit(frame.to_numpy(), y)
    np.testing.assert_array_equal(by_place.coef_, model.coef_)


@pytest.mark.parametrize("labels", [[False, True], [-1, 1], [2, 10], ["no", "yes"]], ids=str)
@pytest.mark.parametrize("name", ["PrivateLogisticRegression", "PrivateLinearSVC"])
def test_labels_come_back_in_their_type_and_order(name, labels):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 2))
    y = np.array(labels)[(X[:, 0] + 0.3 * rng.standard_normal(4000) > 0).astype(int)]
    model = seeded(name).fit(X, y)
    assert model.classes_.dtype == y.dtype and model.classes_.tolist() == labels
    assert model.score(X, y) > 0.85 and model.coef_.shape == (1, len(model.terms_)) and model.coef_[0, 0] > 0
    assert model.intervals_[0, 0, 0] < model.coef_[0, 0] < model.intervals_[0, 0, 1]
    np.testing.assert_array_equal(model.decision_function(X) > 0, model.predict(X) == labels[1])
    if name == "PrivateLogisticRegression":
        np.testing.assert_array_equal(model.predict_proba(X)[:, 1] > 0.5, model.predict(X) == labels[1])


def test_more_classes_are_ordered_as_numbers_not_as_texts():
    rng = np.random.default_rng(0)
    y = rng.choice([1, 2, 10], 6000)
    X = np.column_stack([y == 1, y == 2, y == 10]) + 0.3 * rng.standard_normal((6000, 3))
    model = seeded("PrivateLogisticRegression", epsilon=3).fit(X, y)
    assert model.classes_.tolist() == [1, 2, 10] and model.coef_.shape == (3, 3)
    assert model.coef_.argmax(axis=1).tolist() == [0, 1, 2]
    assert model.score(X, y) > 0.9
    np.testing.assert_array_equal(model.classes_[model.predict_proba(X).argmax(axis=1)], model.predict(X))
    np.testing.assert_array_equal(model.classes_[model.decision_function(X).argmax(axis=1)], model.predict(X))


def test_classes_that_are_given_cost_nothing_and_keep_their_order():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 1))
    y = np.where(X[:, 0] > 0, "b", "a")
    found = seeded("PrivateLogisticRegression").fit(X, y)
    given = seeded("PrivateLogisticRegression", classes=["b", "a"]).fit(X, y)
    assert any("frequent levels" in line["what"] for line in found.privacy_["releases"])
    assert not any("frequent levels" in line["what"] for line in given.privacy_["releases"])
    assert given.classes_.tolist() == ["b", "a"] and given.score(X, y) > 0.9


def test_mean_takes_a_column_or_the_target():
    wages = 30 + np.random.default_rng(0).standard_t(3, size=20000)
    alone = seeded("PrivateMean").fit(wages)
    assert abs(alone.mean_ - wages.mean()) < 5 * alone.std_err_
    assert alone.interval_[0] < alone.mean_ < alone.interval_[1]
    for model in (seeded("PrivateMean").fit(wages[:, None]), seeded("PrivateMean").fit(np.ones((20000, 2)), wages)):
        assert model.mean_ == alone.mean_
    frame = pd.DataFrame({"wage": wages, "city": "Graz"})
    for data in (frame, pa.Table.from_pandas(frame), pl.from_pandas(frame), duckdb.from_df(frame)):
        model = seeded("PrivateMean").fit(data, "wage")
        first = data.limit(3) if isinstance(data, duckdb.DuckDBPyRelation) else data[:3]
        assert model.mean_ == alone.mean_ and model.predict(first).tolist() == [alone.mean_] * 3
        with pytest.raises(tailcoat.UsageError, match="'nothing'"):
            seeded("PrivateMean").fit(data, "nothing")
    wage = frame[["wage"]]
    for data in (wage, pa.Table.from_pandas(wage), pl.from_pandas(wage), duckdb.from_df(wage), wage["wage"],
                 pl.from_pandas(wage)["wage"]):  # fmt: skip
        model = seeded("PrivateMean").fit(data)
        assert model.mean_ == alone.mean_ and model.model_.target == "wage"
    for data in (wages.tolist(), pa.array(wages), pa.chunked_array([wages])):
        assert seeded("PrivateMean").fit(data).mean_ == alone.mean_
    for data in (np.ones((20, 2)), pd.DataFrame(np.ones((20, 2))), pa.table({"a": np.ones(20), "b": np.ones(20)})):
        with pytest.raises(ValueError, match="one column at a time"):
            seeded("PrivateMean").fit(data)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_seed_without_a_word_is_refused(name):
    model = getattr(tailcoat, name)(epsilon=1, random_state=3)
    with pytest.raises(tailcoat.UsageError, match="insecure_random_state=True"):
        model.fit(np.ones((10, 1)), np.arange(10) % 2)


def test_the_receipt_says_whether_the_noise_was_secure(line):
    X, y, _ = line
    assert seeded("PrivateLinearRegression").fit(X, y).privacy_["secure"] is False
    secure = tailcoat.PrivateLinearRegression(epsilon=1)
    first, second = secure.fit(X, y).coef_, secure.fit(X, y).coef_
    assert secure.privacy_["secure"] is True and not np.array_equal(first, second)


@pytest.mark.parametrize(
    "parameters, words",
    [
        ({"epsilon": None}, "give epsilon"),
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"delta": 0}, "delta"),
        ({"delta": 1}, "delta"),
        ({"delta": 0.2}, "no privacy"),
        ({"algorithm": "magic"}, "theory="),
        ({"algorithm": "magic", "theory": {"moments": (3, 1, 2), "diameter": 2}}, "there is no algorithm 'magic'"),
        ({"algorithm": "implicit-glm", "theory": {"radius": 2}}, "radius"),
        ({"algorithm": "implicit-glm", "theory": {"moments": (1, 1, 2), "diameter": 2}}, "k = 1"),
        ({"constants": "paper"}, "adaptive"),
        ({"confidence": 1.5}, "confidence"),
        ({"bounds": {"z": (0, 1)}}, "bounds names column 'z'"),
        ({"bounds": {0: (1, 0)}}, "smaller first"),
        ({"bounds": {0: 5}}, r"bounds\['x0'\] = 5; give the numbers \(low, high\)"),
        ({"bounds": {0: ("few", "many")}}, "low, high"),
        ({"bounds": ([-4, -4, -4], [4, 4, 4])}, "must be a dict"),
        ({"scales": {0: (1, 2, 3)}}, "centre, spread"),
        ({"target_bounds": 5}, "target_bounds = 5; give the numbers"),
        ({"epsilon": "much"}, "epsilon = 'much' is not a number"),
        ({"epsilon": "1"}, "epsilon = '1' is not a number"),
        ({"bounds": {0: "12"}}, "low, high"),
        ({"bounds": {0: ("1", "2")}}, "low, high"),
        ({"confidence": "high"}, "confidence = 'high'"),
        ({"algorithm": "implicit-glm", "theory": {"moments": (3, 1), "diameter": 2}}, "k, G2, Gk"),
        ({"algorithm": "implicit-glm", "theory": {"moments": (3, 1, 2), "diameter": "wide"}}, "'wide' is not a number"),
        ({"categorical": "x0"}, "must be a list"),
        ({"categorical": {0: "Graz"}}, r"categorical\[0\] = 'Graz' must be a list"),
        ({"missing_indicators": "x0"}, "missing_indicators = 'x0' must be a list"),
        ({"progress": "yes"}, "progress = 'yes'"),
        ({"public_rows": scipy.sparse.eye(3).tocsr()}, "[Ss]parse"),
        ({"categorical": [17]}, "categorical names column 17"),
        ({"random_state": -1}, "whole number"),
        ({"threads": -1}, "threads = -1"),
        ({"threads": "all"}, "threads = 'all'"),
    ],
)
@pytest.mark.filterwarnings("ignore::tailcoat.PrivacyWarning")
def test_bad_parameters_are_refused_by_name(line, parameters, words):
    X, y, _ = line
    with pytest.raises((ValueError, TypeError, tailcoat.TailcoatError), match=words) as caught:
        seeded("PrivateLinearRegression", **parameters).fit(X, y)
    assert getattr(caught.value, "spent", None) is None


def test_weights_of_rows_are_refused_with_what_to_do_instead(line):
    X, y, _ = line
    model = seeded("PrivateLinearRegression")
    with pytest.raises(TypeError, match="takes no sample_weight.*exposure.*minimize"):
        model.fit(X, y, sample_weight=np.ones(len(y)))
    assert not hasattr(model, "coef_") and hasattr(model.fit(X, y, sample_weight=None), "coef_")


def test_classes_and_exposure_that_are_none_are_refused(line):
    X, y, _ = line
    for classes in ("yes", 3):
        with pytest.raises(tailcoat.UsageError, match="classes = .* must be a list"):
            seeded("PrivateLogisticRegression", classes=classes).fit(X, y > 0)
    with pytest.raises(tailcoat.UsageError, match="exposure names column array"):
        seeded("PrivatePoissonRegressor", exposure=np.ones(len(y))).fit(X, abs(y).round())
    with pytest.raises(tailcoat.UsageError, match=r"\[0\]; say the columns of such a frame by name"):
        seeded("PrivateLinearRegression", categorical=[0]).fit(pa.table({"a": X[:, 0]}), y)


def test_a_delta_beyond_one_in_the_rows_is_warned_of(line):
    X, y, _ = line
    with pytest.warns(tailcoat.PrivacyWarning, match="above 1 / rows"):
        seeded("PrivateLinearRegression", delta=0.01).fit(X, y)


def test_bounds_by_name_or_place_save_budget(line):
    X, y, _ = line
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    named = seeded("PrivateLinearRegression", bounds={"a": (-5, 5), "b": (-50, 60)}).fit(frame, y)
    placed = seeded("PrivateLinearRegression", bounds={0: (-5, 5), 1: (-50, 60)}).fit(X, y)
    np.testing.assert_array_equal(named.coef_, placed.coef_)
    looked_at = [
        sum(line["values"] for line in model.privacy_["releases"] if line["what"].startswith("columns, "))
        for model in (named, seeded("PrivateLinearRegression").fit(X, y))
    ]
    assert 0 < looked_at[0] < looked_at[1]


def test_the_number_of_threads_does_not_change_a_bit(line):
    X, y, _ = line
    models = [seeded("PrivateLinearRegression", threads=threads).fit(X, y) for threads in (1, 2, 3)]
    assert len({model.model_.to_json() for model in models}) == 1
