"""Runs one version of the program from its command line: a fit, then predictions of the test rows."""
import csv
import dataclasses
import hashlib
import json
import pathlib
import shlex
import subprocess
import time

import numpy as np

MOST_SECONDS = 900


class Failed(Exception):
    pass


@dataclasses.dataclass(frozen=True)
class Program:
    """`build/tailcoat fit --straight`: the program, its command, and what else it is told."""
    words: tuple
    seed: int
    threads: int
    digest: str

    @classmethod
    def of(cls, command, seed, threads):
        words = tuple(shlex.split(command))
        if len(words) < 2 or words[1] != "fit":
            raise SystemExit(f"bench/bed/run: '{command}' should read like 'build/tailcoat fit'")
        content = pathlib.Path(words[0]).read_bytes()
        return cls(words, seed, threads, hashlib.sha256(content).hexdigest()[:16])

    @property
    def key(self):
        """The same for the same program with the same options, wherever it is."""
        return f"{self.digest} {shlex.join(self.words[1:])} seed {self.seed}"

    def fit(self, description, loss, epsilon, seed, folder, classes, give_classes):
        """What the fit says of itself, and its predictions for `folder`/test.csv: of two classes, chances of the second."""
        model = folder / "model.json"
        told = [*self.words, folder / "train.csv", "--target", description["target"], "--loss", loss,
                "--epsilon", epsilon, "--delta", "1e-6", "--seed", seed + self.seed, "--model", model, "--json"]
        for option, values in (("--categorical", description["categorical"]), ("--classes", give_classes and classes)):
            told += [option, ",".join(values)] if values else []
        told += ["--exposure", description["exposure"]] if loss == "poisson" and "exposure" in description else []
        told += ["--threads", self.threads] if self.threads else []
        start = time.monotonic()
        said = json.loads(run(told))
        seconds = time.monotonic() - start
        terms = sorted(name for name, value in said.get("coefficients", {}).items() if value != 0)
        run([self.words[0], "predict", folder / "test.csv", "--model", model, "--output", folder / "out.csv"])
        if classes and sorted(said["classes"]) != classes:
            raise Failed(f"classes found: {said['classes']}")
        predicted = predictions(folder / "out.csv")
        return {"seconds": seconds, "terms": hashlib.sha256("\n".join(terms).encode()).hexdigest()[:12],
                "number_of_terms": len(terms), "constant": bool(said.get("constant"))
                }, 1 - predicted if classes and said["classes"] != classes else predicted


def run(command):
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        raise Failed(f"not done after {MOST_SECONDS} s") from None
    if done.returncode != 0:
        lines = [line for line in done.stderr.strip().splitlines() if "warning" not in line]
        raise Failed((lines or [f"exit code {done.returncode}"])[-1][:300])
    return done.stdout


def predictions(path):
    with open(path, encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    place = header.index("probability" if "probability" in header else "prediction")
    try:
        return np.array([float(row[place]) for row in rows])
    except ValueError:
        raise Failed(f"predictions of {header} are not numbers") from None
