# Private Poisson regression: claims per year of insurance, with policies that ran for different times.
#
# Run it as a script, or cell by cell in an editor that knows `# %%`.

# %% Data
import numpy as np
import pandas as pd
from sklearn.linear_model import PoissonRegressor

from tailcoat import PrivatePoissonRegressor

rng = np.random.default_rng(4)
n = 60_000
policies = pd.DataFrame(
    {
        "age": rng.uniform(18, 90, n),
        "power": 4 + rng.gamma(2, 1.5, n),
        "area": pd.Categorical(rng.choice(["country", "town", "city"], n, p=[0.3, 0.4, 0.3])),
        "years": rng.uniform(0.1, 1, n),
    }
)
more_in = policies["area"].map({"country": 0.0, "town": 0.2, "city": 0.5}).astype(float)
rate = np.exp(-1.8 - 0.01 * (policies["age"] - 50) + 0.08 * (policies["power"] - 7) + more_in)
claims = pd.Series(rng.poisson(rate * policies["years"]), name="claims")

# %% Fits
# `exposure` names the column that multiplies the rate; scikit-learn wants the rate with weights instead. The areas
# are public knowledge, so they are given and need not be found.
areas = {"area": ["city", "country", "town"]}
private = PrivatePoissonRegressor(epsilon=1, exposure="years", categorical=areas).fit(policies, claims)

plain = pd.get_dummies(policies.drop(columns="years"), dtype=float)
ordinary = PoissonRegressor(alpha=0, max_iter=1000).fit(
    plain - plain.mean(), claims / policies["years"], sample_weight=policies["years"]
)
of_sklearn = dict(zip(plain.columns.str.replace("_", "="), ordinary.coef_))

# A slope is a logarithm; its standard error is, near 1, that of the factor.
print("rates go up by a factor of                private          scikit-learn")
for term, slope, error in zip(private.terms_, private.coef_, private.std_err_):
    if term in of_sklearn and "=" not in term:
        print(f"  {term + ', one more':<32}{np.exp(slope):10.3f} +- {error:.3f}{np.exp(of_sklearn[term]):14.3f}")
slopes = dict(zip(private.terms_, private.coef_))
city, country = (slopes.get(f"area={area}", 0.0) for area in ("city", "country"))
by_sklearn = of_sklearn["area=city"] - of_sklearn["area=country"]
print(f"  {'in the city, not in the country':<32}{np.exp(city - country):10.3f}{np.exp(by_sklearn):23.3f}")

# %% How good the rates are, in all
print(f"\nclaims: {claims.sum()}, private model expects {private.predict(policies).sum():.0f}")
print(f"average rate: {claims.sum() / policies['years'].sum():.4f} claims a year")
