"""Typical use, for mypy --strict to read; test_types.py has it read, nothing runs it."""

from typing import Any

import numpy as np

import tailcoat
from tailcoat import PrivateLinearRegression, PrivateLogisticRegression, PrivateMean

X = np.ones((100, 2))
y = np.ones(100)

regression: PrivateLinearRegression = PrivateLinearRegression(epsilon=1, bounds={0: (0.0, 1.0)}).fit(X, y)
slopes: np.ndarray = regression.coef_
predicted: np.ndarray = regression.predict(X)
receipt: dict[str, Any] = regression.privacy_
model: str = regression.model_.to_json()

classifier = PrivateLogisticRegression(epsilon=0.5, classes=["no", "yes"], progress=lambda done, total: None)
probabilities: np.ndarray = classifier.fit(X, y > 0).predict_proba(X)
by_number = PrivateLogisticRegression(epsilon=0.5, classes=np.array([0, 1])).fit(X, y > 0)
mean: float = PrivateMean(epsilon=1, target_bounds=(0.0, 2.0)).fit(y).mean_


def gradient(x: np.ndarray, rows: np.ndarray) -> np.ndarray:
    gradients: np.ndarray = x - rows
    return gradients


found: tailcoat.Solution = tailcoat.minimize(gradient, X, tailcoat.ball(1.0, dimension=2), (1.0, 1e-6), (4, 2.0, 3.0))
point: np.ndarray = found.x
open_minimum: tailcoat.NonprivateSolution = tailcoat.nonprivate_high_probability_sco(
    gradient, X, tailcoat.ball(1.0, dimension=2), 2.0
)
price: dict[str, Any] = tailcoat.account(epsilon=1, delta=1e-6)
plans: dict[str, Any] = tailcoat.plan(rows=100, features=2, epsilon=1, moments=(3, 1.0, 2.0), diameter=2)

try:
    PrivateLinearRegression(epsilon="much")  # type: ignore[arg-type]
except tailcoat.PreconditionFailed:
    pass
