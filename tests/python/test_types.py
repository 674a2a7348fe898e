"""Types: mypy --strict of the package with the stub of its extension module, and of typical use."""

import pathlib
import subprocess
import sys

import pytest

import tailcoat

ROOT = pathlib.Path(__file__).parents[2]
PACKAGE = pathlib.Path(tailcoat.__file__).parent


def mypy(*arguments, cache):
    command = [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir", cache, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=PACKAGE.parent)
    return done.stdout + done.stderr, done.returncode


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("mypy")


def test_package_is_typed(cache):
    found, code = mypy("-p", "tailcoat", cache=cache)
    assert code == 0, found


def test_typical_use_is_typed_and_errors_in_it_are_found(cache):
    found, code = mypy(ROOT / "tests/python/typed_use.py", cache=cache)  # strict: an unneeded ignore is an error, too
    assert code == 0, found


def test_marker_and_stub_are_in_the_package():
    assert (PACKAGE / "py.typed").exists()
    stub = (PACKAGE / "_core.pyi").read_text()
    missing = [name for name in dir(tailcoat._core) if not name.startswith("_") and f" {name}" not in stub]
    assert not missing
    assert "object: ..." not in stub and "-> object" not in stub, "say in python/stubs.txt what these give"


def test_all_public_names_resolve():
    assert set(tailcoat._LAZY) < set(tailcoat.__all__), "add what is new to __all__ and to the imports"
    assert all(getattr(tailcoat, name) is not None for name in tailcoat.__all__)
