"""The exceptions that tailcoat raises. Messages say what was wrong, with the value, and what would be right."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import Iterator


class TailcoatError(Exception):
    """Anything that tailcoat raises on its own account.

    Attributes
    ----------
    spent : (epsilon, delta) or None
        What counts as spent on the run that failed; None if nothing was released before.
    """

    spent: tuple[float, float] | None = None


class UsageError(TailcoatError, ValueError):
    """An argument that can never be served."""


class DataError(TailcoatError, ValueError):
    """Rows that cannot be served. The message may quote them: it is for the operator alone, and not private."""


class PreconditionFailed(TailcoatError):
    """A precondition of the theorem that the privacy or the accuracy rests on does not hold."""


class BudgetExceeded(PreconditionFailed):
    """A release would cost more than what is left of a privacy budget."""


class SystemFailure(TailcoatError, RuntimeError):
    """The machine failed: memory, disk or random source."""


class PrivacyWarning(UserWarning):
    """What was asked for is less private than it looks, or has cost privacy and given nothing."""


def tell_spent(error: BaseException, epsilon: float, delta: float) -> None:
    """Lets an exception that stopped a private run, such as Ctrl-C, say what counts as spent on the run."""
    note = (
        f"the run was stopped after its first release: count its whole budget, epsilon = {epsilon:g}, "
        f"delta = {delta:g}, as spent; nothing of it is given back"
    )
    before = getattr(error, "spent", None) or (0.0, 0.0)  # on a run inside this one
    error.spent = (before[0] + epsilon, before[1] + delta)  # type: ignore[attr-defined]
    if hasattr(error, "add_note"):
        error.add_note(note)
        return
    with warnings.catch_warnings():  # before Python 3.11; a filter must not put a warning in the place of the exception
        warnings.simplefilter("always", PrivacyWarning)
        warnings.warn(note, PrivacyWarning, stacklevel=2)


@contextmanager
def counted_as_spent(epsilon: float, delta: float) -> Iterator[None]:
    """For a private run and what follows it: an exception that does not say what is spent counts the whole budget. The
    library says it of all that it raises, and of what stops it. What is wrong with arguments is found before."""
    try:
        yield
    except BaseException as error:
        if not hasattr(error, "spent"):
            tell_spent(error, epsilon, delta)
        raise
