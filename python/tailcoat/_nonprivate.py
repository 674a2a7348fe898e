"""What is not private: Appendix A of the paper, stochastic convex optimisation with high probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

import numpy as np

from tailcoat import _core, _data
from tailcoat._functions import gradients_of_rows, length_of
from tailcoat._parameters import number_of, text_of


@dataclass(frozen=True)
class NonprivateSolution:
    """What `nonprivate_high_probability_sco` found. **It is not private**: it may tell everything about single rows.

    Attributes
    ----------
    x : array
        The point of the domain.
    certified_bound : float
        The excess risk is at most this, with probability one less ``failure_probability``.
    failure_probability : float
    trivial : bool
        The theorem promises no less than the centre of the domain has without data; the bound is that of the centre.
    queries : int
        How many rows were used, once each.
    """

    x: np.ndarray
    certified_bound: float
    failure_probability: float
    trivial: bool
    queries: int


def nonprivate_high_probability_sco(
    gradient: Callable[[np.ndarray, Any], Any],
    data: Any,
    domain: _core.Domain,
    g2: float,
    *,
    failure_probability: float = 0.05,
    constants: str = "tight",
) -> NonprivateSolution:
    """Minimise the mean of a convex loss with high probability. NOT PRIVATE: for data that nobody has to protect.

    One pass over heavy-tailed rows, with a bound that holds with probability 1 - failure_probability and grows with the
    root of the logarithm of that alone, though gradients have no more than a second moment (Appendix A of the paper). No
    noise is added and no budget is charged. For a private minimum use `minimize`.

    Parameters
    ----------
    gradient : callable
        ``gradient(x, rows)`` is an array of len(rows) gradients of d numbers, as in `minimize`.
    data : array, DataFrame or tuple of these
        Independent rows of one distribution, in random order: each is used once, one after the other.
    domain : Domain
        From `ball`, `box`, `simplex` or `intersection`; d is its dimension.
    g2 : float
        At every point of the domain the gradients have a second moment of at most g2**2.
    failure_probability : float, default=0.05
    constants : "tight" or "paper"

    Returns
    -------
    NonprivateSolution

    Examples
    --------
    >>> import numpy as np, tailcoat
    >>> data = np.random.default_rng(0).standard_t(2.5, (5000, 2)) * 0.1 + 0.3
    >>> def gradient(x, rows):
    ...     return np.sign(x - rows) / 2
    >>> found = tailcoat.nonprivate_high_probability_sco(gradient, data, tailcoat.ball(1.0, dimension=2), 0.71)
    >>> bool(np.linalg.norm(found.x - 0.3) < 0.2), found.failure_probability
    (True, 0.05)
    """
    data = _data.as_numbers(_data.by_cell(data), "data") if isinstance(data, list) else data
    return NonprivateSolution(
        **_core.nonprivate_high_probability_sco(
            gradient=gradients_of_rows(gradient, data, domain.dimension),
            rows=length_of(data),
            domain=domain,
            g2=number_of(g2, "g2"),
            constants=text_of(constants, "constants"),
            failure_probability=number_of(failure_probability, "failure_probability"),
        )
    )
