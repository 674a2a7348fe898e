"""Functions over the library: plan, account, minimize, domains and model files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Sequence

import numpy as np

from tailcoat import _core, _data
from tailcoat._errors import UsageError, counted_as_spent
from tailcoat._parameters import Progress, count_of, moments_of, number_of, numbers_of, progress_of, seed_of, text_of


def plan(
    *,
    rows: int,
    features: int,
    epsilon: float,
    moments: tuple[float, ...],
    diameter: float,
    delta: float | None = None,
    smoothness: float | None = None,
    strong_convexity: float = 0.0,
    constants: str = "tight",
    failure_probability: float = 0.0,
    max_passes: float = 1000,
    problem: str = "glm",
    step_error: float | None = None,
) -> dict[str, Any]:
    """What each algorithm promises and costs, from public numbers alone; as ``tailcoat plan --json``.

    Parameters
    ----------
    rows, features : int
        Of the data; features are the parameters of the model, with the intercept if there is one.
    epsilon : float
    moments : (k, G2, Gk)
        The largest gradient norms over the domain have a second moment of at most G2**2 and a k-th of at most Gk**k. A
        row is its features as they are fitted and, for an intercept, the constant 1. For 1 < k < 2, which some
        algorithms can do with: (k, Gk).
    diameter : float
        Of the domain, a ball.
    delta : float, optional
        min(1e-6, 1 / (10 rows)) if not given. 0 is pure epsilon-DP.
    smoothness : float, optional
        Every sample loss is this smooth.
    strong_convexity : float, default=0
        Of the mean loss for ``problem="glm"``. For "general" every sample loss f is so convex, and the moments are
        those of f and of f less strong_convexity / 2 times the squared distance from the centre of the domain.
    constants : "tight" or "paper"
    failure_probability : float, default=0
        Of the bound; 0: it holds on average, where an algorithm has such a bound.
    max_passes : float
        Over the data.
    problem : "glm" or "general"
        The loss: of one margin, as those of the estimators, or any convex loss of your own, as `minimize` takes.
    step_error : float, optional
        Of a general problem in C++: there is an implicit step of a sample that is off by at most this.

    Returns
    -------
    dict
        With a list ``algorithms``: for each its certified bound, its work, an estimate of its time, or why it refuses.
        Where ``trivial`` is True, its theorem promises no less than the centre of the domain has without data, and the
        bound is that of the centre.

    Examples
    --------
    >>> import tailcoat
    >>> found = tailcoat.plan(rows=100_000, features=20, epsilon=1, moments=(3, 1.6, 2.5), diameter=2)
    >>> best = min((a for a in found["algorithms"] if a.get("certified")), key=lambda a: a["certified_bound"])
    >>> best["certified_bound"] < found["trivial_bound"]
    True
    """
    arguments: dict[str, Any] = dict(
        rows=count_of(rows, "rows"),
        features=count_of(features, "features"),
        epsilon=epsilon,
        delta=delta,
        moments=moments_of(moments),
        diameter=diameter,
        smoothness=np.inf if smoothness is None else smoothness,
        strong_convexity=strong_convexity,
        constants=constants,
        failure_probability=failure_probability,
        max_passes=max_passes,
        problem=text_of(problem, "problem"),
        step_error=step_error,
    )
    return _core.plan(**arguments)


def account(
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    mu: float | None = None,
    rho: float | None = None,
    compose: str | Sequence[str] = "",
) -> dict[str, Any]:
    """Convert between privacy guarantees, and compose them; as ``tailcoat account --json``.

    Give epsilon and delta, or mu or rho (with delta or epsilon, to get the other), or ``compose`` with one of the two.

    Parameters
    ----------
    epsilon, delta : float, optional
    mu : float, optional
        Gaussian differential privacy.
    rho : float, optional
        Zero-concentrated differential privacy.
    compose : str or list of str, optional
        Events such as ``["gaussian:0.1x25", "pure:0.5", "approx:0.1:1e-7"]``; ``xN`` repeats.
        ``"sampled:0.001:0.8:20000"`` is Gaussian noise on the sums over 20,000 Poisson samples of the rows, each row
        in with probability 0.001; 0.8 is the norm bound of a row's contribution / standard deviation of the noise.

    Returns
    -------
    dict
        Every figure is rounded towards privacy.

    Examples
    --------
    >>> import tailcoat
    >>> round(tailcoat.account(epsilon=1, delta=1e-6)["noise_multiplier"], 2)
    4.22
    >>> tailcoat.account(compose=["gaussian:0.1x25", "pure:0.5"], delta=1e-6)["epsilon"] < 3.2
    True
    """
    events = compose if isinstance(compose, str) else ",".join(compose)
    return _core.account(epsilon=epsilon, delta=delta, mu=mu, rho=rho, compose=events)


def ball(radius: float, centre: Any = None, *, dimension: int | None = None) -> _core.Domain:
    """The Euclidean ball around a centre, or around the origin of so many dimensions.

    Examples
    --------
    >>> import tailcoat
    >>> tailcoat.ball(1.0, dimension=3).diameter
    2.0
    """
    if (centre is None) == (dimension is None):
        raise UsageError("a ball takes a centre or a dimension, one of the two")
    return _core.Domain.ball(np.zeros(dimension or 0) if centre is None else centre, radius)


def box(lower: Any, upper: Any) -> _core.Domain:
    """lower <= x <= upper, coordinate by coordinate.

    Examples
    --------
    >>> import tailcoat
    >>> tailcoat.box([0, 0], [3, 4]).diameter
    5.0
    """
    return _core.Domain.box(lower, upper)


def simplex(dimension: int, scale: float = 1.0) -> _core.Domain:
    """x >= 0 with sum equal to scale.

    Examples
    --------
    >>> import tailcoat
    >>> tailcoat.simplex(2).contains([0.25, 0.75])
    True
    """
    return _core.Domain.simplex(dimension, scale)


def intersection(*domains: _core.Domain) -> _core.Domain:
    """What all of the domains have in common.

    Examples
    --------
    >>> import tailcoat
    >>> tailcoat.intersection(tailcoat.ball(1.0, dimension=2), tailcoat.box([0, 0], [1, 1])).contains([0.9, 0.9])
    False
    """
    return _core.Domain.intersection(list(domains))


@dataclass(frozen=True)
class Solution:
    """What `minimize` found.

    Attributes
    ----------
    x : array
        The released point of the domain.
    privacy : dict
        What was released at what price, as ``privacy_`` of an estimator has it.
    certified_bound : float
        The excess risk is at most this: on average or, if ``failure_probability`` is not 0, with probability one
        less that.
    failure_probability : float
    trivial : bool
        The theorem promises no less than the centre of the domain has without data; the bound is that of the centre.
    sample_gradients, passes : float
        The work that was done.
    """

    x: np.ndarray
    privacy: dict[str, Any] = field(repr=False)
    certified_bound: float
    failure_probability: float
    trivial: bool
    sample_gradients: float
    passes: float


def length_of(data: Any) -> int:
    if not isinstance(data, tuple):
        return len(data)
    lengths = {len(part) for part in data}
    if len(lengths) != 1:
        raise UsageError(f"the parts of data have {sorted(lengths)} rows; they need as many each")
    return lengths.pop()


def _rows(data: Any, begin: int, end: int) -> Any:
    if isinstance(data, tuple):
        return tuple(_rows(part, begin, end) for part in data)
    return data.iloc[begin:end] if hasattr(data, "iloc") else data[begin:end]


def gradients_of_rows(
    gradient: Callable[[np.ndarray, Any], Any], data: Any, dimension: int
) -> Callable[[np.ndarray, int, int], np.ndarray]:
    """The user's gradient as the library asks for it: at x, for rows from `begin` to `end`, checked."""

    def block(x: np.ndarray, begin: int, end: int) -> np.ndarray:
        given = np.asarray(gradient(x, _rows(data, begin, end)))
        if given.dtype in (np.float16, np.float32):  # rounded by more than the sensitivity allows for
            raise UsageError(f"the gradient returns {given.dtype}; compute it in float64: privacy rests on accuracy")
        found = np.ascontiguousarray(given, dtype=np.float64)
        if found.shape != (end - begin, dimension):
            raise UsageError(
                f"gradient gave an array of shape {found.shape} for {end - begin} rows in {dimension} dimensions; it "
                f"must be {(end - begin, dimension)}"
            )
        return found

    return block


def minimize(
    gradient: Callable[[np.ndarray, Any], Any],
    data: Any,
    domain: _core.Domain,
    budget: tuple[float, float],
    moments: tuple[float, ...],
    *,
    algorithm: str = "implicit",
    smoothness: float | None = None,
    strong_convexity: float = 0.0,
    gradient_error: float = 0.0,
    constants: str = "tight",
    failure_probability: float = 0.0,
    max_passes: float = 1000,
    threads: int = 1,
    progress: Progress = None,
    random_state: int | None = None,
    insecure_random_state: bool = False,
) -> Solution:
    """Minimise the mean of a convex loss of your own over a domain, differentially private.

    Parameters
    ----------
    gradient : callable
        ``gradient(x, rows)`` is an array of len(rows) gradients of d numbers, of the loss at x for each row. Row i of
        it must depend on x and row i alone: privacy rests on that, and on the loss being convex. It is called with a
        few rows or with many, from one thread at a time. For "localized" each call is for one row, since which rows
        are drawn together is secret: 100,000 rows take a minute or two; fewer ``max_passes`` make that shorter. What
        it raises comes out of minimize, which then gives nothing back.
    data : array, DataFrame or tuple of these
        Rows; ``rows`` are slices of it. Must not change meanwhile.
    domain : Domain
        From `ball`, `box`, `simplex` or `intersection`; d is its dimension.
    budget : (epsilon, delta)
        delta = 0 is pure epsilon-DP, for the algorithm "known-lipschitz".
    moments : (k, G2, Gk)
        The Lipschitz constants of the loss over the rows that could be have a second moment of at most G2**2 and a
        k-th of at most Gk**k. Public: assumed, not looked up.
    algorithm : str, default="implicit"
        One that ``plan(problem="general")`` lists.
    smoothness : float, optional
        Of every sample loss.
    strong_convexity : float, default=0
        Of every sample loss f. The moments then are those of f and of f less strong_convexity / 2 times the squared
        distance from the centre of the domain.
    gradient_error : float, default=0
        How far a gradient may be from the exact one, relative.
    constants, failure_probability, max_passes
        As in `plan`.
    threads : int, default=1
        The gradients are computed under Python's lock: more threads seldom help.
    progress, random_state, insecure_random_state
        As in the estimators.

    Returns
    -------
    Solution

    Examples
    --------
    The median in two dimensions, smoothed:

    >>> import numpy as np, tailcoat
    >>> data = np.random.default_rng(0).standard_t(3, (2000, 2)) * 0.1 + 0.3
    >>> def gradient(x, rows):
    ...     return np.tanh((x - rows) / 0.5) / 2
    >>> found = tailcoat.minimize(gradient, data, tailcoat.ball(1.0, dimension=2), (1.0, 1e-6), (4, 0.71, 0.71),
    ...                           smoothness=1.0, random_state=0, insecure_random_state=True)  # seeded: not private
    >>> bool(np.linalg.norm(found.x - 0.3) < 1)
    True
    """
    data = _data.as_numbers(_data.by_cell(data), "data") if isinstance(data, list) else data
    epsilon, delta = numbers_of(budget, "budget", "epsilon, delta")
    arguments: dict[str, Any] = dict(
        gradient=gradients_of_rows(gradient, data, domain.dimension),
        rows=length_of(data),
        domain=domain,
        epsilon=epsilon,
        delta=delta,
        moments=moments_of(moments),
        algorithm=text_of(algorithm, "algorithm"),
        smoothness=np.inf if smoothness is None else number_of(smoothness, "smoothness"),
        strong_convexity=number_of(strong_convexity, "strong_convexity"),
        gradient_error=number_of(gradient_error, "gradient_error"),
        constants=text_of(constants, "constants"),
        failure_probability=number_of(failure_probability, "failure_probability"),
        max_passes=number_of(max_passes, "max_passes"),
        seed=seed_of(random_state, insecure_random_state),
        threads=count_of(threads, "threads"),
        progress=progress_of(progress),
    )
    with counted_as_spent(epsilon, delta):
        return Solution(**_core.minimize(**arguments))
