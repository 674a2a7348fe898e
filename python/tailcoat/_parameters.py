"""Parameters that estimators and functions share."""

from __future__ import annotations

from typing import Any, Callable, Union

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


def progress_of(progress: Progress) -> Callable[[int, int], None] | None:
    if progress is None or progress is False:
        return None
    if progress is not True:
        return progress
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise UsageError("progress=True needs the package tqdm; install it, or pass a function of (done, total)") from None
    bar = tqdm(desc="private fit", leave=False)

    def show(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)
        if done == total:
            bar.close()

    return show
