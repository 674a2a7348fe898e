"""`import tailcoat` is quick: what is slow to import waits until it is used."""

import subprocess
import sys

MEASURE = """
import sys, time
begin = time.process_time()
import tailcoat
large = ("numpy", "sklearn", "pandas", "matplotlib")
print(time.process_time() - begin, *(name for name in large if name in sys.modules))
"""


def measured():
    done = subprocess.run([sys.executable, "-c", MEASURE], capture_output=True, text=True, check=True)
    seconds, *imported = done.stdout.split()
    return float(seconds), imported


def test_import_takes_less_than_150_ms_of_the_processor():
    assert min(measured()[0] for _ in range(3)) < 0.15


def test_import_brings_in_none_of_the_large_packages():
    assert measured()[1] == []
