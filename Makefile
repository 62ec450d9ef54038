# `make demo` and `make test` set up what they need in .venv; `make help` lists all targets.
#
# What is installed, in layers, each with a stamp in .venv:
#   .base        what pywbms needs to run and to be built
#   .core        pywbms itself, editable, with its compiled core
#   .extra-NAME  the requirements of an extra of pyproject.toml: plot, r, dev, docs, browser, wheel

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-compile
R_WBMS := $(VENV)/lib/R/wbms
CORE   := $(wildcard pywbms/_core/*.pyx pywbms/_core/*.pxd pywbms/_core/simd/*) setup.py pyproject.toml
R_CODE := $(wildcard rbridge/wbms/R/*.R rbridge/wbms/src/*.c rbridge/wbms/man/*.Rd) \
          $(addprefix rbridge/wbms/,DESCRIPTION NAMESPACE configure)

# The folder with the paper's real data, for bench, reproduce and vignettes; none by default.
DATA      ?=
# Further arguments for test, test-fast, bench-quick, soak, wheel and portable, as in:
# make test-fast ARGS="-k tree"
ARGS      ?=
# Which vignettes are made.
VIGNETTES ?= $(wildcard vignettes/*.py vignettes/*.Rmd)
# Where bench and reproduce write, and --tiny for a run in seconds whose numbers mean nothing.
RESULTS   ?= benchmarks/results
PAPER     ?= reproduction
FORM      ?=

with_data = $(if $(DATA),--data $(DATA))
say       = @printf 'pywbms: %s\n'

.PHONY: help demo test test-fast lint format r demo-r r-docs vignettes docs bench bench-quick sanitize \
        soak wheel portable reproduce clean install-r
.DEFAULT_GOAL := help

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/make \1@\2/p' Makefile | \
	    awk -F @ '{ printf "%-17s  %s\n", $$1, $$2 }'

demo: $(VENV)/.extra-plot ## cluster the paper's motivating example: picture and report (demo.png, demo.html)
	$(say) 'clustering the motivating example'
	@$(BIN)/pywbms demo

test: $(VENV)/.extra-dev $(VENV)/.extra-docs $(VENV)/.extra-browser $(VENV)/.extra-wheel $(VENV)/.extra-r ## run all tests, of Python and of R
	@sh tools/install-r.sh test
	@sh tools/install-r.sh docs
	@sh tools/install-chromium.sh
	$(BIN)/python -m pytest -n auto --dist loadgroup $(ARGS)

test-fast: $(VENV)/.extra-dev ## run the tests that need neither R nor Dask nor much time
	$(BIN)/python -m pytest -m fast -n auto --dist loadgroup $(ARGS)

lint: $(VENV)/.extra-dev ## check style and types: ruff, cython-lint and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PATH=$(BIN):$$PATH cython-lint pywbms # it calls pycodestyle by name
	$(BIN)/mypy

format: $(VENV)/.extra-dev ## format the Python code with ruff
	$(BIN)/ruff check --fix --exit-zero .
	$(BIN)/ruff format .

r: $(VENV)/.extra-r ## install the R package wbms for your R, bound to .venv
	$(say) 'installing the R package wbms and building its vignettes (about a minute)'
	@$(BIN)/python -m rbridge --install --vignettes

demo-r: $(R_WBMS) ## the same example in R (demo-r.png)
	$(say) 'clustering the motivating example in R'
	@$(BIN)/python -m rbridge rbridge/demo.R

vignettes: $(R_WBMS) $(VENV)/.extra-plot ## make the vignettes as HTML pages (DATA=folder)
	@sh tools/install-r.sh test
	@$(if $(DATA),PYWBMS_DATA=$(abspath $(DATA))) R_LIBS=$(abspath $(VENV)/lib/R) \
	    $(BIN)/python tools/vignettes.py $(VIGNETTES)

docs: $(R_WBMS) $(VENV)/.extra-docs ## make the documentation as a site in docs/_build/html (DATA=folder)
	@sh tools/install-r.sh docs
	@$(if $(DATA),PYWBMS_DATA=$(abspath $(DATA))) R_LIBS=$(abspath $(VENV)/lib/R) \
	    $(BIN)/python tools/vignettes.py --no-pages $(VIGNETTES)
	$(say) 'building the site in docs/_build/html'
	@$(BIN)/python tools/build_site.py --r-library $(VENV)/lib/R $(VIGNETTES)

bench: $(VENV)/.extra-dev ## how fast it is, and the paper's experiments in their quick form (DATA=folder)
	$(BIN)/python -m benchmarks --out $(RESULTS) $(FORM)
	$(BIN)/python -m benchmarks.landmarks --contenders --out $(RESULTS) $(FORM)
	$(BIN)/pywbms reproduce all --out $(RESULTS)/reproduce $(with_data) $(or $(FORM),--quick)

bench-quick: $(VENV)/.extra-dev ## only the speed, on small data, in under two minutes
	$(BIN)/python -m benchmarks --quick --out $(RESULTS) $(ARGS)

sanitize: $(VENV)/.extra-dev ## run the core's tests and random cases with sanitizers (15 minutes)
	$(say) 'building the core with sanitizers in build/sanitize'
	@$(BIN)/python tools/sanitize.py $(FORM)

reproduce: $(VENV)/.extra-plot ## the paper's figures and tables in full (an hour; DATA=folder)
	$(BIN)/pywbms reproduce all --out $(PAPER) $(with_data) $(FORM)

soak: $(VENV)/.extra-dev ## 100 fits on Dask among workers killed, stopped, restarted and slow (minutes)
	$(BIN)/python tests/soak.py $(ARGS)

wheel: $(VENV)/.extra-wheel ## build sdist and wheel in dist, and test the wheel with every Python (an hour)
	$(say) 'building the source distribution and the wheel in dist'
	@$(BIN)/python tools/build_wheel.py
	@$(BIN)/python tools/prove_wheel.py $(ARGS)

portable: $(VENV)/.extra-dev $(VENV)/.extra-wheel ## the core with clang, without AVX and for aarch64 (30 minutes)
	@$(BIN)/python tools/portable.py $(ARGS)

clean: ## remove .venv and everything that was built
	rm -rf $(VENV) build dist *.egg-info pywbms/_core/*.c pywbms/_core/*.so rbridge/wbms/src/*.o \
	    rbridge/wbms/src/*.so rbridge/wbms/inst/*-path

# The manual pages of the R package, from the comments in its code, and its news; needs the R package
# roxygen2.
r-docs: $(R_WBMS)
	$(BIN)/python tools/news_rd.py rbridge/wbms/NEWS.md rbridge/wbms/inst/NEWS.Rd
	R_LIBS=$(VENV)/lib/R Rscript -e 'roxygen2::roxygenise("rbridge/wbms", "rd", load_code = "installed")'

$(VENV)/bin/python:
	@PYTHON=$(PYTHON) sh tools/make-venv.sh $(VENV)

$(VENV)/.base: pyproject.toml | $(VENV)/bin/python
	$(say) 'installing numpy, scipy, pandas, scikit-learn and Cython in $(VENV)'
	@$(BIN)/python tools/requirements.py build run | xargs -d '\n' $(PIP)
	@touch $@

# Made anew when the core or pyproject.toml changes; Python files need no new install. Without
# isolation, as pip would install numpy, scipy and Cython a second time for each build.
$(VENV)/.core: $(CORE) | $(VENV)/.base
	$(say) 'compiling the core and installing pywbms in $(VENV)'
	@$(PIP) --no-build-isolation --no-deps --editable .
	@touch $@

$(VENV)/.extra-%: pyproject.toml | $(VENV)/.core
	$(say) 'installing the requirements of the extra "$*" in $(VENV)'
	@$(BIN)/python tools/requirements.py $* | xargs -d '\n' $(PIP)
	@touch $@

# rpy2 is built against the R that is there: R comes first.
$(VENV)/.extra-r: | install-r

install-r:
	@sh tools/install-r.sh

$(R_WBMS): $(R_CODE) | $(VENV)/.extra-r
	$(say) 'installing the R package wbms in $(VENV)/lib/R'
	@$(BIN)/python -m rbridge --install $(VENV)/lib/R
	@touch $@
