# A private mean, without knowing any bound.
#
# Run it as a script, or cell by cell in an editor that knows `# %%`.

# %% Data
# Measured times with heavy tails on both sides, in seconds.
import numpy as np

from tailcoat import PrivateMean

rng = np.random.default_rng(7)
times = 12 + 3 * rng.standard_t(3, 50_000)

# %% The mean
private = PrivateMean(epsilon=0.5).fit(times)
low, high = private.interval_
print(f"private mean {private.mean_:.3f} +- {private.std_err_:.3f}, 95 % interval {low:.3f} to {high:.3f}")
print(f"mean         {times.mean():.3f} +- {times.std() / np.sqrt(len(times)):.3f}   not private")

# %% By hand, with bounds
# The textbook way: clip to bounds that one has to make up, add Laplace noise of width / (n epsilon). Wide bounds give
# much noise, narrow ones a bias; which of the two, one does not learn without looking.
print("\nclipped to       mean      error of noise")
for bound in (15, 100, 10_000):
    noise = 2 * bound / (len(times) * 0.5)
    print(f"+-{bound:<10}{np.clip(times, -bound, bound).mean():9.3f}{np.sqrt(2) * noise:16.3f}")

# %% Skew
# Where the tail is on one side the few largest values carry much of the mean, and no private method sees them well: the
# interval is then about the mean after clipping, which is lower.
wages = rng.lognormal(7.5, 1.0, 50_000)
skewed = PrivateMean(epsilon=0.5).fit(wages)
print(f"\nwages: private {skewed.mean_:.0f} +- {skewed.std_err_:.0f}, not private {wages.mean():.0f}")
