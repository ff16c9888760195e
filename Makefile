# make demo      answer a question on the demo warehouse with the local model
# make test      lint-free tests: all but the slow ones with the local model
# Both do their own set-up: a virtual environment in .venv, pinned dependencies, the model's weights.
# After adding a file, `make install` links it (the install is editable and strict); any target does.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
FOLDERS := $(shell find agent tools prompts fewshot -type d -not -name __pycache__ 2>/dev/null)
PACKAGING := pyproject.toml setup.cfg constraints.txt $(FOLDERS)

.PHONY: install demo test test-model test-trino conformance lint check clean

demo: $(VENV)/.for-use
	$(BIN)/querymend demo

install: $(VENV)/.for-work

test: $(VENV)/.for-work
	$(BIN)/querymend fetch-model
	$(BIN)/pytest -q -m "not trino and (not model or short)"

test-model: $(VENV)/.for-work
	$(BIN)/querymend fetch-model
	$(BIN)/pytest -q -m model

# Hold the stand-in and the static checks against a real Trino, and write docs/conformance.md;
# DATA=folder adds that folder's statements.
conformance: $(VENV)/.for-work
	$(BIN)/python tests/conformance $(DATA)

# The same, and the engine's own tests on that Trino.
test-trino: $(VENV)/.for-work
	$(BIN)/pytest -q -m trino

lint: $(VENV)/.for-work
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

check: lint test

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "QueryMend needs Python 3.11 or newer; say which: make PYTHON=python3.12 …"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "Python's venv module is missing; on Debian: apt-get install python3-venv"; rm -rf $(VENV); exit 1; }

$(VENV)/.for-use: $(BIN)/python $(PACKAGING)
	@echo "Installing QueryMend and what it stands on (about two minutes the first time) …"
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[local]"
	@touch $@

$(VENV)/.for-work: $(BIN)/python $(PACKAGING)
	@echo "Installing QueryMend, what it stands on and its tests' tools (about three minutes the first time) …"
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[local,eval,trino,dev]"
	@touch $@ $(VENV)/.for-use
