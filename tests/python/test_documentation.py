"""The Python of docs/python.md and README.md runs as it stands, block after block, as a reader would type it."""

import importlib.util
import pathlib
import re

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGES = ["README.md", "docs/python.md"]
BLOCK = re.compile(r"^```(python|diff)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page, gone="-"):
    """Kind, code and first line of each block. Of a diff what is there afterwards, or before if `gone` is a plus."""
    text = (ROOT / page).read_text()
    for found in BLOCK.finditer(text):
        lines = found[2].splitlines()
        if found[1] == "diff":
            lines = ["" if line.startswith(gone) else line[1:] for line in lines]
        yield found[1], "\n".join(lines), text[: found.start()].count("\n") + 1


@pytest.mark.filterwarnings("ignore:FigureCanvasAgg")
@pytest.mark.parametrize("page", PAGES)
def test_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict = {"__name__": "__main__"}
    count = 0
    for _, code, line in blocks(page):
        count += 1
        exec(compile("\n" * line + code, page, "exec"), names)
    assert count > 0


def test_what_diffs_start_from_runs_where_it_is_installed():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 3))
    ran = 0
    for kind, code, line in blocks("docs/python.md", gone="+"):
        needed = re.findall(r"^from (sklearn|diffprivlib)", code, re.MULTILINE)
        if kind == "diff" and all(map(importlib.util.find_spec, needed)):
            exec(compile("\n" * line + code, "docs/python.md", "exec"), {"np": np, "X": X, "y": X[:, 0].copy()})
            ran += 1
    assert ran >= 2


@pytest.mark.parametrize("page", PAGES)
def test_other_blocks_of_python_are_not_hidden(page):
    text = (ROOT / page).read_text()
    assert not re.search(r"^```(py|pycon|python3|python .*)$", text, re.MULTILINE)


def test_the_table_of_parameters_names_those_there_are():
    import tailcoat

    text = (ROOT / "docs/python.md").read_text()
    for name in tailcoat.__all__:
        if name.startswith("Private") and hasattr(getattr(tailcoat, name), "get_params"):
            for parameter in getattr(tailcoat, name)().get_params():
                assert f"`{parameter}`" in text, (name, parameter)
