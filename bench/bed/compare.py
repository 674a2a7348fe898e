"""What is compared: every fit of two programs, each of which is one line of a file that an interrupted run goes on with."""
import json
import pathlib
import tempfile
import threading
import zlib

import data
import metrics
import program


class Cache:
    """Records by key, on disk as lines of JSON."""

    def __init__(self, path):
        self.path, self.lock, self.records = pathlib.Path(path), threading.Lock(), {}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                try:
                    entry = json.loads(line)
                    self.records[entry["key"]] = entry["record"]
                except (json.JSONDecodeError, KeyError):
                    continue  # the last line of a run that was killed
            with open(self.path, "a") as file:
                file.write("\n")

    def add(self, key, record):
        with self.lock, open(self.path, "a") as file:
            self.records[key] = record
            file.write(json.dumps({"key": key, "record": record}) + "\n")


class Comparison:
    def __init__(self, arguments, programs, cache):
        self.arguments, self.programs, self.cache = arguments, programs, cache
        self.prints = {}

    def fits(self, description, split, rows):
        """What is to be done on one training file: program, loss, epsilon and the key of the result."""
        name = description["name"]
        if name not in self.prints:
            self.prints[name] = data.fingerprint(self.arguments.data, name)
        for loss in self.arguments.loss:
            if data.TASKS[loss] != description["task"]:
                continue
            for epsilon in self.arguments.epsilon:
                seed = zlib.crc32(f"{name}/{split}/{rows}/{epsilon:g}".encode())
                for which, program in self.programs.items():
                    given = " classes given" if self.arguments.give_classes and loss == "logistic" else ""
                    yield which, loss, epsilon, seed, (f"{program.key}{given} | {name} {self.prints[name]} split {split} "
                                                       f"rows {rows} {loss} {epsilon:g}")

    def run(self, description, split, rows):
        """All fits on one training file that are not in the cache."""
        left = [fit for fit in self.fits(description, split, rows) if fit[-1] not in self.cache.records]
        if not left:
            return
        table = data.Table(self.arguments.data, description)
        places = table.split(split, rows)
        if places is None:
            return
        with tempfile.TemporaryDirectory(prefix="bed-") as folder:
            folder = pathlib.Path(folder)
            table.write(folder / "train.csv", places[0])
            table.write(folder / "test.csv", places[1])
            for which, loss, epsilon, seed, key in left:
                if key not in self.cache.records:  # old and new may be the same
                    self.cache.add(key, self.one(table, description, places, folder, which, loss, epsilon, seed))

    def one(self, table, description, places, folder, which, loss, epsilon, seed):
        train, test = places
        try:
            said, predicted = self.programs[which].fit(description, loss, epsilon, seed, folder, table.classes,
                                                       self.arguments.give_classes)
            exposures = () if table.exposure is None else (table.exposure[test], table.exposure[train])
            return said | metrics.measure(loss, table.y[test], predicted, table.y[train], *exposures)
        except (program.Failed, ValueError, LookupError, OSError) as error:
            return {"error": str(error)[:300]}

    def records(self, descriptions):
        for description in descriptions:
            for split in range(self.arguments.splits):
                for rows in self.arguments.rows:
                    for which, loss, epsilon, _, key in self.fits(description, split, rows):
                        if key in self.cache.records:
                            yield self.cache.records[key] | {
                                "program": which, "set": description["name"], "family": description["family"],
                                "split": split, "rows": rows, "loss": loss, "epsilon": epsilon}
