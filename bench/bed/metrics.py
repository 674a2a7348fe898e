"""How good predictions are on rows that the fit has not seen, each next to the constant that the training rows give.

`skill` is the share of the constant's loss that a model saves: R^2 for squared loss, else of absolute error, log loss
or Poisson deviance. Chances and rates are kept off 0, so that one row costs at most about 14 nats."""
import numpy as np

LEAST_CHANCE = 1e-6


def measure(loss, y, predicted, y_train, exposure=None, exposure_train=None):
    """All numbers about one fit; y is 0 or 1 for classes, and `predicted` then the chance of 1."""
    if not np.isfinite(predicted).all():
        raise ValueError("a prediction is not finite")
    exposures = (exposure, exposure_train) if loss == "poisson" else ()
    measured = {"squared": squared, "absolute": absolute, "logistic": logistic, "poisson": poisson}[loss](
        y, predicted, y_train, *exposures)
    return {name: float(value) for name, value in (measured | {"total": total(y, predicted)}).items()}


def squared(y, predicted, y_train):
    constant = np.mean((y - y_train.mean()) ** 2)
    return {"skill": 1 - np.mean((y - predicted) ** 2) / constant, "mae": absolute(y, predicted, y_train)["skill"]}


def absolute(y, predicted, y_train):
    constant = np.mean(np.abs(y - np.median(y_train)))
    return {"skill": 1 - np.mean(np.abs(y - predicted)) / constant if constant > 0 else 0.0}


def logistic(y, predicted, y_train):
    def log_loss(chance):
        chance = np.clip(chance, LEAST_CHANCE, 1 - LEAST_CHANCE)
        return -np.mean(np.where(y == 1, np.log(chance), np.log1p(-chance)))
    return {"skill": 1 - log_loss(predicted) / log_loss(np.full(len(y), y_train.mean())),
            "auc": auc(y, predicted)}


def poisson(y, predicted, y_train, exposure=None, exposure_train=None):
    constant = np.full(len(y), y_train.mean()) if exposure is None else exposure * y_train.sum() / exposure_train.sum()

    def deviance(mean):
        mean = np.maximum(mean, LEAST_CHANCE * y_train.mean())
        return np.mean(mean - y + np.where(y > 0, y * np.log(np.maximum(y, 1) / mean), 0))
    return {"skill": 1 - deviance(predicted) / deviance(constant)}


def total(y, predicted):
    """Of the predictions next to the actual one: 1.1 is a tenth too much. (Parts of either sign: of their sizes.)"""
    return 1 + (predicted.sum() - y.sum()) / max(np.abs(y).sum(), 1e-300)


def auc(y, predicted):
    """Chance that a row of class 1 is put above one of class 0; ties count half."""
    _, places, counts = np.unique(predicted, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    ones = y.sum()
    return (ranks[y == 1].sum() - ones * (ones + 1) / 2) / (ones * (len(y) - ones))
