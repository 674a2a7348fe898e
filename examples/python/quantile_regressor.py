# Private quantile regression: how long must a passenger reckon to wait?
#
# Run it as a script, or cell by cell in an editor that knows `# %%`.

# %% Data
# Delays: skewed, with long tails that grow with the traffic. The mean says little about them.
import numpy as np
from sklearn.linear_model import QuantileRegressor

from tailcoat import PrivateQuantileRegressor

rng = np.random.default_rng(3)
n = 20_000
traffic = rng.uniform(0, 1, n)
rain = rng.integers(0, 2, n).astype(float)
X = np.column_stack([traffic, rain])
delay = 2 + 4 * traffic + 3 * rain + (1 + 4 * traffic) * rng.exponential(2, n)

# %% Three quantiles, each a fit of its own
# Three fits on the same rows: together they cost (3 epsilon, 3 delta), by simple composition.
epsilon = 1 / 3
private = {q: PrivateQuantileRegressor(epsilon=epsilon, quantile=q).fit(X, delay) for q in (0.1, 0.5, 0.9)}

# %% Compared with scikit-learn on a sample, because its solver takes a while
some = rng.choice(n, 2_000, replace=False)
ordinary = {q: QuantileRegressor(quantile=q, alpha=0).fit(X[some], delay[some]) for q in private}

print("           of all delays, below the line       slope of traffic")
print("quantile      private    scikit-learn       private    scikit-learn    truth")
for q, model in private.items():
    other = ordinary[q]
    below = [np.mean(delay < m.predict(X)) for m in (model, other)]
    truth = 4 - 8 * np.log(1 - q)
    print(f"{q:8}{below[0]:13.3f}{below[1]:16.3f}{model.coef_[0]:14.2f}{other.coef_[0]:16.2f}{truth:9.2f}")
print(f"\nspent on these rows: epsilon = {3 * epsilon:g}, delta = {3e-6:g}")

# %% To ask for
wet_rush_hour = np.array([[0.9, 1.0]])
middle, late = (private[q].predict(wet_rush_hour)[0] for q in (0.5, 0.9))
print(f"rain at the rush hour: half of all wait less than {middle:.0f} minutes, nine of ten less than {late:.0f}")
