"""The data sets of docs/accuracy.md: which columns play which role, and their splits into training and test files."""
import csv
import dataclasses
import gzip
import io

import numpy as np

MISSING = {"", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"}  # as tailcoat reads a cell


@dataclasses.dataclass(frozen=True)
class Dataset:
    name: str
    target: str
    losses: tuple  # as `tailcoat fit --loss` takes them; the first is that of the curve against n
    categorical: tuple = ()
    drop: tuple = ()  # identifiers, codes and leaks
    exposure: str = ""


CLAIM_COLUMNS = ("Area", "VehBrand", "VehGas", "Region")
ROBUST = ("absolute", "huber", "quantile:0.9")

DATASETS = (
    Dataset("california_housing", "median_house_value", ("squared",), ("ocean_proximity",)),
    Dataset("king_county", "price", ("squared",), (), ("id", "date", "zipcode")),
    Dataset("diamonds", "price", ("squared",), ("cut", "color", "clarity")),
    Dataset("cps_asec_2024_wages", "WSAL_VAL", ("squared", *ROBUST), (), ("log_wage",)),
    Dataset("hflights", "ArrDelay", ("squared",), ("UniqueCarrier", "Origin"),
            ("Year", "FlightNum", "Cancelled", "Diverted", "TailNum", "CancellationCode", "Dest")),
    Dataset("fremtpl2sev_joined", "ClaimAmount", ("squared", *ROBUST), CLAIM_COLUMNS, ("IDpol",)),
    Dataset("adult", "income", ("logistic",),
            ("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex",
             "native-country"), ("split",)),
    Dataset("give_me_some_credit", "SeriousDlqin2yrs", ("logistic",)),
    Dataset("fremtpl2freq", "ClaimNb", ("poisson",), CLAIM_COLUMNS, ("IDpol",), "Exposure"),
)


def numbers(cells):
    return np.array([np.nan if cell in MISSING else float(cell) for cell in cells])


class Loaded:
    """All rows with a target, as text for the command line and as columns for the references."""

    def __init__(self, dataset, directory):
        self.dataset = dataset
        with gzip.open(f"{directory}/{dataset.name}.csv.gz", "rt", newline="") as file:
            header, *rows = csv.reader(file)
        at = header.index(dataset.target)
        rows = [row for row in rows if row[at] not in MISSING]
        unused = {dataset.target, dataset.exposure, *dataset.drop}
        self.header = header
        self.lines = np.array([as_line(row) for row in rows], dtype=object)
        columns = dict(zip(header, zip(*rows)))
        self.texts = {name: np.array(columns[name]) for name in dataset.categorical}
        self.numbers = {name: numbers(columns[name]) for name in header
                        if name not in unused and name not in dataset.categorical}
        self.exposure = numbers(columns[dataset.exposure]) if dataset.exposure else np.ones(len(rows))
        self.classes = sorted(set(columns[dataset.target])) if dataset.losses[0] == "logistic" else []
        if self.classes:
            self.target = (np.array(columns[dataset.target]) == self.classes[1]).astype(float)
        else:
            self.target = numbers(columns[dataset.target])

    def split(self, seed, size=None):
        """Indices of 80 % of the rows, or `size` of these, and of the other 20 %."""
        order = np.random.default_rng(seed).permutation(len(self.lines))
        cut = len(order) * 4 // 5
        return order[:cut][:size], order[cut:]

    def write(self, path, rows):
        with open(path, "w", encoding="utf-8") as file:
            file.write(as_line(self.header))
            file.writelines(self.lines[rows])


def as_line(cells):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()
