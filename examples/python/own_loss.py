# A convex loss of one's own with a theorem's guarantee: plan first, then minimise, and account for what it cost.
#
# Run it as a script, or cell by cell in an editor that knows `# %%`.

# %% The problem
# The place with the least mean distance from 10,000 people, smoothed by 0.1: a geometric median. Heavy tails again.
import numpy as np

import tailcoat

rng = np.random.default_rng(8)
people = np.array([0.4, -0.2]) + 0.25 * rng.standard_t(2.5, (10_000, 2))


def gradient(x, rows):
    """One gradient of |x - row|, smoothed, for each row; it must depend on that row alone."""
    away = x - rows
    return away / np.sqrt(np.sum(away**2, axis=1, keepdims=True) + 0.1**2)


# %% Plan
# From public numbers alone: gradients are never longer than 1, so moments are at most 1; the loss is 1 / 0.1 smooth.
setting = dict(rows=len(people), features=2, epsilon=1, delta=1e-6, moments=(4, 1.0, 1.0), diameter=2, smoothness=10)
found = tailcoat.plan(**setting, problem="general")  # no loss of one margin
print(f"without looking at the data, the centre of the ball is within {found['trivial_bound']:.2f} of the best")
for entry in found["algorithms"]:
    if entry.get("certified") and not entry["trivial"]:
        print(f"  {entry['name']:<24} certified within {entry['certified_bound']:.4f}")

# %% Minimise
solution = tailcoat.minimize(
    gradient, people, tailcoat.ball(1.0, dimension=2), (1.0, 1e-6), (4, 1.0, 1.0), algorithm="implicit", smoothness=10
)


def mean_loss(x):
    return np.mean(np.sqrt(np.sum((x - people) ** 2, axis=1) + 0.1**2))


best = np.zeros(2)
for _ in range(100):
    best = best - 0.3 * gradient(best, people).mean(axis=0)

print(f"\nprivate     {solution.x.round(4)}   mean loss {mean_loss(solution.x):.5f}")
print(f"not private {best.round(4)}   mean loss {mean_loss(best):.5f}")
print(f"excess {mean_loss(solution.x) - mean_loss(best):.5f}, certified {solution.certified_bound:.4f}, "
      f"{solution.passes:.1f} passes over the data")

# %% Account
# What this and a count with Laplace noise of epsilon = 0.1 cost together on the same people.
both = tailcoat.account(compose=["approx:1:1e-6", "pure:0.1"], delta=2e-6)
print(f"\nthe minimum and a count: epsilon = {both['epsilon']:.3f} at delta = 2e-6")
