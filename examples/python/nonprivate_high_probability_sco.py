# A bound that holds with high probability for heavy-tailed data that needs no protection: Appendix A of the paper.
#
# NOT PRIVATE: no noise, no budget, no receipt. Run it as a script, or cell by cell in an editor that knows `# %%`.

# %% The problem
# The point with the least mean distance to simulated samples: gradients of |x - s| are no longer than 1.
import numpy as np

import tailcoat

rng = np.random.default_rng(4)
samples = np.array([0.4, -0.2]) + 0.25 * rng.standard_t(2.1, (20_000, 2))


def gradient(x, rows):
    """One gradient of |x - row| for each row; their second moment is at most 1."""
    away = x - rows
    return away / np.sqrt(np.sum(away**2, axis=1, keepdims=True))


# %% Minimise
# Each sample is used once. Rarer failures take several runs on a part of the samples each, of which the middle one is
# returned; their number grows with the logarithm of the failure probability.
unit_ball = tailcoat.ball(1.0, dimension=2)
for failure in (0.1, 0.01):
    found = tailcoat.nonprivate_high_probability_sco(gradient, samples, unit_ball, 1.0, failure_probability=failure)
    print(f"x = {found.x.round(3)}: excess risk below {found.certified_bound:.3f} but for a chance of {failure:g}")


# %% How good it really is
def mean_loss(x):
    return np.mean(np.sqrt(np.sum((x - samples) ** 2, axis=1)))


best = np.zeros(2)
for _ in range(200):
    best = best - 0.3 * gradient(best, samples).mean(axis=0)
print(f"\nexcess on these samples {mean_loss(found.x) - mean_loss(best):.5f}, used {found.queries} of {len(samples)}")
print("for a private minimum of the same loss: tailcoat.minimize")
