"""What a fit on an array costs: its memory, and what Python adds to the time of the library."""

import subprocess
import sys

import pytest

# The time of a fit, and of the library's part of it: of the same run, because two of them differ by more than that.
TIME = """
import time
import numpy as np
from tailcoat import PrivateLinearRegression, _core
X = np.random.default_rng(0).standard_normal((1_000_000, 20))
y = X[:, 0].copy()
library, inside = _core.fit, []
def timed(*arguments, **options):
    begin = time.process_time()
    fitted = library(*arguments, **options)
    inside.append(time.process_time() - begin)
    return fitted
_core.fit = timed
model = PrivateLinearRegression(epsilon=1)
ratios = []
for _ in range(3):
    begin = time.process_time()
    model.fit(X, y)
    ratios.append((time.process_time() - begin) / inside[-1])
print(min(ratios))
"""

MEMORY = """
import resource
import numpy as np
from tailcoat import PrivateLinearRegression, PrivateLogisticRegression
X = np.random.default_rng(0).standard_normal((1_000_000, 20), dtype=np.{dtype})
y = {y}
model = {model}
model.fit(X[:5000], y[:5000])  # what is loaded and set up once
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model.fit(X, y)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / X.nbytes)
"""


def result_of(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    return float(done.stdout)


def test_python_adds_at_most_a_twentieth_to_the_time_of_the_library():
    assert 1 <= result_of(TIME) < 1.05


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_fit_takes_less_than_a_tenth_of_the_memory_of_a_float64_array(dtype):
    program = MEMORY.format(dtype=dtype, y="X[:, 0].astype(np.float64)", model="PrivateLinearRegression(epsilon=1)")
    assert result_of(program) < (0.1 if dtype == "float64" else 0.2)


@pytest.mark.parametrize("y", ["(9 * X[:, 0]).astype(int) % 5", "np.where(X[:, 0] > 0, 'yes', 'no')"])
def test_labels_add_a_twentieth(y):
    """What a fit needs is the least of some runs: once in 16 the process kept a column more, 0.178 instead of 0.126."""
    program = MEMORY.format(dtype="float64", y=y, model="PrivateLogisticRegression(epsilon=1)")
    assert any(result_of(program) < 0.15 for _ in range(3))


def test_wide_rows_are_kept_at_half_their_size():
    wide = MEMORY.replace("1_000_000, 20", "100_000, 100")
    program = wide.format(dtype="float64", y="X[:, 0].copy()", model="PrivateLinearRegression(epsilon=9)")
    assert 0.5 < result_of(program) < 0.65
