.DEFAULT_GOAL := help
SHELL := bash

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
TRANSLATIONS := leaderboard/translations

unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo test lint format messages bench soak audit clean

help:  ## show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/\1\t\2/' | expand -t 12

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or later is needed; name one with make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# A stamp is newer than the list it was installed from, so an up-to-date environment costs nothing.
$(VENV)/.runtime: requirements.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.development: requirements.txt requirements-dev.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@ $(VENV)/.runtime

setup: $(VENV)/.development  ## make .venv with everything for development

demo: $(VENV)/.runtime  ## show the whole thing on sample data at http://127.0.0.1:8000
	$(BIN)/python -m leaderboard demo

# Four workers fill two cores, as browsers and servers are waited for; each with threads of its own for arithmetic
# they would stand in each other's way. What tests start would compile the code anew each time if it were not kept.
test: setup  ## run all tests
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 4 --dist worksteal

lint: setup  ## format check, lint, types, floors
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: setup  ## format the code and mend what can be mended
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

messages: setup  ## collect every sentence, and bring the Russian catalogue up to date with them
	$(BIN)/pybabel -q extract -F babel.cfg -k say -k say_count:1,2 --add-location=file -o messages.pot .
	$(BIN)/pybabel -q update -i messages.pot -d $(TRANSLATIONS) --no-wrap --no-fuzzy-matching --ignore-pot-creation-date
	$(BIN)/pybabel -q compile -d $(TRANSLATIONS)

bench: setup  ## time scoring beside other tools
	$(BIN)/python -m benchmarks

soak: setup  ## the slow tests alone, with many more generated examples
	HYPOTHESIS_PROFILE=soak $(BIN)/python -m pytest -n 3 --dist worksteal

# What is known of packages lies elsewhere: the second check tells, and stops nobody who has no way there.
audit: setup  ## look for insecure code (bandit) and for known weaknesses of packages (pip-audit)
	$(BIN)/bandit --quiet --recursive --configfile pyproject.toml leaderboard tasks
	-$(BIN)/pip-audit --requirement requirements.txt --no-deps --disable-pip

clean:  ## remove caches (never .venv, data or instance)
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find leaderboard tasks tests benchmarks -name __pycache__ -prune -exec rm -rf {} +
