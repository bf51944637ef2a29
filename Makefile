# `make` alone prints this list.
# The first Python that is new enough; `make PYTHON=...` names another.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "interlock needs Python 3.11 or newer: make PYTHON=/path/to/python"; exit 1; }
	@echo "creating $(VENV)"
	@$(PYTHON) -m venv $(VENV) && $(PIP) --upgrade pip || { rm -rf $(VENV); exit 1; }

# What only the demo needs is less than what development needs, and is installed faster.
$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	@echo "installing the demo's packages"
	@$(PIP) -e '.[cli,pydantic]' --group demo
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	@echo "installing the packages for development"
	@$(PIP) -e '.[all]' --group dev
	@touch $@

$(VENV)/.bench $(VENV)/.fuzz $(VENV)/.mutants: $(VENV)/.%: $(VENV)/.dev
	@echo "installing the packages for $*"
	@$(PIP) --group $*
	@touch $@

demo: $(VENV)/.demo ## broken streams and a broken history, with the official clients; no API key
	@$(BIN)/python examples/demo.py

setup: $(VENV)/.dev ## create .venv with all that development needs

test: $(VENV)/.dev ## run all tests
	$(BIN)/python -m pytest -n auto

lint: $(VENV)/.dev ## ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev ## mypy, strict
	$(BIN)/mypy

format: $(VENV)/.dev ## rewrite the code in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench-parser: $(VENV)/.bench ## the parser's speed and memory next to other partial parsers
	@$(BIN)/python -m benchmarks.parser

soak: $(VENV)/.dev ## the guard's life, 20,000 times in any order, and every wire's damage as often (hours)
	SOAK_EXAMPLES=20000 $(BIN)/python -m pytest tests/properties/stream -n auto --timeout 0

exhaustive: $(VENV)/.dev ## every JSON text of five symbols, at every split
	INTERLOCK_EXHAUSTIVE=full $(BIN)/python -m pytest -n auto tests/differential/test_exhaustive.py

fuzz: $(VENV)/.fuzz ## fuzz the parser for MINUTES (1)
	@mkdir -p fuzz/crashes/corpus
	$(BIN)/python fuzz/parser.py fuzz/crashes/corpus fuzz/corpus/parser -max_total_time=$$((60 * $(MINUTES))) -artifact_prefix=fuzz/crashes/

SUITE ?= parser
mutants: $(VENV)/.mutants ## change SUITE (parser, gate) in a thousand ways; the tests must notice (hours)
	$(BIN)/python fuzz/mutants.py $(SUITE)

# The newest Python here for the frameworks that need 3.12; without one their part is left out.
PYTHON312 ?= $(shell for python in python3.14 python3.13 python3.12 $(PYTHON); do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && echo $$python && break; done)
FRAMEWORKS := frameworks frameworks-openai2 frameworks-crewai $(if $(PYTHON312),frameworks-ai)

.frameworks/frameworks-ai/.done: PYTHON := $(PYTHON312)
.frameworks/%/.done: pyproject.toml
	@echo "installing the packages for $*"
	@test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	@$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	@$(@D)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[schema,pydantic]' --group $* pytest pytest-timeout hypothesis
	@touch $@

frameworks: $(FRAMEWORKS:%=.frameworks/%/.done) ## the lock in real agent frameworks, each set in an environment of its own
	@for group in $(FRAMEWORKS); do echo "$$group:"; \
	.frameworks/$$group/bin/python -m pytest -q -p no:cacheprovider tests/frameworks tests/unit/tools/test_lock.py || exit 1; done

clean: ## remove all that was generated
	rm -rf $(VENV) .frameworks .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

.PHONY: help demo setup test lint types format bench-parser soak exhaustive fuzz mutants frameworks clean
