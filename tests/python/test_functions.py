"""plan, account, minimize and domains."""

import threading
import time

import numpy as np
import pandas as pd
import pytest
from conftest import HAS_NOTES

import tailcoat

BUDGET, MOMENTS = (1.0, 1e-6), (4, 0.75, 0.75)


@pytest.fixture(scope="module")
def points():
    return np.random.default_rng(0).standard_t(3, (1000, 2)) * 0.1 + 0.3


def gradient(x, rows):
    return np.tanh((x - rows) / 0.5) / 2


def minimize(function, data, **parameters):
    defaults = {"smoothness": 1.0, "random_state": 1, "insecure_random_state": True}
    domain = tailcoat.ball(1.0, dimension=2)
    return tailcoat.minimize(function, data, domain, BUDGET, MOMENTS, **{**defaults, **parameters})


@pytest.mark.parametrize("algorithm", ["implicit", "localized", "known-lipschitz", "dp-sgd", "clipped-dp-sgd"])
def test_minimize_finds_the_minimum_and_says_what_it_paid(points, algorithm):
    found = minimize(gradient, points, algorithm=algorithm, max_passes=50)
    assert found.x.shape == (2,) and np.linalg.norm(found.x - 0.3) < 1
    assert found.privacy["secure"] is False and found.privacy["releases"]
    assert found.certified_bound > 0 and found.passes > 0


def test_minimize_does_not_depend_on_threads_and_blocks(points):
    few = {"algorithm": "dp-sgd", "max_passes": 5}
    one = minimize(gradient, points, **few)
    for threads in (2, 3):
        np.testing.assert_array_equal(minimize(gradient, points, threads=threads, **few).x, one.x)
    by_row = minimize(lambda x, rows: np.stack([gradient(x, row) for row in rows]), points, **few)
    np.testing.assert_array_equal(by_row.x, one.x)


def test_localized_asks_for_one_row_at_a_time(points):
    """Which rows are drawn together is secret, and the last bits of a row's gradient depend on the call it is part of."""
    sizes = set()

    def noting(x, rows):
        sizes.add(len(rows))
        return gradient(x, rows)

    minimize(noting, points, algorithm="localized")
    assert sizes == {1}


def test_minimize_takes_tuples_frames_and_lists(points):
    points = points[:100]
    expected = minimize(gradient, points).x
    frame = pd.DataFrame(points)
    for data, function in (
        (points.tolist(), gradient),
        (frame, lambda x, rows: gradient(x, rows.to_numpy())),
        ((points[:, 0], points[:, 1]), lambda x, rows: gradient(x, np.column_stack(rows))),
    ):
        np.testing.assert_array_equal(minimize(function, data).x, expected)


def test_rows_are_asked_for_in_blocks(points):
    sizes = []

    def counting(x, rows):
        sizes.append(len(rows))
        return gradient(x, rows)

    minimize(counting, points, algorithm="dp-sgd", max_passes=3)
    assert max(sizes) > 200
    assert len(sizes) < len(points)


def test_what_the_gradient_raises_comes_out_as_itself(points):
    class Mine(Exception):
        pass

    mine = Mine("of my own")

    def raising(x, rows):
        raise mine

    for threads in (1, 3):
        with pytest.raises(Mine) as caught:
            minimize(raising, points, threads=threads)
        assert caught.value is mine


@pytest.mark.parametrize(
    "wrong, words",
    [
        (lambda x, rows: x, "shape"),
        (lambda x, rows: np.ones((len(rows), 3)), r"must be \(1, 2\)"),
        (lambda x, rows: np.ones((len(rows) + 1, 2)), "shape"),
        (lambda x, rows: None, "shape|float"),
        (lambda x, rows: [["a", "b"]] * len(rows), "could not convert"),
    ],
)
def test_gradients_of_another_shape_are_refused(points, wrong, words):
    with pytest.raises((ValueError, TypeError), match=words):
        minimize(wrong, points)


def test_gradients_that_are_not_finite_contribute_nothing(points):
    def mostly(x, rows):
        found = gradient(x, rows)
        found[rows[:, 0] > 0.5] = np.nan
        return found

    assert np.isfinite(minimize(mostly, points, algorithm="dp-sgd", max_passes=20).x).all()


def test_x_is_a_copy_that_may_be_scribbled_on(points):
    def scribbling(x, rows):
        found = gradient(x, rows)
        x[:] = np.nan
        return found

    np.testing.assert_array_equal(minimize(scribbling, points[:100]).x, minimize(gradient, points[:100]).x)


def test_progress_comes_from_the_calling_thread_and_may_stop_the_run(points):
    seen = []

    def progress(done, total):
        seen.append((done, total, threading.current_thread() is threading.main_thread()))
        if done > 150_000:  # after the first release
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough") as caught:
        minimize(gradient, np.repeat(points, 100, axis=0), algorithm="dp-sgd", progress=progress)
    assert all(main and 0 < done <= total for done, total, main in seen)
    assert [done > 150_000 for done, *_ in seen].index(True) == len(seen) - 1
    assert caught.value.spent is not None
    assert not HAS_NOTES or any("as spent" in note for note in caught.value.__notes__)


def shown(algorithm, points, scale, patience):
    """The rows before the block that row 600 is in, what progress shows last meanwhile, and all that it shows."""
    seen, meanwhile = [], []

    def slow(x, part):
        if 600 in part[:, 0] and not meanwhile:
            before, until = part[0, 0], time.monotonic() + patience
            while seen[-1:] != [(before, 1000)] and time.monotonic() < until:
                time.sleep(0.05)
            meanwhile.extend([before, seen[-1:]])
        return np.tanh(x - scale * part[:, 1:])

    data = np.column_stack([np.arange(1000), points])
    minimize(slow, data, algorithm=algorithm, max_passes=5, progress=lambda *step: seen.append(step))
    return *meanwhile, seen


@pytest.mark.parametrize("scale", [0.0, 1.0, 100.0])
def test_progress_counts_rows_and_not_how_often_a_loop_asks_for_them(points, scale):
    """Implicit steps ask for many gradients of one row, how many depends on what is in it."""
    before, meanwhile, seen = shown("implicit", points, scale, patience=10)
    assert meanwhile == [(before, 1000)] and seen[-1] == (1000, 1000)


@pytest.mark.parametrize("scale", [0.0, 1.0, 100.0])
def test_of_a_search_that_ends_when_it_has_found_something_only_the_end_is_shown(points, scale):
    assert shown("known-lipschitz", points, scale, patience=0.3)[1:] == ([], [(1, 1)])


@pytest.mark.parametrize(
    "parameters, error, words",
    [
        ({"algorithm": "magic"}, tailcoat.UsageError, "magic"),
        ({"algorithm": "one-pass-glm"}, tailcoat.PreconditionFailed, "generalised linear models"),
        ({"algorithm": "smooth-svt", "smoothness": None}, tailcoat.PreconditionFailed, "smooth"),
        ({"smoothness": None}, tailcoat.PreconditionFailed, "implicit_step"),
        ({"constants": "loose"}, tailcoat.UsageError, "loose"),
        ({"max_passes": 0}, tailcoat.UsageError, "max-passes"),
        ({"threads": -1}, tailcoat.UsageError, "threads = -1"),
        ({"progress": 1}, tailcoat.UsageError, "progress = 1"),
        ({"gradient_error": 1}, tailcoat.UsageError, "gradient_error"),
        ({"insecure_random_state": False}, tailcoat.UsageError, "insecure_random_state"),
    ],
)
def test_bad_parameters_of_minimize_are_refused_before_the_gradient_is_called(points, parameters, error, words):
    def never(x, rows):
        raise AssertionError("called")

    with pytest.raises(error, match=words):
        minimize(never, points, **parameters)


def test_parts_of_data_need_as_many_rows(points):
    with pytest.raises(tailcoat.UsageError, match="as many"):
        minimize(gradient, (points, points[:5]))


def test_domains_know_their_points():
    ball = tailcoat.ball(2.0, [1.0, 1.0])
    assert ball.dimension == 2 and ball.diameter == 4 and ball.contains([1, 3]) and not ball.contains([1, 3.1])
    np.testing.assert_allclose(ball.project([1, 9]), [1, 3])
    both = tailcoat.intersection(ball, tailcoat.box([0, 0], [1, 1]))
    np.testing.assert_allclose(both.project([9, 9]), [1, 1], atol=1e-9)
    np.testing.assert_allclose(tailcoat.simplex(3).project([1, 1, 1]), [1 / 3] * 3)
    for wrong in (lambda: tailcoat.ball(1.0), lambda: tailcoat.ball(-1.0, [0]), lambda: tailcoat.box([1], [0]),
                  lambda: tailcoat.simplex(0), lambda: ball.project([np.nan, 0]),
                  lambda: ball.project([0])):  # fmt: skip
        with pytest.raises(tailcoat.UsageError):
            wrong()


QUERIES = [{}, {"epsilon": 1}, {"mu": 1, "rho": 1}, {"compose": "magic:1", "delta": 0.1}, {"mu": -1}]


@pytest.mark.parametrize("query", QUERIES)
def test_account_says_what_is_missing(query):
    with pytest.raises(tailcoat.UsageError):
        tailcoat.account(**query)


def test_account_converts_and_composes():
    assert tailcoat.account(mu=1, delta=1e-5)["epsilon"] == pytest.approx(4.38, abs=0.01)
    assert tailcoat.account(compose="pure:0.5x2", delta=1e-9)["epsilon"] == pytest.approx(1, abs=1e-6)


def test_plan_lists_every_algorithm_and_why_it_refuses():
    found = tailcoat.plan(rows=1000, features=3, epsilon=1, moments=(2, 1, 1), diameter=2)
    assert all(algorithm["runs"] or algorithm["refused"] for algorithm in found["algorithms"])
    with pytest.raises(tailcoat.UsageError, match="rows"):
        tailcoat.plan(rows=0, features=3, epsilon=1, moments=(2, 1, 1), diameter=2)
    for wrong in ({"moments": (2, 1)}, {"rows": 1e6}):
        with pytest.raises(tailcoat.UsageError, match="moments = |rows = "):
            tailcoat.plan(**{"rows": 1000, "features": 3, "epsilon": 1, "moments": (2, 1, 1), "diameter": 2, **wrong})
    with pytest.raises(tailcoat.UsageError, match="neither glm nor general"):
        tailcoat.plan(rows=10, features=1, epsilon=1, moments=(2, 1, 1), diameter=2, problem="convex")
    with pytest.raises(tailcoat.UsageError, match="features"):
        tailcoat.plan(rows=10, features=10**9, epsilon=1, moments=(2, 1, 1), diameter=2)


def test_what_is_planned_for_a_general_problem_is_what_minimize_does(points):
    found = tailcoat.plan(rows=len(points), features=2, epsilon=1, delta=1e-6, moments=MOMENTS, diameter=2,
                          smoothness=1, max_passes=5, problem="general")  # fmt: skip
    for planned in found["algorithms"]:
        if not planned["runs"]:
            with pytest.raises(tailcoat.TailcoatError) as caught:
                minimize(gradient, points, algorithm=planned["name"], max_passes=5)
            assert str(caught.value) == planned["refused"]
            continue
        solution = minimize(gradient, points, algorithm=planned["name"], max_passes=5)
        assert solution.trivial == planned["trivial"], planned["name"]
        if planned["name"] not in ("known-lipschitz", "smooth-svt"):  # which certify the noise that they used
            assert solution.certified_bound == planned["certified_bound"], planned["name"]


def test_a_bound_is_never_above_the_trivial_one(points):
    found = minimize(gradient, points, algorithm="kamath-liu-zhang", max_passes=2)
    assert found.trivial and found.certified_bound == 0.75 and found.failure_probability == 0


def sign(x, rows):
    return np.sign(x - rows) / 2


def test_appendix_a_finds_the_minimum_and_is_called_not_private(points):
    ball = tailcoat.ball(1.0, dimension=2)
    found = tailcoat.nonprivate_high_probability_sco(sign, points, ball, 0.71)
    assert np.linalg.norm(found.x - 0.3) < 0.3 and found.failure_probability == 0.05
    assert 0 < found.queries <= len(points)
    rarer = tailcoat.nonprivate_high_probability_sco(sign, points, ball, 0.71, failure_probability=1e-3)
    assert rarer.certified_bound > found.certified_bound and not found.trivial
    assert rarer.trivial and rarer.certified_bound == 0.71 and rarer.failure_probability == 0
    assert "NOT PRIVATE" in tailcoat.nonprivate_high_probability_sco.__doc__
    assert not hasattr(found, "privacy")


def test_appendix_a_uses_each_row_at_most_once(points):
    seen = []

    def noting(x, rows):
        seen.extend(rows[:, 0])
        return sign(x, rows)

    found = tailcoat.nonprivate_high_probability_sco(noting, points, tailcoat.ball(1.0, dimension=2), 0.71)
    assert seen == list(points[: found.queries, 0])


def test_appendix_a_refuses_bad_arguments_and_passes_on_what_is_raised(points):
    ball = tailcoat.ball(1.0, dimension=2)
    for wrong in ({"g2": 0}, {"failure_probability": 0.7}, {"constants": "loose"}):
        with pytest.raises(tailcoat.UsageError):
            tailcoat.nonprivate_high_probability_sco(sign, points, ball, **{"g2": 0.71, **wrong})

    def raising(x, rows):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        tailcoat.nonprivate_high_probability_sco(raising, points, ball, 0.71)
    with pytest.raises(tailcoat.UsageError, match="must be"):
        tailcoat.nonprivate_high_probability_sco(lambda x, rows: np.ones((1, 3)), points, ball, 0.71)


def test_delta_zero_is_pure_and_for_known_lipschitz_alone(points):
    found = tailcoat.plan(rows=100_000, features=20, epsilon=1, delta=0, moments=(3, 1.6, 2.5), diameter=2)
    assert [a["name"] for a in found["algorithms"] if a["runs"]] == ["known-lipschitz"]
    assert found["delta"] == 0 and "mu" not in found
    domain = tailcoat.ball(1.0, dimension=2)
    given = {"smoothness": 1.0, "random_state": 1, "insecure_random_state": True}
    solution = tailcoat.minimize(gradient, points, domain, (1.0, 0), MOMENTS, algorithm="known-lipschitz", **given)
    assert solution.privacy["delta"] == 0
    assert {line["mechanism"] for line in solution.privacy["releases"]} == {"parallel", "laplace"}
    with pytest.raises(tailcoat.PreconditionFailed, match="use known-lipschitz"):
        tailcoat.minimize(gradient, points, domain, (1.0, 0), MOMENTS, **given)
    with pytest.raises(tailcoat.UsageError, match="only algorithm known-lipschitz"):
        tailcoat.PrivateMean(epsilon=1, delta=0).fit(points[:, 0])


def test_moments_below_two_are_two_numbers():
    found = tailcoat.plan(rows=100_000, features=20, epsilon=1, moments=(1.5, 2), diameter=2)
    assert "known-lipschitz" in [a["name"] for a in found["algorithms"] if a["runs"]]
    for wrong in ((2, 1), (1.5, 1, 2), (1.5,)):
        with pytest.raises(tailcoat.UsageError):
            tailcoat.plan(rows=1000, features=3, epsilon=1, moments=wrong, diameter=2)
