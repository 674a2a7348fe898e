"""scikit-learn's own checks of an estimator, and what its users do with one."""

import pickle

import numpy as np
import pytest
from conftest import ESTIMATORS, seeded
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import tailcoat

# The checks fit 10 to 300 rows, where no budget that deserves the name finds anything: hence these. More than about 50
# of epsilon is not used in any case, because the random source is not better than that. Seeded, because some checks
# compare two fits.
CHECKED = [seeded(name, epsilon=1e3, delta=0.05, random_state=0) for name in ESTIMATORS]

MISSING_TARGETS = {
    "check_supervised_y_no_nan": "rows without a target are allowed and contribute nothing: to drop them beforehand would "
    "make the number of rows, which is public, depend on the data"
}


def expected_failures(estimator):
    return MISSING_TARGETS if hasattr(estimator, "predict") and not hasattr(estimator, "classes") else {}


@pytest.mark.filterwarnings("ignore::tailcoat.PrivacyWarning")
@parametrize_with_checks(CHECKED, expected_failed_checks=expected_failures)
def test_estimator_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_estimators_work_in_pipelines(line):
    X, y, _ = line
    piped = make_pipeline(StandardScaler(), seeded("PrivateLinearRegression")).fit(X, y)
    assert piped.score(X, y) > 0.5


def test_cross_validation_runs_a_private_fit_per_fold(line):
    X, y, _ = line
    assert (cross_val_score(seeded("PrivateLinearRegression"), X, y, cv=3) > 0.5).all()


def test_grid_search_sets_parameters(line):
    X, y, _ = line
    search = GridSearchCV(seeded("PrivateHuberRegressor"), {"threshold": [1.0, 2.0]}, cv=2).fit(X, y)
    assert search.best_estimator_.threshold in (1.0, 2.0)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_clone_keeps_parameters_and_pickle_keeps_the_model(name):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 2))
    y = rng.poisson(1, 500) if "Poisson" in name else (X[:, 0] > 0 if hasattr(seeded(name), "classes") else X[:, 0])
    fitted = seeded(name).fit(X, y)
    assert clone(fitted).get_params() == fitted.get_params()
    copied = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copied.predict(X), fitted.predict(X))
    assert copied.privacy_ == fitted.privacy_ and copied.model_.to_json() == fitted.model_.to_json()


def test_a_second_fit_leaves_nothing_of_the_first(line):
    X, y, _ = line
    model = seeded("PrivateLinearRegression").fit(X, y)
    model.set_params(epsilon=2.0).fit(X[:, :2], y)
    fresh = seeded("PrivateLinearRegression", epsilon=2.0).fit(X[:, :2], y)
    assert model.model_.to_json() == fresh.model_.to_json() and model.n_features_in_ == 2


def test_a_fit_that_is_refused_keeps_the_former_model(line):
    X, y, _ = line
    model = seeded("PrivateLinearRegression").fit(X, y)
    before = model.model_.to_json()
    with pytest.raises(ValueError):
        model.set_params(epsilon=-1.0).fit(X, y)
    assert model.model_.to_json() == before


def test_a_pickle_of_something_else_is_refused():
    model = tailcoat._core.Model.__new__(tailcoat._core.Model)
    with pytest.raises(tailcoat.DataError):
        model.__setstate__(("{}", [0.0] * 3, [0.0] * 3, [], False, True))
    model = tailcoat._core.Model.__new__(tailcoat._core.Model)
    with pytest.raises(TypeError):
        model.__setstate__(("{}",))
