"""The package and the command line give the same bits for the same data, options and seed."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from conftest import SEED, run_program, seeded

import tailcoat


def frame_of_everything(rows=5000):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.uniform(18, 90, rows), "income": rng.lognormal(10, 1, rows)})
    frame["city"] = rng.choice(["Graz", "Linz", "Wien, Umgebung", "Ödenburg"], rows, p=[0.5, 0.3, 0.15, 0.05])
    frame["years"] = rng.uniform(0.1, 1, rows)
    frame.loc[rng.random(rows) < 0.05, "income"] = np.nan
    effect = 0.02 * frame.age + (frame.city == "Graz")
    frame["amount"] = effect + rng.standard_t(3, rows)
    frame["count"] = rng.poisson(frame.years * np.exp(effect - 2)).astype(float)
    frame["sort"] = np.where(effect + rng.logistic(size=rows) > 1.5, "good", "bad")
    frame["kind"] = np.where(rng.random(rows) < 0.3, "z", frame.sort)
    return frame


FEATURES = ["age", "income", "city"]
CASES = {
    "PrivateLinearRegression": ("amount", "squared", {}, []),
    "PrivateHuberRegressor": ("amount", "huber:1.345", {}, []),
    "PrivateQuantileRegressor": ("amount", "quantile:0.9", {"quantile": 0.9}, []),
    "PrivatePoissonRegressor": ("count", "poisson", {}, []),
    "PrivateLogisticRegression": ("sort", "logistic", {}, []),
    "PrivateLinearSVC": ("sort", "hinge", {"classes": ["bad", "good"]}, ["--classes", "bad,good"]),
}


def fit_program(folder, frame, target, loss, *more):
    frame.to_csv(folder / "data.csv", index=False)
    run_program("fit", folder / "data.csv", "--target", target, "--loss", loss, "--epsilon", 1, "--seed", SEED,
                "--model", folder / "model.json", "--json", *more)  # fmt: skip
    return json.loads((folder / "model.json").read_text())


def test_what_was_paid_is_told_alike(tmp_path):
    frame = frame_of_everything()[["age", "amount"]]
    frame.to_csv(tmp_path / "data.csv", index=False)
    theirs = run_program("fit", tmp_path / "data.csv", "--target", "amount", "--epsilon", 1, "--seed", SEED, "--json")
    ours = seeded("PrivateLinearRegression").fit(frame[["age"]], frame["amount"]).privacy_
    assert ours == theirs["privacy"]
    keys = ["epsilon", "delta", "mu", "mu_spent", "neighbours", "secure", "releases"]
    assert list(ours) == keys
    gradient = lambda x, rows: np.tanh(x - rows)  # noqa: E731
    ball = tailcoat.ball(1, dimension=1)
    found = tailcoat.minimize(gradient, np.zeros((2000, 1)), ball, (1, 1e-6), (4, 1, 1), smoothness=1)
    assert list(found.privacy) == keys


@pytest.mark.parametrize("name", CASES)
def test_models_and_predictions_are_those_of_the_program(name, tmp_path):
    target, loss, parameters, options = CASES[name]
    frame = frame_of_everything()
    theirs = fit_program(
        tmp_path, frame, target, loss, "--features", ",".join(FEATURES), "--categorical", "city", "--bounds",
        "age=18:90", "--missing-indicator", "income", *options,
    )  # fmt: skip
    X = frame[FEATURES]
    model = seeded(name, categorical=["city"], bounds={"age": (18, 90)}, missing_indicators=["income"], **parameters)
    model.fit(X, frame[target])
    assert json.loads(model.model_.to_json()) == theirs

    run_program("predict", tmp_path / "data.csv", "--model", tmp_path / "model.json", "--output", tmp_path / "p.csv")
    predictions = pd.read_csv(tmp_path / "p.csv")
    np.testing.assert_array_equal(model.predict(X), predictions["prediction"].to_numpy())
    if name == "PrivateLogisticRegression":
        np.testing.assert_array_equal(model.predict_proba(X)[:, 1], predictions["probability"].to_numpy())


def test_an_exposure_is_that_of_the_program(tmp_path):
    frame = frame_of_everything()
    theirs = fit_program(tmp_path, frame, "count", "poisson", "--exposure", "years", "--features", "age,income")
    model = seeded("PrivatePoissonRegressor", exposure="years").fit(frame[["age", "income", "years"]], frame["count"])
    assert json.loads(model.model_.to_json()) == theirs


def test_more_classes_are_those_of_the_program(tmp_path):
    frame = frame_of_everything()
    theirs = fit_program(tmp_path, frame, "kind", "logistic", "--features", "age")
    model = seeded("PrivateLogisticRegression").fit(frame[["age"]], frame["kind"])
    assert json.loads(model.model_.to_json()) == theirs
    run_program("predict", tmp_path / "data.csv", "--model", tmp_path / "model.json", "--output", tmp_path / "p.csv")
    predictions = pd.read_csv(tmp_path / "p.csv")
    np.testing.assert_array_equal(model.predict(frame[["age"]]), predictions["prediction"].to_numpy())
    columns = [f"probability_{label}" for label in model.classes_]
    np.testing.assert_array_equal(model.predict_proba(frame[["age"]]), predictions[columns].to_numpy())


def test_a_mean_is_that_of_the_program(tmp_path):
    frame = frame_of_everything()
    theirs = fit_program(tmp_path, frame, "amount", "mean")
    assert json.loads(seeded("PrivateMean").fit(frame["amount"]).model_.to_json()) == theirs


def test_scales_and_public_rows_are_those_of_the_program(tmp_path):
    frame, last_year = frame_of_everything(), frame_of_everything(500)
    last_year.to_csv(tmp_path / "public.csv", index=False)
    theirs = fit_program(
        tmp_path, frame, "amount", "squared", "--features", "age,income,city", "--categorical", "city", "--scale",
        "age=50:20", "--public", tmp_path / "public.csv",
    )  # fmt: skip
    model = seeded("PrivateLinearRegression", categorical=["city"], scales={"age": (50, 20)}, public_rows=last_year)
    assert json.loads(model.fit(frame[FEATURES], frame["amount"]).model_.to_json()) == theirs


def test_a_fit_by_a_theorem_is_that_of_the_program(tmp_path):
    frame = frame_of_everything()
    theirs = fit_program(
        tmp_path, frame, "amount", "squared", "--features", "age", "--bounds", "age=18:90", "--bounds", "amount=-5:8",
        "--algorithm", "implicit-glm", "--moments", "3,4,8", "--diameter", 4,
    )  # fmt: skip
    model = seeded("PrivateLinearRegression", bounds={"age": (18, 90)}, target_bounds=(-5, 8), algorithm="implicit-glm",
                   theory={"moments": (3, 4, 8), "diameter": 4})  # fmt: skip
    model.fit(frame[["age"]], frame["amount"])
    assert json.loads(model.model_.to_json()) == theirs
    bound, failure, trivial = model.certified_
    assert bound > 0 and failure == 0 and not trivial and np.isinf(model.std_err_).all()
    copied = pickle.loads(pickle.dumps(model))
    assert copied.certified_ == model.certified_ and copied.model_.certified == model.certified_


@pytest.mark.parametrize(
    "algorithm, options, theory",
    [
        ("implicit-glm", ["--no-intercept"], {"fit_intercept": False}),
        ("localized", ["--strong-convexity", "1.5"], {"strong_convexity": 1.5}),
    ],
)
def test_a_theorem_is_told_the_same(algorithm, options, theory, tmp_path):
    frame = frame_of_everything()
    theirs = fit_program(
        tmp_path, frame, "amount", "squared", "--features", "age", "--bounds", "age=18:90", "--bounds", "amount=-5:8",
        "--algorithm", algorithm, "--moments", "3,4,8", "--diameter", 4, *options,
    )  # fmt: skip
    known = dict(bounds={"age": (18, 90)}, target_bounds=(-5, 8), algorithm=algorithm)
    moments = {"moments": (3, 4, 8), "diameter": 4}
    model = seeded("PrivateLinearRegression", **known, theory={**moments, **theory}).fit(frame[["age"]], frame["amount"])
    assert json.loads(model.model_.to_json()) == theirs
    plain = seeded("PrivateLinearRegression", **known, theory=moments).fit(frame[["age"]], frame["amount"])
    assert plain.intercept_ != model.intercept_


def test_the_default_delta_of_a_theorem_is_that_of_plan():
    y = np.ones(200_000)
    theory = {"moments": (3, 4, 8), "diameter": 4}
    assert seeded("PrivateMean", algorithm="implicit-glm", theory=theory).fit(y).privacy_["delta"] == 1 / 2e6
    assert seeded("PrivateMean").fit(y).privacy_["delta"] == 1e-6
    assert seeded("PrivateMean", delta=1e-7).fit(y).privacy_["delta"] == 1e-7


@pytest.mark.parametrize(
    "options, parameters",
    [
        (["--smoothness", 1], {"smoothness": 1}),
        (["--problem", "general", "--step-error", 0], {"problem": "general", "step_error": 0.0}),
        (["--strong-convexity", 0.1], {"strong_convexity": 0.1}),
    ],
)
def test_plan_and_account_are_those_of_the_program(options, parameters):
    theirs = run_program("plan", "--rows", 100000, "--features", 20, "--epsilon", 1, "--moments", "3,1.6,2.5",
                         "--diameter", 2, "--json", *options)  # fmt: skip
    ours = tailcoat.plan(rows=100000, features=20, epsilon=1, moments=(3, 1.6, 2.5), diameter=2, **parameters)
    for found in (ours, theirs):  # measured anew each time
        for algorithm in found["algorithms"]:
            algorithm.pop("estimated_seconds", None)
    assert ours == theirs
    theirs = run_program("account", "--compose", "gaussian:0.1x25,pure:0.5", "--delta", 1e-6, "--json")
    del theirs["schema"]
    assert tailcoat.account(compose=["gaussian:0.1x25", "pure:0.5"], delta=1e-6) == theirs
