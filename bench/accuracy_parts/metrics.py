"""Scores of predictions on test rows. `loss` is what the fit minimises; smaller is better."""
import numpy as np


def auc(y, score):
    """Probability that a row of class 1 scores above one of class 0, ties counting half."""
    _, place, count = np.unique(score, return_inverse=True, return_counts=True)
    ranks = np.cumsum(count) - (count - 1) / 2
    positive = y.sum()
    return (ranks[place][y == 1].sum() - positive * (positive + 1) / 2) / (positive * (len(y) - positive))


def deviance(y, rate, exposure):
    expected = np.maximum(exposure * rate, 1e-300)
    logs = np.where(y > 0, y * np.log(np.where(y > 0, y, 1) / expected), 0)
    return 2 * (logs - y + expected).sum() / exposure.sum()


def pinball(y, p, level):
    r = y - p
    return np.maximum(level * r, (level - 1) * r).mean()


def huber(y, p, delta):
    r = np.abs(y - p)
    inner = np.minimum(r, delta)
    return (inner * (r - inner / 2)).mean()


def scores(loss, y, p, exposure, delta):
    if loss == "squared":
        mse = ((y - p) ** 2).mean()
        return {"loss": mse, "r2": 1 - mse / y.var(), "mae": np.abs(y - p).mean()}
    if loss == "logistic":
        q = np.clip(p, 1e-12, 1 - 1e-12)
        return {"loss": -(y * np.log(q) + (1 - y) * np.log(1 - q)).mean(), "auc": auc(y, p)}
    if loss == "poisson":
        return {"loss": deviance(y, p, exposure)}
    if loss == "absolute":
        return {"loss": np.abs(y - p).mean()}
    if loss == "huber":
        return {"loss": huber(y, p, delta)}
    return {"loss": pinball(y, p, float(loss.removeprefix("quantile:")))}
