"""The examples of the docstrings."""

import doctest
import importlib
import inspect
import pathlib

import pytest

import tailcoat

MODULES = [f"tailcoat.{path.stem}" for path in pathlib.Path(tailcoat.__file__).parent.glob("[_a-z]*.py")]
# What users call has an example: estimators and functions.
SHOWN = [name for name in tailcoat.__all__ if name.startswith("Private") or inspect.isfunction(getattr(tailcoat, name))]


def examples_of(module):
    return [test for test in doctest.DocTestFinder(exclude_empty=True).find(module) if test.examples]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings_give_what_they_show(name):
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    told = []
    for test in examples_of(importlib.import_module(name.removesuffix(".__init__"))):
        runner.run(test, out=told.append)
    assert runner.failures == 0, "".join(told)


@pytest.mark.parametrize("name", SHOWN)
def test_what_users_call_has_an_example_and_tells_its_parameters(name):
    text = getattr(tailcoat, name).__doc__ or ""
    assert ">>>" in text
    assert "{" not in text.split("Examples")[0].replace("{'", ""), "a part of the docstring was not filled in"
