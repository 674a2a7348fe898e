"""Tries an installed wheel: run by scripts/wheel in a Python that has the wheel and nothing of the source tree."""

import importlib.metadata
import pathlib
import re
import sys
import zipfile

import numpy as np

import tailcoat
from tailcoat import PrivateLinearRegression

folder = pathlib.Path(sys.argv[1])
(wheel,) = folder.glob("*.whl")
(source,) = folder.glob("*.tar.gz")

assert pathlib.Path(tailcoat.__file__).is_relative_to(sys.prefix), tailcoat.__file__
assert wheel.name.startswith(f"tailcoat-{tailcoat.__version__}-"), (wheel.name, tailcoat.__version__)
assert source.name == f"tailcoat-{tailcoat.__version__}.tar.gz", source.name
assert "manylinux" in wheel.name, wheel.name

inside = set(zipfile.ZipFile(wheel).namelist())
assert {"tailcoat/py.typed", "tailcoat/_core.pyi", "tailcoat/__init__.py"} <= inside, sorted(inside)

# Nothing tells where it was made.
for name in inside:
    for place in (pathlib.Path.home(), pathlib.Path.cwd(), folder.parents[1]):
        assert f"{place}/".encode() not in zipfile.ZipFile(wheel).read(name), (name, place)

# What is others' comes with its licence: the shared libraries, and what is compiled in.
libraries = set(re.findall(r"tailcoat\.libs/(lib[a-z0-9]+)", "\n".join(inside)))
assert {"libcrypto", "libfmt", "libhwy"} <= libraries, libraries
for name in [*libraries, "nanobind", "robin-map", "nlohmann-json3", "libeigen3", "libboost"]:
    text = zipfile.ZipFile(wheel).read(f"tailcoat-{tailcoat.__version__}.dist-info/licenses/{name}.txt").decode()
    assert re.search("copyright|licen[cs]e", text, re.IGNORECASE), name
listed = importlib.metadata.metadata("tailcoat").get_all("License-File")
assert {"LICENSE", *(f"{name}.txt" for name in libraries)} <= set(listed), listed

rng = np.random.default_rng(0)
X = rng.standard_normal((5000, 2))
model = PrivateLinearRegression(epsilon=1).fit(X, 3 * X[:, 0] + rng.standard_t(3, 5000))
assert abs(model.coef_[0] - 3) < 0.5, model.coef_
print(f"{wheel.name} works: slope {model.coef_[0]:.2f} for 3")
