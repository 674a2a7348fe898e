"""Ctrl-C, the GIL, and progress."""

import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import HAS_NOTES, seeded

# A program that says when it begins, is interrupted after a while, and says how that went.
PROGRAM = """
import os, signal, threading, time
import numpy as np, tailcoat
rng = np.random.default_rng(0)
{setup}
tailcoat.PrivateMean(epsilon=1).fit(np.arange(100.0))  # all that is imported at first use
asked, begun = [], threading.Event()
def interrupt():
    begun.wait({patience})
    asked.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
try:
    {run}
    print("finished")
except KeyboardInterrupt as stopped:
    print("stopped", time.monotonic() - asked[0], getattr(stopped, "spent", None), getattr(stopped, "__notes__", []))
x = tailcoat.PrivateMean(epsilon=1).fit(np.arange(100.0))  # all is well afterwards
print("well")
"""

# What to set up, what to run, and how long to wait, at most, until it has begun.
RUNS = {
    "adaptive fit": (
        "X = rng.standard_normal((1_500_000, 20)); y = X[:, 0].copy(); classes = (X[:, 0] * 6).astype(np.int8) % 6",
        "tailcoat.PrivateLogisticRegression(epsilon=1, classes=range(-5, 6), progress=lambda *_: begun.set()).fit(X, "
        "classes)",
        60,
    ),
    "fit by a theorem": (
        "X = rng.standard_normal((300_000, 5)); y = X[:, 0].copy()",
        "tailcoat.PrivateLinearRegression(epsilon=1, delta=1e-6, algorithm='dp-sgd', theory={'moments': (4, 9, 9), "
        "'diameter': 4, 'max_passes': 100000}).fit(X, y)",
        0.7,
    ),
    "fit by a theorem whose minimiser takes long": (
        "X = rng.standard_normal((3_000_000, 5)); y = X[:, 0].copy()",
        "tailcoat.PrivateLinearRegression(epsilon=1, delta=1e-6, algorithm='known-lipschitz', theory={"
        "'moments': (4, 9, 9), 'diameter': 4}).fit(X, y)",
        0.7,
    ),
    "loss of one's own": (
        "X = rng.standard_normal((100_000, 2))",
        "tailcoat.minimize(lambda x, rows: np.tanh(x - rows), X, tailcoat.ball(1, dimension=2), (1, 1e-6), (4, 2, 2), "
        "smoothness=1, algorithm='dp-sgd', max_passes=100000)",
        0.7,
    ),
}

# What releases nothing: what to set up, and what to run.
FREE_RUNS = {
    "prediction": (
        "X = rng.standard_normal((2_000_000, 20)); few = X[:10000]; "
        "model = tailcoat.PrivateLogisticRegression(epsilon=1000, classes=range(10)); "
        "model.fit(few, few[:, :10].argmax(axis=1))",
        "model.predict(X)",
    ),
    "reading of a stream of many batches": (
        "import pyarrow as pa; batch = pa.record_batch({'x': np.zeros(1000), 'y': np.zeros(1000)})",
        "tailcoat._core.Data.of_arrow("
        "pa.RecordBatchReader.from_batches(batch.schema, (batch for _ in range(100_000))), [], [], None)",
    ),
    "reading of a single batch": (
        "import pyarrow as pa; X = pa.table({'x': pa.repeat('a text', 30_000_000)})",
        "tailcoat._core.Data.of_arrow(X, [], ['x'], None)",
    ),
    "reading of a dictionary": (
        "import pyarrow as pa; X = pa.table({'x': pa.DictionaryArray.from_arrays(np.zeros(10, np.int32), "
        "pa.array(np.arange(1_000_000)).cast(pa.string()))})",
        "tailcoat._core.Data.of_arrow(X, [], ['x'], None)",
    ),
}

# The same run three times: to warm up, to be measured, and to be stopped when a tenth of it is done. All in processor
# time, also the timer: a busy machine changes nothing.
FREE_PROGRAM = """
import signal, time
import numpy as np, tailcoat
rng = np.random.default_rng(0)
{setup}
{run}
begin = time.process_time()
{run}
seconds = time.process_time() - begin
signal.signal(signal.SIGPROF, signal.default_int_handler)
begin = time.process_time()
try:
    signal.setitimer(signal.ITIMER_PROF, seconds / 10)
    {run}
    print("ran to its end")
except KeyboardInterrupt as stopped:
    print(seconds, time.process_time() - begin, getattr(stopped, "spent", None), getattr(stopped, "__notes__", []))
"""


@pytest.mark.parametrize("name", FREE_RUNS)
def test_an_interrupt_stops_what_releases_nothing_before_its_end(name):
    setup, run = FREE_RUNS[name]
    program = FREE_PROGRAM.format(setup=setup, run=run)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=200)
    assert done.stdout, done.stderr
    whole, part, told = done.stdout.split(maxsplit=2)
    assert told.strip() == "None []"
    assert float(whole) > 0.2, "too short to tell"
    assert float(part) < min(1, 0.6 * float(whole))


def stopped_after(setup, run, patience):
    """Seconds until it stops, and what it says of the budget."""
    program = PROGRAM.format(setup=setup, run=run, patience=patience)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
    first, *rest = done.stdout.splitlines()
    assert first.startswith("stopped") and rest == ["well"], done.stdout + done.stderr
    _, seconds, told = first.split(" ", 2)
    return float(seconds), told


@pytest.mark.parametrize("name", RUNS)
def test_an_interrupt_stops_a_long_run_within_a_second_and_says_what_is_spent(name):
    for _ in range(3):  # on a busy machine another try may be needed
        seconds, told = stopped_after(*RUNS[name])
        noted = "count its whole budget, epsilon = 1, delta = 1e-06, as spent" in told
        private = told.startswith("(1.0, 1e-06)") and noted == HAS_NOTES
        assert private or told == "None []", told
        # A minimiser is interrupted before its result is released.
        if seconds < 1 and (private or "minimiser" in name):
            return
    pytest.fail(f"{seconds} s, {told}")


def test_other_threads_run_during_a_fit():
    X = np.random.default_rng(0).standard_normal((300_000, 10))
    y = X[:, 0].copy()
    gaps, stop = [], threading.Event()

    def watch():
        last = time.monotonic()
        while not stop.is_set():
            time.sleep(0.001)
            now = time.monotonic()
            gaps.append(now - last)
            last = now

    watcher = threading.Thread(target=watch)
    watcher.start()
    begin = time.monotonic()
    seeded("PrivateLinearRegression").fit(X, y)
    seconds = time.monotonic() - begin
    stop.set()
    watcher.join()
    assert max(gaps) < seconds / 2 and len(gaps) > 5


def test_fits_in_several_threads_are_those_of_one():
    X = np.random.default_rng(0).standard_normal((5000, 3))
    y = X[:, 0].copy()
    expected = seeded("PrivateLinearRegression").fit(X, y).model_.to_json()
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(seeded("PrivateLinearRegression").fit(X, y).model_.to_json()))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_progress_is_told_and_what_it_raises_stops_the_fit():
    X = np.random.default_rng(0).standard_normal((400_000, 10))
    y = X[:, 0].copy()
    seen = []
    seeded("PrivateLinearRegression", progress=lambda done, total: seen.append((done, total))).fit(X, y)
    assert seen == sorted(seen) and all(0 < done <= total for done, total in seen)
    assert seen[-1][0] == seen[-1][1]

    def no(done, total):
        raise RuntimeError("no more")

    model = seeded("PrivateLinearRegression", progress=no)
    with pytest.raises(RuntimeError, match="no more") as caught:
        model.fit(X, y)
    assert caught.value.spent == (1.0, 1e-6) and not hasattr(model, "coef_")
    assert not HAS_NOTES or any("as spent" in note for note in caught.value.__notes__)


def test_a_bar_of_tqdm_is_shown_if_asked_for(capfd):
    X = np.random.default_rng(0).standard_normal((100_000, 5))
    seeded("PrivateLinearRegression", progress=True).fit(X, X[:, 0].copy())
    assert "private fit" in capfd.readouterr().err
