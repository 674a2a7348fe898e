"""What the tests share: data, seeded estimators, and the command line."""

import json
import os
import subprocess
import sys

os.environ["SCIPY_ARRAY_API"] = "1"  # for a check of scikit-learn; before scipy is imported

import numpy as np
import pytest

import tailcoat

SEED = 7
HAS_NOTES = sys.version_info >= (3, 11)  # exceptions have; before that a warning says what a run has spent
ESTIMATORS = [name for name in tailcoat.__all__ if name.startswith("Private")]


def seeded(name, **parameters):
    """An estimator that gives the same result every time."""
    defaults = {"epsilon": 1.0, "random_state": SEED, "insecure_random_state": True}
    return getattr(tailcoat, name)(**{**defaults, **parameters})


def run_program(*arguments):
    """The command line's JSON."""
    done = subprocess.run([os.environ["TAILCOAT_PROGRAM"], *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) if done.stdout.startswith("{") else done.stdout


@pytest.fixture(scope="session")
def line():
    """Rows of a linear model with heavy tails: X, y and the slopes."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((6000, 3)) * [1.0, 10.0, 0.1] + [0.0, 5.0, 1.0]
    slopes = np.array([2.0, -0.3, 10.0])
    return X, X @ slopes + rng.standard_t(3, len(X)), slopes
