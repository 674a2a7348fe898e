"""bench/bed, on made data: the table of sets, the figures, and a comparison of the program with itself."""

import gzip
import importlib.machinery
import json
import os
import pathlib
import sys
import types

import numpy as np
import pytest

BED = pathlib.Path(__file__).parents[2] / "bench" / "bed"
DESCRIPTION = {"name": "made", "family": "made", "target": "y", "task": "squared", "categorical": ["kind"]}


@pytest.fixture
def bed(monkeypatch):
    monkeypatch.syspath_prepend(str(BED))
    import compare
    import metrics
    import program
    import sets
    import summary

    yield types.SimpleNamespace(compare=compare, metrics=metrics, program=program, sets=sets, summary=summary)
    for name, module in list(sys.modules.items()):  # names as short as these may be another test's
        if str(getattr(module, "__file__", "") or "").startswith(str(BED)):
            del sys.modules[name]


def test_lines_of_the_table_have_names_of_their_own(bed):
    names = [line.name for line in bed.sets.SETS]
    assert len(names) == len(set(names))
    assert {line.task for line in bed.sets.SETS} == {"squared", "logistic", "poisson"}


def test_skill_is_what_a_model_saves_of_the_loss_of_the_constant(bed):
    y = np.array([0.0, 1.0, 1.0, 3.0])
    for loss in ("squared", "absolute", "poisson"):
        centre = np.median(y) if loss == "absolute" else y.mean()
        assert bed.metrics.measure(loss, y, np.full(4, centre), y)["skill"] == pytest.approx(0)
        assert bed.metrics.measure(loss, y, y, y)["skill"] == pytest.approx(1, abs=1e-5)
    exposure = np.array([1.0, 2.0, 3.0, 4.0])
    assert bed.metrics.measure("poisson", y, exposure / 2, y, exposure, exposure)["skill"] == pytest.approx(0)
    measured = bed.metrics.measure("logistic", np.array([0, 1, 0, 1.0]), np.array([0.1, 0.9, 0.5, 0.5]), np.array([0, 1.0]))
    assert measured["auc"] == pytest.approx(0.875)
    assert measured["total"] == pytest.approx(1)


def test_a_program_compared_with_itself_does_not_differ(bed, tmp_path):
    rng = np.random.default_rng(5)
    x, kind = rng.standard_normal(3000), rng.integers(0, 2, 3000)
    rows = [f"{a + b + e:.6g},{a:.6g},{'no yes'.split()[b]}" for a, b, e in zip(x, kind, rng.standard_normal(3000))]
    with gzip.open(tmp_path / "made.csv.gz", "wt") as file:
        file.write("\n".join(["y,x,kind", *rows]) + "\n")
    arguments = types.SimpleNamespace(data=tmp_path, splits=2, rows=[0, 1000, 100000], loss=["squared", "logistic"],
                                      epsilon=[1.0], give_classes=False)
    same = bed.program.Program.of(os.environ["TAILCOAT_PROGRAM"] + " fit", 0, 1)
    comparison = bed.compare.Comparison(arguments, {"old": same, "new": same}, bed.compare.Cache(tmp_path / "cache"))
    for rows in arguments.rows:
        comparison.run(DESCRIPTION, 0, rows)
    kept = [json.loads(line) for line in (tmp_path / "cache").read_text().splitlines()]
    assert len(kept) == 2  # one fit each on all rows and on 1,000
    cells = {place: bed.summary.compare(place[0], fits)
             for place, fits in bed.summary.pairs(comparison.records([DESCRIPTION])).items()}
    assert set(cells) == {("squared", 0, 1.0), ("squared", 1000, 1.0)}
    assert cells["squared", 0, 1.0]["metrics"]["skill"]["difference"] == 0
    assert cells["squared", 0, 1.0]["metrics"]["skill"]["old"] > 0.3
    assert "R^2" in bed.summary.text(cells)


def test_intervals_of_an_easy_cell_hold_their_slopes(bed):
    loader = importlib.machinery.SourceFileLoader("coverage_of_slopes", str(BED / "coverage"))
    coverage = types.ModuleType(loader.name)
    loader.exec_module(coverage)
    arguments = types.SimpleNamespace(program=os.environ["TAILCOAT_PROGRAM"] + " fit --terms linear")
    held = [h for fit in range(1, 6) for h in coverage.held(arguments, "squared", "normal", 10_000, 3.0, fit)]
    assert len(held) == 25
    assert sum(held) >= 19  # less has a probability of 1e-4 if each holds with .95
