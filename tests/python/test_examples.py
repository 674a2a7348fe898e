"""The tutorial scripts of examples/python run, quickly, and print something worth reading."""

import pathlib
import runpy
import time

import pytest
from conftest import ESTIMATORS

FOLDER = pathlib.Path(__file__).parents[2] / "examples/python"
SCRIPTS = sorted(FOLDER.glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_script_runs_and_tells(script, capsys):
    begin = time.process_time()
    runpy.run_path(str(script), run_name="__main__")
    told = capsys.readouterr().out
    assert time.process_time() - begin < 5
    assert len(told.splitlines()) >= 5 and " nan" not in told and max(map(len, told.splitlines())) <= 100, told


@pytest.mark.parametrize("name", [*ESTIMATORS, "plan", "minimize", "account", "nonprivate_high_probability_sco"])
def test_every_estimator_and_function_has_a_script(name):
    texts = [script.read_text() for script in SCRIPTS]
    assert any(f"import {name}\n" in text or f"tailcoat.{name}(" in text for text in texts)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_script_is_in_cells(script):
    text = script.read_text()
    assert text.count("\n# %% ") >= 3
    assert max(map(len, text.splitlines())) <= 120
