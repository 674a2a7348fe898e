# A thin layer over the CMake presets; every target installs what it needs first (scripts/setup).
.PHONY: configure build tailcoat demo test test-slow wheel bench accuracy asan tsan format install setup clean
.DEFAULT_GOAL := build

prefix ?= /usr/local

setup:
	@scripts/setup

# The Python package is built where scripts/setup-python has been, as it is for `make test`.
python := $(if $(wildcard build/python/ready),-DTAILCOAT_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/build/python/bin/python)

configure: setup
	@cmake --preset release $(python) > build.log 2>&1 || (cat build.log; exit 1)
	@rm -f build.log

build: configure
	cmake --build --preset release

# The command line alone, build/tailcoat.
tailcoat: configure
	cmake --build --preset release --target tailcoat_cli

demo: configure
	cmake --build --preset release --target insurance_claims
	@build/examples/insurance_claims build/demo

# Without PyPI the tests of the Python package are skipped, unless TAILCOAT_REQUIRE_PYTHON is set.
test: setup
	@scripts/setup-python || test -z "$$TAILCOAT_REQUIRE_PYTHON"
	@$(MAKE) --no-print-directory build
	ctest --preset release
	@test -f build/python/ready || echo "tests of the Python package: SKIPPED, its packages could not be installed"

test-slow: build
	ctest --preset slow

# A wheel for the Python that PYTHON names, in build/wheel; compiles the library again.
wheel:
	@scripts/wheel

bench: build
	build/bench/tailcoat_bench

# Fits on real data against fits without privacy; writes docs/accuracy.md. DATA: the folder with the data sets.
accuracy: build
	@scripts/setup-python
	build/python/bin/python bench/accuracy "$(DATA)" --jobs 2

asan tsan: setup
	cmake --preset $@
	cmake --build --preset $@
	ctest --preset $@

format:
	@scripts/setup format
	git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

install: build
	cmake --install build --prefix $(prefix)

clean:
	rm -rf build build-asan build-tsan
