"""Parameters that estimators and functions share."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Union

import numpy as np

from tailcoat._errors import UsageError

Progress = Union[Callable[[int, int], None], bool, None]  # a function of (done, total); True: a bar of tqdm

_LARGEST_SEED = 2**53


def seed_of(random_state: Any, insecure: bool) -> int | None:
    if random_state is None:
        return None
    if not insecure:
        raise UsageError(
            f"random_state = {random_state!r} would make the noise predictable and the result not private; if this is "
            f"a test, pass insecure_random_state=True as well"
        )
    if isinstance(random_state, (int, np.integer)) and 0 <= random_state < _LARGEST_SEED:
        return int(random_state)
    raise UsageError(f"random_state = {random_state!r} is not a whole number from 0 to 2**53")


def numbers_of(value: Any, option: str, names: str) -> tuple[float, ...]:
    """As many numbers as there are names, separated by commas."""
    try:
        numbers = tuple(number_of(one, option) for one in listed(value, option))
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) != names.count(",") + 1:
        raise UsageError(f"{option} = {value!r}; give the numbers ({names})")
    return numbers


def moments_of(value: Any, option: str = "moments") -> tuple[float, ...]:
    """(k, G2, Gk); of (k, Gk) with k below 2, which has no G2, the second is infinite."""
    given = tuple(listed(value, option))
    if len(given) == 2 and number_of(given[0], option) < 2:
        k, gk = numbers_of(given, option, "k, Gk")
        return k, float("inf"), gk
    return numbers_of(given, option, "k, G2, Gk")


def number_of(value: Any, option: str) -> float:
    if isinstance(value, (str, bytes)):  # which float() would read
        raise UsageError(f"{option} = {value!r} is not a number but a text; leave out the quotes")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise UsageError(f"{option} = {value!r} is not a number") from None


def text_of(value: Any, option: str) -> str:
    if isinstance(value, str):
        return value
    raise UsageError(f"{option} = {value!r} is not a text")


def count_of(value: Any, option: str) -> int:
    if isinstance(value, (int, np.integer)) and value >= 0:
        return int(value)
    raise UsageError(f"{option} = {value!r} is not a whole number from 0 on")


def listed(value: Any, option: str) -> Any:
    """The value, if it is some kind of list; a text would be taken for its letters."""
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return value
    raise UsageError(f"{option} = {value!r} must be a list")


def progress_of(progress: Progress) -> Callable[[int, int], None] | None:
    if progress is None or progress is False:
        return None
    if progress is not True:
        if not callable(progress):
            raise UsageError(f"progress = {progress!r}; give a function of (done, total), or True for a bar of tqdm")
        return progress
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise UsageError("progress=True needs the package tqdm; or pass a function of (done, total)") from None
    bar = tqdm(desc="private fit", leave=False)

    def show(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)
        if done == total:
            bar.close()

    return show
