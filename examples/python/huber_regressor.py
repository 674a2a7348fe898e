# Private Huber regression: slopes that a few absurd values of the target do not move.
#
# Run it as a script, or cell by cell in an editor that knows `# %%`.

# %% Data
# Hospital bills. One in a hundred was typed with the wrong number of zeros.
import numpy as np
from sklearn.linear_model import HuberRegressor, LinearRegression

from tailcoat import PrivateHuberRegressor

rng = np.random.default_rng(2)
n = 20_000
days = rng.geometric(0.25, n).astype(float)
age = rng.uniform(18, 95, n)
X = np.column_stack([days, age])
bill = 300 + 450 * days + 5 * age + 400 * rng.standard_t(2.5, n)
wrong = rng.random(n) < 0.01
bill[wrong] *= 10.0 ** rng.integers(2, 5, wrong.sum())

# %% Fits
# `threshold` is in units of the scale of the residuals, as `epsilon` is in scikit-learn's HuberRegressor. That scale is
# found privately.
private = PrivateHuberRegressor(epsilon=1, threshold=1.345).fit(X, bill)
robust = HuberRegressor(epsilon=1.345, max_iter=1000).fit(X / [10, 100], bill / 1000)
squares = LinearRegression().fit(X, bill)

print("              per day   per year of age      (truth: 450 and 5)")
print(f"private     {private.coef_[0]:9.1f}{private.coef_[1]:18.2f}")
print(f"  +-        {private.std_err_[0]:9.1f}{private.std_err_[1]:18.2f}      standard errors")
print(f"Huber       {robust.coef_[0] * 100:9.1f}{robust.coef_[1] * 10:18.2f}      scikit-learn, rescaled to converge")
print(f"least squ.  {squares.coef_[0]:9.1f}{squares.coef_[1]:18.2f}      scikit-learn")

# %% Who is typical
# Predictions are not private: they are computed from the rows they are for.
for stay in (1, 3, 10):
    (expected,) = private.predict(np.array([[stay, 60.0]]))
    print(f"a bill for {stay:2} days at 60 years: about {expected:7.0f}")
