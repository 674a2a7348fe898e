"""A set of sets.json in memory, and its splits: the same for every program, loss and epsilon.

The files written by `collect` quote nothing, so rows are copied as they are."""
import csv
import gzip
import json
import pathlib
import zlib

import numpy as np

TEST_SHARE = 0.2
MOST_TEST_ROWS = 20_000
TASKS = {"squared": "squared", "absolute": "squared", "logistic": "logistic", "poisson": "poisson"}  # by loss


def described(folder):
    return json.loads((pathlib.Path(folder) / "sets.json").read_text())


def fingerprint(folder, name):
    return f"{zlib.crc32((pathlib.Path(folder) / f'{name}.csv.gz').read_bytes()):08x}"


class Table:
    def __init__(self, folder, description):
        self.name = description["name"]
        with gzip.open(pathlib.Path(folder) / f"{self.name}.csv.gz", "rt", encoding="utf-8") as file:
            self.header, *self.rows = file.read().splitlines()
        columns = next(csv.reader([self.header]))
        target = [row.split(",")[columns.index(description["target"])] for row in self.rows]
        self.classes = sorted(set(target)) if description["task"] == "logistic" else None
        self.y = np.array([t == self.classes[1] for t in target] if self.classes else target, float)
        place = columns.index(description["exposure"]) if "exposure" in description else None
        self.exposure = None if place is None else np.array([row.split(",")[place] for row in self.rows], float)

    def split(self, number, most_rows=0):
        """Places of training and test rows; of the first, `most_rows` where that is not 0, else None if there are fewer."""
        draw = np.random.default_rng(zlib.crc32(f"{self.name}/{number}".encode()))
        order = draw.permutation(len(self.rows))
        tests = round(TEST_SHARE * len(order))
        test, train = order[:tests][:MOST_TEST_ROWS], order[tests:]
        if most_rows >= len(train):
            return None
        return (train[:most_rows] if most_rows else train), test

    def write(self, path, places):
        path.write_text("\n".join([self.header, *(self.rows[i] for i in places)]) + "\n", encoding="utf-8")
