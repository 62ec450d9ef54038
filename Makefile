# Two commands: `make demo` and `make test`. Both set up what they need in .venv.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
CORE   := $(wildcard pywbms/_core/*.pyx) setup.py pyproject.toml

.PHONY: demo test lint format vignettes clean help
.DEFAULT_GOAL := help

help:
	@echo "make demo   cluster the paper's motivating example and draw it (demo.png)"
	@echo "make test   run all tests"
	@echo "make vignettes   the vignettes as HTML pages"
	@echo "make lint   ruff and cython-lint"
	@echo "make clean  remove .venv and what was built"

demo: $(VENV)/installed
	$(BIN)/pywbms demo

test: $(VENV)/installed
	$(BIN)/python -m pytest -n auto

# Each vignette is a script with cells; the tests run it, this makes a page of it.
vignettes: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --editable ".[vignettes]"
	mkdir -p build
	for script in vignettes/*.py; do \
	    $(BIN)/jupytext --quiet --to ipynb --output build/$$(basename $$script .py).ipynb $$script && \
	    $(BIN)/jupyter nbconvert --execute --to html --output-dir vignettes \
	        build/$$(basename $$script .py).ipynb || exit 1; \
	done

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

$(VENV)/bin/python:
	PYTHON=$(PYTHON) sh tools/make-venv.sh $(VENV)

clean:
	rm -rf $(VENV) build dist *.egg-info pywbms/_core/*.c pywbms/_core/*.so
