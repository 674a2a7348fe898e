# Private linear regression: what rents depend on, with data that are simulated and have heavy tails.
#
# Run it as a script, or cell by cell in an editor that knows `# %%`.

# %% Data
# 20,000 rents. A few flats are very large and the errors have tails of Student's t with 3 degrees of freedom: no bound
# on a row is known, and none is needed below.
import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

from tailcoat import PrivateLinearRegression

rng = np.random.default_rng(1)
n = 20_000
flats = pd.DataFrame(
    {
        "area": 60 * rng.lognormal(0, 0.35, n),
        "age": rng.integers(0, 120, n),
        "lift": rng.integers(0, 2, n),
    }
)
rent = 150 + 11 * flats["area"] - 1.5 * flats["age"] + 60 * flats["lift"] + 90 * rng.standard_t(3, n)

# %% A private fit and one that is not
# The only number that has to be said is epsilon. The receipt tells what it bought.
private = PrivateLinearRegression(epsilon=1).fit(flats, rent)
ordinary = LinearRegression().fit(flats, rent)

table = pd.DataFrame(
    {
        "private": private.coef_[:3],
        "std. error": private.std_err_[:3],
        "low": private.intervals_[:3, 0],
        "high": private.intervals_[:3, 1],
        "scikit-learn": ordinary.coef_,
        "truth": [11, -1.5, 60],
    },
    index=private.terms_[:3],
)
print(table.round(2).to_string())
print(f"\nR^2: private {private.score(flats, rent):.3f}, scikit-learn {ordinary.score(flats, rent):.3f}")

# %% What was spent, and on what
# The receipt lists every number that left the data. The squares of mu add up.
receipt = private.privacy_
spent = receipt["mu_spent"] ** 2
shares: dict[str, float] = {}
for release in receipt["releases"]:
    what = release["what"].split(",")[0]
    shares[what] = shares.get(what, 0) + release["mu"] ** 2 / spent
print(f"\nepsilon = {receipt['epsilon']}, delta = {receipt['delta']}, spent on")
for what, share in shares.items():
    print(f"  {what:<36}{share:6.1%}")

# %% What is public anyway saves budget
# The year a house was built is on its front door, and that a lift is there or not is 0 or 1 by definition.
helped = PrivateLinearRegression(epsilon=0.1, bounds={"age": (0, 120), "lift": (0, 1)}).fit(flats, rent)
alone = PrivateLinearRegression(epsilon=0.1).fit(flats, rent)
print("\nepsilon = 0.1, standard errors of area, age, lift")
print("  with bounds   ", helped.std_err_[:3].round(2))
print("  without bounds", alone.std_err_[:3].round(2))
