# Everything below works in a fresh clone with nothing but make and a python3 that has venv.
#   make demo       see it at work          make test       the quick suite, under both MCP SDKs
#   make lint       ruff and mypy           make test-all   with the slow tests
PYTHON ?= python3
VENV := .venv
MCP1 := .venv-mcp1
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help install demo test test-all test-mcp1 lint format bench dist clean

help:
	@sed -n 's/^#  *//p' Makefile

install: $(VENV)/.stamp

$(VENV)/.stamp: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet -e . --group dev
	@touch $@

# The other SDK that we promise to run with, for servers and clients of the protocol tests.
$(MCP1)/.stamp: pyproject.toml
	test -x $(MCP1)/bin/python || $(PYTHON) -m venv $(MCP1)
	$(MCP1)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(MCP1)/bin/python -m pip install --quiet -e . 'mcp==1.26.*' 'pytest>=8.3' 'pytest-xdist>=3.6'
	@touch $@

demo: $(VENV)/.stamp
	$(BIN)/memorycore demo

test: $(VENV)/.stamp $(MCP1)/.stamp
	MEMORYCORE_MCP1_PYTHON=$(CURDIR)/$(MCP1)/bin/python $(BIN)/python -m pytest -m 'not slow' -n 2
	$(MAKE) test-mcp1

test-all: $(VENV)/.stamp $(MCP1)/.stamp
	MEMORYCORE_MCP1_PYTHON=$(CURDIR)/$(MCP1)/bin/python $(BIN)/python -m pytest -n 2
	$(MAKE) test-mcp1

# The protocol tests once more, with the client of the older SDK.
test-mcp1: $(VENV)/.stamp $(MCP1)/.stamp
	MEMORYCORE_MCP2_PYTHON=$(CURDIR)/$(BIN)/python $(MCP1)/bin/python -m pytest -m 'not slow' -n 2 tests/faces/test_protocol.py

lint: $(VENV)/.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.stamp
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.stamp
	$(BIN)/python -m benchmarks.recall_set
	$(BIN)/python -m benchmarks.routing
	$(BIN)/python -m benchmarks.speed

dist: $(VENV)/.stamp
	rm -rf dist
	$(BIN)/python -m pip install --quiet build
	$(BIN)/python -m build --outdir dist .

clean:
	rm -rf $(VENV) $(MCP1) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find memorycore tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
