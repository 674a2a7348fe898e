"""The Python of docs/python.md and README.md runs as it stands, block after block, as a reader would type it."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGES = ["README.md", "docs/python.md"]
BLOCK = re.compile(r"^```(python|diff)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page):
    """The blocks and the lines they begin at. Of a diff what stands there afterwards: lines with a plus or a blank."""
    text = (ROOT / page).read_text()
    for found in BLOCK.finditer(text):
        lines = found[2].splitlines()
        if found[1] == "diff":
            lines = ["" if line.startswith("-") else line[1:] for line in lines]
        yield "\n".join(lines), text[: found.start()].count("\n") + 1


@pytest.mark.filterwarnings("ignore:FigureCanvasAgg")
@pytest.mark.parametrize("page", PAGES)
def test_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict = {"__name__": "__main__"}
    count = 0
    for code, line in blocks(page):
        count += 1
        exec(compile("\n" * line + code, page, "exec"), names)
    assert count > 0


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
