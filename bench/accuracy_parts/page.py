"""docs/accuracy.md: tables with the target beside each number, and the chart of accuracy against n."""
from . import chart

REGRESSION = ("california_housing", "king_county", "diamonds", "cps_asec_2024_wages", "hflights")
CLAIMS = "fremtpl2sev_joined"
INFINITY = 1e6


def number(value):
    return f"{value:,.0f}" if abs(value) >= 10000 else f"{value:.4g}"


def skill_text(value):
    return f"{value:.3f}" if abs(value) < 1000 else f"{value:.0e}"


def verdict(met):
    return "yes" if met else "**no**"


def summary(bench, dataset):
    parts = []
    for loss in dataset.losses:
        metric = {"squared": "r2", "logistic": "auc"}.get(loss, "loss")
        models = [key[2] for key in bench.scores if key[:2] == (dataset.name, loss) and key[3] is None]
        values = ", ".join(f"{model} {number(bench.median(dataset.name, loss, model, metric))}" for model in models)
        parts.append(f"{dataset.name} {loss} {metric}: {values}")
    return "\n".join(parts)


def table(header, rows):
    return ["| " + " | ".join(header) + " |", "|" + "---|" * len(header),
            *("| " + " | ".join(row) + " |" for row in rows), ""]


class Targets:
    """Counts what is met."""

    def __init__(self):
        self.met, self.all = 0, 0

    def __call__(self, met):
        self.met, self.all = self.met + bool(met), self.all + 1
        return verdict(met)


def r2_table(bench, names, check):
    rows = []
    for name in names:
        r2 = {model: bench.median(name, "squared", model, "r2") for model in ("reference", 0.1, 1, 10, INFINITY)}
        rows.append([name, *(f"{r2[m]:.4f}" for m in r2), check(r2[1] >= r2["reference"] - 0.01),
                     check(r2[0.1] >= r2["reference"] - 0.05), check(r2[10] >= r2[INFINITY] - 0.003)])
    header = ("data set", "least squares", "eps 0.1", "eps 1", "eps 10", "eps inf", "eps 1: within 0.01",
              "eps 0.1: within 0.05", "eps 10: within 0.003 of inf")
    return table(header, rows)


def mae_table(bench, names, check):
    rows = []
    for name in (*names, CLAIMS):
        mae = {model: bench.median(name, "squared", model, "mae") for model in ("constant", "reference", 0.1, 1, 10)}
        factor = 0.65 if name == CLAIMS else 1
        target = "35 % below" if name == CLAIMS else "not above"
        rows.append([name, *(number(mae[m]) for m in mae), target, check(mae[1] <= factor * mae["reference"])])
    header = ("data set", "constant", "least squares", "eps 0.1", "eps 1", "eps 10", "target at eps 1", "met")
    return table(header, rows)


def logistic_tables(bench, check):
    models, rows, losses = ("reference", "winsorised", 0.1, 1, 10, INFINITY), [], []
    for name in ("adult", "give_me_some_credit"):
        auc = {model: bench.median(name, "logistic", model, "auc") for model in models}
        needed = 0.85 if name != "adult" else auc["reference"] - 0.005
        rows.append([name, *(f"{auc[m]:.4f}" for m in models), f"{needed:.4f}", check(auc[1] >= needed)])
        loss = {model: bench.median(name, "logistic", model, "loss") for model in models}
        needed = 1.01 * min(loss["reference"], loss["winsorised"])
        losses.append([name, *(f"{loss[m]:.4f}" for m in models), f"{needed:.4f}", check(loss[1] <= needed)])
    header = ("logistic", "winsorised", "eps 0.1", "eps 1", "eps 10", "eps inf", "target at eps 1", "met")
    return table(("AUC", *header), rows) + table(("log-loss", *header), losses)


def loss_table(bench, check):
    rows, models = [], ("constant", "reference", 0.1, 1, 10, INFINITY)
    cases = [("fremtpl2freq", "poisson", 1.01)]
    cases += [(name, loss, 1.02) for name in (CLAIMS, "cps_asec_2024_wages")
              for loss in ("absolute", "huber", "quantile:0.9")]
    for name, loss, factor in cases:
        values = {model: bench.median(name, loss, model, "loss") for model in models}
        needed = factor * values["reference"]
        rows.append([name, loss, *(number(values[m]) for m in values), number(needed), check(values[1] <= needed)])
    header = ("data set", "loss", "constant", "non-private", "eps 0.1", "eps 1", "eps 10", "eps inf", "target at eps 1",
              "met")
    return table(header, rows)


def worst_table(bench, datasets, check):
    """Of all splits: no fit may lose to the constant model by more than 1 %."""
    rows = []
    for dataset in datasets:
        for loss in dataset.losses:
            worst = {e: bench.skill(dataset.name, loss, e).min() for e in (0.1, 1, 10)}
            rows.append([dataset.name, loss, *(skill_text(value) for value in worst.values()),
                         check(min(worst.values()) >= -0.01)])
    return table(("data set", "loss", "eps 0.1", "eps 1", "eps 10", "never below -0.01"), rows)


def curve_of(bench, name, loss, rows, model):
    sizes = sorted(key[3] for key in bench.scores if key[:3] == (name, loss, model) and key[3])
    return [(size or rows, bench.skill(name, loss, model, size)) for size in (*sizes, None)]


def beats_from(curve):
    """The smallest n from which on the median fit beats the constant model, and whether smaller ones were tried."""
    start = None
    for n, skill in reversed(curve):
        if sorted(skill)[len(skill) // 2] <= 0:
            break
        start = n
    return start


def size_table(bench, datasets, rows):
    lines = []
    for dataset in datasets:
        loss = dataset.losses[0]
        curve = curve_of(bench, dataset.name, loss, rows[dataset.name], 1)
        at = {n: skill_text(sorted(skill)[len(skill) // 2]) for n, skill in curve}
        start = beats_from(curve)
        chosen = {n: bench.constants[dataset.name, loss, 1, n] for n in (1000, 5000)}
        first = "never" if start is None else f"{start:,}" if start > curve[0][0] else f"{start:,} or less"
        lines.append([dataset.name, loss, *(f"{at[n]} ({chosen[n]})" for n in (1000, 5000)), at[rows[dataset.name]],
                      f"{rows[dataset.name]:,}", first])
    header = ("data set", "loss", "n = 1,000", "n = 5,000", "all rows", "which are", "beats the constant from n =")
    return table(header, lines)


INTRODUCTION = """# Accuracy on real data

What `tailcoat fit` reaches with nothing but a file and an epsilon, beside fits without privacy. Measured by

```sh
make accuracy DATA=folder
```

where the folder holds the nine public data sets named below as `NAME.csv.gz`; some minutes of two cores. {seeds}
splits of 80 % training and 20 % test rows, medians of the splits; delta = 1e-6, noise from the kernel, so that numbers
differ a little from run to run. No bounds, no scales; levels of text columns are found privately. Identifiers, codes
and leaks are dropped (`bench/accuracy_parts/datasets.py`), rows without a target too. "eps inf" is epsilon = 1,000,000,
of which about 40 can be used: beyond that the tiny distance of the noise from exact Gaussians would count.

**{met} of {all} targets are met.** Targets are those the project set itself before measuring.
"""


def write(bench, datasets, rows, seeds, folder):
    check = Targets()
    body = ["## Squared loss: R^2", "", *r2_table(bench, REGRESSION, check),
            "## Squared loss: mean absolute error", "",
            "Least squares chases the largest values; a fit that cuts them off is often closer to the typical row.", "",
            *mae_table(bench, REGRESSION, check),
            "## Classes", "",
            "The references: standardised columns, and columns cut at their 0.5 % and 99.5 % quantiles first. Log-loss",
            "is to be within 1 % of the better of the two.", "", *logistic_tables(bench, check),
            "## Counts, and losses that do not mind heavy tails", "",
            "Poisson: deviance per unit of exposure, within 1 %. Others: the mean test loss, within 2 %. Huber's delta",
            "is 1.345 residual scales of the non-private fit.", "", *loss_table(bench, check),
            "## The worst split", "",
            "Skill = 1 - loss / loss of the constant model, on the test rows of the worst of all splits.", "",
            *worst_table(bench, datasets, check),
            "## How many rows it takes", "",
            "Median skill at epsilon = 1 when only n training rows are given; in brackets in how many of the splits",
            "the fit itself chose the constant model.", "", *size_table(bench, datasets, rows),
            "![Skill against rows](accuracy.svg)", ""]
    head = INTRODUCTION.format(seeds=seeds, met=check.met, all=check.all).splitlines()
    path = folder / "accuracy.md"
    limits = kept_text(path)
    path.write_text("\n".join([*head, "", *body, *limits]) + "\n", encoding="utf-8")
    curves = [(d.name, {model: curve_of(bench, d.name, d.losses[0], rows[d.name], model) for model in ("reference", 1)})
              for d in datasets]
    (folder / "accuracy.svg").write_text(chart.drawn(curves), encoding="utf-8")


def kept_text(path):
    """What a person wrote about the numbers: the last section of the page, kept when it is written again."""
    heading = "## What limits it"
    if not path.is_file() or heading not in path.read_text(encoding="utf-8"):
        return [heading, ""]
    return (heading + path.read_text(encoding="utf-8").split(heading, 1)[1]).rstrip("\n").splitlines()
