# Two commands: `make demo` and `make test`. Both set up what they need in .venv.
# `make r` and `make demo-r` are their like for R.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
CORE   := $(wildcard pywbms/_core/*.pyx pywbms/_core/*.pxd pywbms/_core/simd/*) setup.py pyproject.toml
R_CODE := $(wildcard rbridge/wbms/R/*.R rbridge/wbms/src/*.c rbridge/wbms/man/*.Rd) \
          $(addprefix rbridge/wbms/,DESCRIPTION NAMESPACE configure)

# The folder with the paper's real data, for bench, reproduce and vignettes; none by default.
DATA   ?=

.PHONY: demo demo-r r r-docs test bench bench-quick reproduce lint format vignettes clean help
.DEFAULT_GOAL := help

help:
	@echo "make demo   cluster the paper's motivating example and draw it (demo.png)"
	@echo "make r      install the R package wbms for your R, bound to .venv"
	@echo "make demo-r the same example in R (demo-r.png)"
	@echo "make test   run all tests, of Python and of R"
	@echo "make bench  how fast it is: a table, a CSV file and a picture in benchmarks/results"
	@echo "            and the paper's experiments in their quick form (DATA=folder with its data)"
	@echo "make bench-quick   the speed only, small, in under two minutes"
	@echo "make reproduce   the paper's figures and tables in full (an hour; DATA=folder)"
	@echo "make vignettes   the vignettes as HTML pages"
	@echo "make lint   ruff and cython-lint"
	@echo "make clean  remove .venv and what was built"

demo: $(VENV)/installed
	$(BIN)/pywbms demo

demo-r: $(VENV)/lib/R/wbms
	$(BIN)/python -m rbridge rbridge/demo.R

r: $(VENV)/rpy2
	$(BIN)/python -m rbridge --install --vignettes

test: $(VENV)/rpy2
	sh tools/install-r.sh test
	$(BIN)/python -m pytest -n auto --dist loadgroup

bench: $(VENV)/installed
	$(BIN)/python -m benchmarks
	$(BIN)/pywbms reproduce all --quick --out benchmarks/results/reproduce $(if $(DATA),--data $(DATA))

reproduce: $(VENV)/installed
	$(BIN)/pywbms reproduce all $(if $(DATA),--data $(DATA))

bench-quick: $(VENV)/installed
	$(BIN)/python -m benchmarks --quick

# Each vignette is a script with cells; the tests run it, this makes a page of it.
vignettes: $(VENV)/lib/R/wbms
	sh tools/install-r.sh test
	$(BIN)/python -m pip install --quiet --editable ".[vignettes]"
	mkdir -p build
	for script in vignettes/*.py; do \
	    $(BIN)/jupytext --quiet --to ipynb --output build/$$(basename $$script .py).ipynb $$script && \
	    $(if $(DATA),PYWBMS_DATA=$(abspath $(DATA))) \
	    $(BIN)/jupyter nbconvert --execute --to html --output-dir vignettes \
	        build/$$(basename $$script .py).ipynb || exit 1; \
	done
	for page in vignettes/*.Rmd; do \
	    R_LIBS=$(VENV)/lib/R CI=true Rscript -e 'rmarkdown::render("'$$page'", quiet = TRUE, \
	        output_dir = "vignettes", intermediates_dir = tempdir())' || exit 1; \
	done

# The manual pages of the R package, from the comments in its code (needs roxygen2).
r-docs: $(VENV)/lib/R/wbms
	R_LIBS=$(VENV)/lib/R Rscript -e 'roxygen2::roxygenise("rbridge/wbms", "rd", load_code = "installed")'

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PATH=$(BIN):$$PATH cython-lint pywbms # it calls pycodestyle by name

format: $(VENV)/installed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Made anew when the core or the dependencies change; Python files need no new install.
$(VENV)/installed: $(CORE) | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	@touch $@

# rpy2 is built against the R that is there: R comes first.
$(VENV)/rpy2: pyproject.toml tools/install-r.sh | $(VENV)/installed
	sh tools/install-r.sh
	$(BIN)/python tools/requirements.py r | xargs -d '\n' $(BIN)/python -m pip install --quiet
	@touch $@

$(VENV)/lib/R/wbms: $(R_CODE) | $(VENV)/rpy2
	$(BIN)/python -m rbridge --install $(VENV)/lib/R
	@touch $@

$(VENV)/bin/python:
	PYTHON=$(PYTHON) sh tools/make-venv.sh $(VENV)

clean:
	rm -rf $(VENV) build dist *.egg-info pywbms/_core/*.c pywbms/_core/*.so rbridge/wbms/src/*.o \
	    rbridge/wbms/src/*.so rbridge/wbms/inst/python-path
