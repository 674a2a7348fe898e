"""A run that fails says what it has spent: all of its budget once something was released, nothing before."""

import warnings

import numpy as np
import pytest
from conftest import HAS_NOTES, seeded

import tailcoat
from tailcoat._errors import tell_spent

BALL = tailcoat.ball(1, dimension=2)


def minimize(gradient, rows=2000, **options):
    X = np.random.default_rng(0).standard_normal((rows, 2))
    options = {"algorithm": "dp-sgd", "max_passes": 50, "smoothness": 1, **options}
    return tailcoat.minimize(gradient, X, BALL, (2, 1e-6), (4, 2, 2), threads=1, **options)


class Failing:
    """A gradient that fails after so many calls."""

    def __init__(self, calls, fail):
        self.calls, self.fail = calls, fail

    def __call__(self, x, rows):
        self.calls -= 1
        return np.tanh(x - rows) if self.calls >= 0 else self.fail(rows)


def no_more(rows):
    raise ZeroDivisionError("no more")


def test_what_a_gradient_raises_late_says_what_is_spent():
    calls = []
    minimize(lambda x, rows: calls.append(1) or np.tanh(x - rows))
    with pytest.raises(ZeroDivisionError, match="no more") as caught:
        minimize(Failing(len(calls) // 2, no_more))
    assert caught.value.spent == (2.0, 1e-6)
    if HAS_NOTES:
        (note,) = caught.value.__notes__
        assert "whole budget, epsilon = 2, delta = 1e-06, as spent" in note


def test_what_a_gradient_raises_at_once_has_cost_nothing():
    with pytest.raises(ZeroDivisionError, match="no more") as caught:
        minimize(Failing(0, no_more))
    assert caught.value.spent is None and not hasattr(caught.value, "__notes__")


@pytest.mark.parametrize("error", [KeyboardInterrupt, TypeError])
@pytest.mark.parametrize("name", ["PrivateLinearRegression", "PrivateLogisticRegression"])
def test_what_stops_a_fit_after_its_releases_says_what_is_spent(name, error, monkeypatch):
    def interrupt(*_):
        raise error

    X = np.random.default_rng(0).standard_normal((500, 2))
    model = seeded(name, epsilon=3)
    monkeypatch.setattr(type(model), "_set_coefficients", interrupt)
    with pytest.raises(error) as caught:
        model.fit(X, (X[:, 0] > 0).astype(int))
    assert caught.value.spent == (3.0, 1e-6)


def test_what_is_wrong_with_arguments_has_cost_nothing():
    for wrong in ({"smoothness": "much"}, {"max_passes": "9"}, {"algorithm": 3}, {"constants": None}):
        with pytest.raises(tailcoat.UsageError) as caught:
            tailcoat.minimize(lambda x, rows: rows, np.ones((4, 2)), BALL, (1, 1e-6), (4, 2, 2), **wrong)
        assert caught.value.spent is None


def test_gradients_of_another_shape_are_an_error_that_says_what_is_spent():
    calls = []
    minimize(lambda x, rows: calls.append(1) or np.tanh(x - rows))
    for allowed, spent in [(0, None), (len(calls) // 2, (2.0, 1e-6))]:
        with pytest.raises(tailcoat.TailcoatError) as caught:
            minimize(Failing(allowed, lambda rows: np.zeros((1, 7))))
        assert caught.value.spent == spent, caught.value


def test_classes_that_are_not_found_have_cost_the_budget():
    X = np.random.default_rng(0).standard_normal((500, 2))
    told = "the whole budget, epsilon = 1, delta = 1e-06, counts as spent"
    with pytest.raises(tailcoat.DataError, match=told) as caught:
        seeded("PrivateLogisticRegression").fit(X, np.zeros(500))
    assert caught.value.spent == (1.0, 1e-6)


def test_a_refusal_before_the_first_release_has_cost_nothing(line):
    X, y, _ = line
    with pytest.raises(tailcoat.PreconditionFailed, match="random source") as caught:
        seeded("PrivateLinearRegression", delta=1e-40).fit(X, y)
    assert caught.value.spent is None
    with pytest.raises(tailcoat.UsageError) as caught:
        seeded("PrivateLinearRegression", epsilon=-1).fit(X, y)
    assert caught.value.spent is None


def test_a_budget_that_a_release_would_overspend_is_refused_before_it(line):
    """Objective perturbation is one release at the whole epsilon; of 700 the random source can honour only a part."""
    X, y, _ = line
    theory = {"moments": (4, 9, 9), "diameter": 4, "smoothness": 1}
    model = seeded("PrivateHuberRegressor", algorithm="objective-perturbation", theory=theory, epsilon=700.0)
    with pytest.raises(tailcoat.BudgetExceeded, match="leave nothing of epsilon = 39") as caught:
        model.fit(X, y)
    assert caught.value.spent is None and isinstance(caught.value, tailcoat.PreconditionFailed)
    assert model.set_params(epsilon=1.0).fit(X, y).privacy_["secure"] is False


class BeforeNotes:
    """An exception as it was before Python 3.11, without notes."""


def test_without_notes_a_warning_says_what_is_spent():
    old = BeforeNotes()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("error")  # must not take the place of the exception
        with pytest.warns(tailcoat.PrivacyWarning, match="epsilon = 1, delta = 1e-06, as spent"):
            tell_spent(old, 1.0, 1e-6)
    assert old.spent == (1.0, 1e-6) and told == []


def test_a_refit_that_is_refused_leaves_the_model_as_it_was():
    X = np.random.default_rng(1).normal(size=(200, 2))
    model = tailcoat.PrivateLinearRegression(epsilon=1).fit(X, X[:, 0])
    before = model.predict(X)
    with pytest.raises(ValueError):
        model.fit(np.c_[X, X], X[:3, 0])
    assert np.array_equal(model.predict(X), before)
    with pytest.raises(tailcoat.TailcoatError):
        model.set_params(bounds={"x9": (0, 1)}).fit(np.c_[X, X], X[:, 0])
    assert np.array_equal(model.predict(X), before)


def test_ctrl_c_after_the_fit_says_what_is_spent(monkeypatch):
    def stop(self, value):
        raise KeyboardInterrupt

    X = np.random.default_rng(1).normal(size=(200, 2))
    monkeypatch.setattr(tailcoat.PrivateLinearRegression, "certified_", property(fset=stop), raising=False)
    with pytest.raises(KeyboardInterrupt) as caught:
        tailcoat.PrivateLinearRegression(epsilon=1).fit(X, X[:, 0])
    assert caught.value.spent == (1, 1e-6)
