"""A quick fit without privacy, by which sets are told apart: nothing to learn, something, or a leak.

R^2, or for classes and counts the share of log loss or deviance explained, on a fifth of the rows."""
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas
import warnings
from sklearn.linear_model import LogisticRegression, PoissonRegressor, Ridge
from sklearn.metrics import log_loss, mean_poisson_deviance

LEAST, MOST = 0.01, 0.999
MOST_ROWS = 20_000


def skill(cleaned, text, target, task, exposure=None):
    rows = cleaned.sample(min(len(cleaned), MOST_ROWS), random_state=1)
    test = np.arange(len(rows)) % 5 == 0
    x = design(rows.drop(columns=[target] + [exposure] * bool(exposure)), text, ~test)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return TASKS[task](x[~test], x[test], rows[target].to_numpy()[~test], rows[target].to_numpy()[test],
                           *((rows[exposure].to_numpy()[~test], rows[exposure].to_numpy()[test]) if exposure else ()))


def design(features, text, train):
    """Numbers winsorised and standardised, with two hinges each; texts as indicators."""
    parts = []
    for name in features:
        if name in text:
            parts.append(pandas.get_dummies(features[name]).to_numpy(float))
            continue
        x = features[name].to_numpy(float)
        low, third, two, high = np.nanquantile(x[train], [0.005, 1 / 3, 2 / 3, 0.995])
        x = np.clip(np.where(np.isnan(x), np.nanmedian(x[train]), x), low, high)
        columns = np.stack([x] + [np.maximum(x - k, 0) for k in {third, two} if low < k < high], 1)
        parts.append((columns - columns.mean(0)) / np.maximum(columns.std(0), 1e-12))
    return np.hstack(parts)


def squared(x, x_test, y, y_test):
    predicted = Ridge(10).fit(x, y).predict(x_test)
    return 1 - np.mean((y_test - predicted) ** 2) / np.mean((y_test - y.mean()) ** 2)


def logistic(x, x_test, y, y_test):
    chance = LogisticRegression(C=0.1, max_iter=300).fit(x, y).predict_proba(x_test)
    classes = np.unique(y)
    constant = np.tile([np.mean(y == c) for c in classes], (len(y_test), 1))
    return 1 - log_loss(y_test, chance, labels=classes) / log_loss(y_test, constant, labels=classes)


def poisson(x, x_test, y, y_test, weight=None, weight_test=None):
    w = np.ones(len(y)) if weight is None else weight / weight.mean()
    v = np.ones(len(y_test)) if weight_test is None else weight_test / weight.mean()
    rate = PoissonRegressor(alpha=0.01, max_iter=300).fit(x, y / w, sample_weight=w).predict(x_test)
    constant = np.full(len(y_test), y.sum() / w.sum())
    deviance = [mean_poisson_deviance(y_test / v, np.maximum(p, 1e-12), sample_weight=v) for p in (rate, constant)]
    return 1 - deviance[0] / deviance[1]


TASKS = {"squared": squared, "logistic": logistic, "poisson": poisson}
