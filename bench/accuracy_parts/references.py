"""Non-private fits, and the constant model, for the comparison. Numbers are standardised, texts are one column per
level; missing numbers are put at the mean."""
import numpy as np

RIDGE = 1e-8  # per row: columns that repeat each other have no single best fit


class Design:
    """The columns of a data set as a matrix, treated as the training rows say."""

    def __init__(self, loaded, rows, winsorised=False):
        self.loaded = loaded
        share = 0.005 if winsorised else 0
        self.numbers = []
        for name, column in loaded.numbers.items():
            known = column[rows][~np.isnan(column[rows])]
            if len(known) == 0:
                continue
            low, high = np.quantile(known, [share, 1 - share]) if winsorised else (-np.inf, np.inf)
            known = np.clip(known, low, high)
            self.numbers.append((name, low, high, known.mean(), known.std() or 1.0))
        self.levels = [(name, np.unique(column[rows])[1:]) for name, column in loaded.texts.items()]

    def matrix(self, rows):
        columns = [np.ones(len(rows))]
        for name, low, high, mean, deviation in self.numbers:
            column = (np.clip(self.loaded.numbers[name][rows], low, high) - mean) / deviation
            columns.append(np.nan_to_num(column, nan=0.0))
        for name, levels in self.levels:
            cells = self.loaded.texts[name][rows]
            columns += [(cells == level).astype(float) for level in levels]
        return np.stack(columns, axis=1)


def weighted_least_squares(x, y, weights):
    weighted = x * weights[:, None]
    gram = weighted.T @ x
    gram[np.diag_indices_from(gram)] += RIDGE * len(y)
    return np.linalg.solve(gram, weighted.T @ y)


def least_squares(x, y):
    return weighted_least_squares(x, y, np.ones(len(y)))


def reweighted(x, y, weights_of, steps=60):
    """Minimises a loss of residuals by least squares with weights slope / residual."""
    w = least_squares(x, y)
    for _ in range(steps):
        w = weighted_least_squares(x, y, weights_of(y - x @ w))
    return w


def quantile(x, y, level):
    smallest = 1e-4 * np.median(np.abs(y - np.median(y))) + 1e-12
    return reweighted(x, y, lambda r: np.where(r > 0, level, 1 - level) / np.maximum(np.abs(r), smallest))


def huber_unit(x, y, w):
    """delta = 1.345 in units of the residuals' scale, as tailcoat has it."""
    return 1.345 * np.median(np.abs(y - x @ w)) / 0.6745


def huber(x, y):
    def weights(r):
        delta = 1.345 * np.median(np.abs(r)) / 0.6745
        return np.minimum(1, delta / np.maximum(np.abs(r), 1e-12))
    return reweighted(x, y, weights)


def newton(x, start, loss_gradient_curvature, penalty, steps=25):
    """Damped Newton steps on a mean loss of margins plus a ridge penalty on all but the intercept."""
    ridge = np.full(x.shape[1], penalty / len(x))
    ridge[0] = 0

    def objective(w):
        loss, slope, curvature = loss_gradient_curvature(x @ w)
        return loss.mean() + (ridge * w * w).sum() / 2, slope, curvature

    w = start
    value, slope, curvature = objective(w)
    for _ in range(steps):
        hessian = (x * curvature[:, None]).T @ x / len(x) + np.diag(ridge + RIDGE)
        direction = np.linalg.solve(hessian, x.T @ slope / len(x) + ridge * w)
        length = 1.0
        while True:
            trial, new_slope, new_curvature = objective(w - length * direction)
            if trial <= value or length < 1e-4:
                break
            length /= 2
        done = value - trial < 1e-9 * abs(value)
        w, value, slope, curvature = w - length * direction, trial, new_slope, new_curvature
        if done:
            break
    return w


def logistic(x, y):
    def parts(margin):
        p = 1 / (1 + np.exp(-np.clip(margin, -500, 500)))
        return np.logaddexp(0, margin) - y * margin, p - y, p * (1 - p)
    return newton(x, np.zeros(x.shape[1]), parts, penalty=1.0)


def poisson(x, y, exposure):
    def parts(margin):
        expected = exposure * np.exp(np.minimum(margin, 50))
        return expected - y * margin, expected - y, expected
    start = np.zeros(x.shape[1])
    start[0] = np.log(y.sum() / exposure.sum())
    return newton(x, start, parts, penalty=1e-3)


def fitted(loss, x, y, exposure):
    """Coefficients, with the intercept first."""
    if loss == "squared":
        return least_squares(x, y)
    if loss == "absolute":
        return quantile(x, y, 0.5)
    if loss == "huber":
        return huber(x, y)
    if loss == "logistic":
        return logistic(x, y)
    if loss == "poisson":
        return poisson(x, y, exposure)
    return quantile(x, y, float(loss.removeprefix("quantile:")))


def response(loss, margin):
    if loss == "logistic":
        return 1 / (1 + np.exp(-np.clip(margin, -500, 500)))
    if loss == "poisson":
        return np.exp(np.minimum(margin, 50))
    return margin


def constant(loss, y, exposure):
    if loss == "absolute":
        return np.median(y)
    if loss.startswith("quantile:"):
        return np.quantile(y, float(loss.removeprefix("quantile:")))
    if loss == "huber":
        return huber(np.ones((len(y), 1)), y)[0]
    return y.sum() / exposure.sum()
