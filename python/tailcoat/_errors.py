"""The exceptions that tailcoat raises. Messages say what was wrong, with the value, and what would be right."""


class TailcoatError(Exception):
    """Anything that tailcoat raises on its own account."""


class UsageError(TailcoatError, ValueError):
    """An argument that can never be served."""


class DataError(TailcoatError, ValueError):
    """Rows that cannot be served. The message may quote them: it is for the operator alone, and not private."""


class PreconditionFailed(TailcoatError):
    """A precondition of the theorem that the privacy or the accuracy rests on does not hold; nothing was charged."""


class BudgetExceeded(PreconditionFailed):
    """A release would cost more than what is left of a privacy budget."""


class SystemFailure(TailcoatError, RuntimeError):
    """The machine failed: memory, disk or random source."""


class PrivacyWarning(UserWarning):
    """What was asked for is less private than it looks."""
