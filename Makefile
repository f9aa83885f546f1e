# Everything below works in a fresh clone with nothing but make and a python3 that has venv.
#   make demo       see it at work          make test       the quick suite, under both MCP SDKs
#   make lint       ruff and mypy           make test-all   with the slow tests
#   make pair-model the model that compares texts, trained anew (some three hours)
PYTHON ?= python3
VENV := .venv
MCP1 := .venv-mcp1
HERMES := .venv-hermes
TRAIN := .venv-train
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help install demo test test-all test-mcp1 test-sqlite-vec lint format bench pair-model dist clean

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

# The host whose files we share, in the version that the tests speak of, with ours in its environment. Whatever
# it pins has to stay as it was.
$(HERMES)/.stamp: pyproject.toml
	test -x $(HERMES)/bin/python || $(PYTHON) -m venv $(HERMES)
	$(HERMES)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(HERMES)/bin/python -m pip install --quiet 'hermes-agent[mcp]==0.19.0'
	$(HERMES)/bin/python -m pip freeze --exclude-editable > $(HERMES)/pins
	$(HERMES)/bin/python -m pip install --quiet -e .
	$(HERMES)/bin/python -m pip freeze --exclude-editable > $(HERMES)/pins-now
	! grep -Fxv -f $(HERMES)/pins-now $(HERMES)/pins
	$(HERMES)/bin/python -m pip check
	@touch $@

demo: $(VENV)/.stamp
	$(BIN)/memorycore demo

test: $(VENV)/.stamp $(MCP1)/.stamp
	MEMORYCORE_MCP1_PYTHON=$(CURDIR)/$(MCP1)/bin/python $(BIN)/python -m pytest -m 'not slow' -n 2
	$(MAKE) test-mcp1

test-all: $(VENV)/.stamp $(MCP1)/.stamp $(HERMES)/.stamp
	MEMORYCORE_MCP1_PYTHON=$(CURDIR)/$(MCP1)/bin/python HERMES_PYTHON=$(CURDIR)/$(HERMES)/bin/python \
		$(BIN)/python -m pytest -n 2
	$(MAKE) test-mcp1
	$(MAKE) test-sqlite-vec

# Many a python3 can't load SQLite extensions; where the system's can and is of the same version, the search
# by sqlite-vec is tested with it.
test-sqlite-vec: $(VENV)/.stamp
	@version=$$($(BIN)/python -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
	other=/usr/bin/python$$version; \
	if $$other -c 'import sqlite3; sqlite3.connect(":memory:").enable_load_extension(True)' 2>/dev/null; then \
		PYTHONPATH=$(VENV)/lib/python$$version/site-packages $$other -m pytest -m 'not slow' \
			tests/adapters/test_cold_contract.py; \
	else echo "no system python$$version that loads SQLite extensions: sqlite-vec is not tested"; fi

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
	$(BIN)/python -m benchmarks.verdicts
	$(BIN)/python -m benchmarks.overflow
	$(BIN)/python -m benchmarks.maintenance
	$(BIN)/python -m benchmarks.prefetch

# Any build of torch will do, the one for the CPU is the smallest: PIP_EXTRA_INDEX_URL says where it is found.
$(TRAIN)/.stamp: pyproject.toml
	test -x $(TRAIN)/bin/python || $(PYTHON) -m venv $(TRAIN)
	$(TRAIN)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(TRAIN)/bin/python -m pip install --quiet 'torch>=2.4'
	$(TRAIN)/bin/python -m pip install --quiet -e . 'wordfreq>=3.1,<4'
	@touch $@

pair-model: $(TRAIN)/.stamp
	$(TRAIN)/bin/python -m tools.pair_model.train
	$(TRAIN)/bin/python -m tools.pair_model.export

dist: $(VENV)/.stamp
	rm -rf dist
	$(BIN)/python -m pip install --quiet build
	$(BIN)/python -m build --outdir dist .

clean:
	rm -rf $(VENV) $(MCP1) $(HERMES) $(TRAIN) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find memorycore tests benchmarks tools -name __pycache__ -type d -prune -exec rm -rf {} +
