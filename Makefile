# The verbs of this repository. `make` alone lists them; each sets up what it needs by itself.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

PACKAGES := $(addprefix shared/,sdk conformance servicekit cli) $(addprefix services/,event-store supervisor timers retention)
OURS     := loom-durable loom-conformance loom-servicekit loom-cli loom-event-store loom-supervisor loom-timers loom-retention
PROJECTS := $(addsuffix /pyproject.toml,$(PACKAGES))

# The interpreter for .venv: the first of these that runs and is 3.11 or later. `make install PYTHON=...` chooses another.
PYTHON   ?=
PYTHONS  := python3 python3.13 python3.12 python3.11

BIN      := .venv/bin
STAMP    := .venv/.installed
UV       ?= $(BIN)/uv
COMPILE  := pip compile --quiet --universal --generate-hashes --no-annotate --no-header --python-version 3.11

# The pooler of the tests is Debian's: root gets it installed, everybody else is told how.
PGBOUNCER = @if PATH="$$PATH:/usr/sbin" command -v pgbouncer >/dev/null; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && [ -e /etc/debian_version ]; then \
	  echo "install pgbouncer"; \
	  export DEBIAN_FRONTEND=noninteractive; \
	  apt-get update -qq >/dev/null && apt-get install -qq --no-install-recommends pgbouncer >/dev/null; \
	else \
	  echo "The tests need pgbouncer: sudo apt-get install pgbouncer" >&2; \
	  exit 2; \
	fi

# A real broker needs Java, and the first time Maven for its jars, which stay in a cache outside the tree.
KAFKA_JARS = PYTHONPATH=tests $(BIN)/python -m fixtures.kafka_jars
KAFKA = @missing="$$($(KAFKA_JARS) missing)"; \
	if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && [ -e /etc/debian_version ]; then \
	  echo "install $$missing"; \
	  export DEBIAN_FRONTEND=noninteractive; \
	  apt-get update -qq >/dev/null && apt-get install -qq --no-install-recommends $$missing >/dev/null; \
	elif [ -n "$$missing" ]; then \
	  echo "The broker needs $$missing: sudo apt-get install $$missing" >&2; \
	  exit 2; \
	fi; \
	$(KAFKA_JARS) fetch

# Jaeger is built from its Go module, once: the program stays in a cache outside the tree.
JAEGER_BUILD = PYTHONPATH=tests $(BIN)/python -m fixtures.jaeger_build
JAEGER = @missing="$$($(JAEGER_BUILD) missing)"; \
	if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && [ -e /etc/debian_version ]; then \
	  echo "install $$missing"; \
	  export DEBIAN_FRONTEND=noninteractive; \
	  apt-get update -qq >/dev/null && apt-get install -qq --no-install-recommends $$missing >/dev/null; \
	elif [ -n "$$missing" ]; then \
	  echo "Jaeger is built with $$missing: sudo apt-get install $$missing" >&2; \
	  exit 2; \
	fi; \
	$(JAEGER_BUILD) build

# `make test ARGS="tests/kernel -k park"` narrows a run; `TEST_WORKERS=0` runs it in one process.
TEST_WORKERS ?= 2
ARGS         ?=

# What the demo runs on: sqlite or postgres under one process, or full, which is the stack of `make up`.
STACK         ?= sqlite
DEMO_sqlite   := $(BIN)/python -m loom_cli.demo
DEMO_postgres := PYTHONPATH=tests $(BIN)/python -m fixtures.with_postgres $(BIN)/python -m loom_cli.demo --postgres URL
DEMO_full     := PYTHONPATH=tests $(BIN)/python -m fixtures.stack_keeper with $(BIN)/python -m loom_cli.demo --stack STATE

# Where `make up` writes what runs, and the logs.
STACK_FOLDER  := .loom-stack

.PHONY: help install lock format check test test-brokers up down demo conformance boot-storm dumps failover jaeger schedules storm bench-smoke bench-fence bench-wake invariants openapi asyncapi clean

help: ## List the verbs
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(STAMP) ## Make .venv from the hashed lock, with our eight packages editable
	@echo "ready: .venv/bin/loom"

# The stamp is made last, so an installation that broke off is tried again.
$(STAMP): requirements-dev.txt $(PROJECTS)
	@python=; \
	for candidate in $(if $(PYTHON),$(PYTHON),$(PYTHONS)); do \
	  if "$$candidate" -c 'import sys, venv, ensurepip; assert sys.version_info >= (3, 11)' >/dev/null 2>&1; then python="$$candidate"; break; fi; \
	done; \
	if [ -z "$$python" ]; then \
	  echo "Loom needs Python 3.11 or later, with venv; tried: $(if $(PYTHON),$(PYTHON),$(PYTHONS))." >&2; \
	  echo "Install one, or name it: make install PYTHON=/path/to/python3" >&2; \
	  exit 2; \
	fi; \
	if ! $(BIN)/python -c 'import sys; assert sys.version_info >= (3, 11)' >/dev/null 2>&1; then \
	  echo "make .venv with $$("$$python" --version)"; \
	  "$$python" -m venv --clear .venv; \
	fi
	@echo "install the locked requirements and the eight packages"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation $(addprefix -e ,$(PACKAGES))
	@touch $@

lock: ## Resolve the requirements again; commits hold pins and hashes, never hosts
	@if [ ! -x "$$(command -v $(UV))" ]; then $(MAKE) --no-print-directory install; fi
	$(UV) $(COMPILE) $(addprefix --no-emit-package ,$(OURS)) $(PROJECTS) requirements-dev.in -o requirements-dev.txt
	$(UV) $(COMPILE) $(addprefix --no-emit-package ,$(OURS)) $(PROJECTS) -c requirements-dev.txt -o requirements.txt

format: $(STAMP) ## Mend what ruff can mend: order of imports, layout
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

check: $(STAMP) ## Lint, format, types, import rules, repository tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -q tests/repo

test: $(STAMP) ## Run the tests
	$(PGBOUNCER)
	$(KAFKA)
	$(BIN)/pytest -n $(TEST_WORKERS) $(or $(ARGS),tests)

test-brokers: $(STAMP) ## Run the tests that take three brokers: the leader dies, none is left, too few are in sync
	$(KAFKA)
	$(BIN)/pytest -n0 tests/bus/three_brokers.py $(ARGS)

up: $(STAMP) ## Start Postgres, Kafka and two of each service on loopback, without Docker
	$(KAFKA)
	@PYTHONPATH=tests $(BIN)/python -m fixtures.stack_keeper up $(STACK_FOLDER)

down: $(STAMP) ## Stop what `make up` started
	@PYTHONPATH=tests $(BIN)/python -m fixtures.stack_keeper down $(STACK_FOLDER)

demo: $(STAMP) ## A parent that outlives its worker and its server, on real input; STACK=postgres, or full: all of `make up`
	$(if $(filter full,$(STACK)),$(KAFKA))
	@$(DEMO_$(STACK))

conformance: $(STAMP) ## Run the contract on every body of the store, and on broken ones
	$(PGBOUNCER)
	@$(BIN)/python tests/conformance/run_all.py

boot-storm: $(STAMP) ## Ten migrates and ten services at once, on empty and on old databases, and without the lock
	@PYTHONPATH=tests $(BIN)/python -m boot_storm

dumps: $(STAMP) ## Write tests/dumps of today's schemas, from which later programs must be able to upgrade
	@PYTHONPATH=tests $(BIN)/python -m dumps

failover: $(STAMP) ## A standby that missed two acknowledged bumps takes over, directly and through pgbouncer
	$(PGBOUNCER)
	@PYTHONPATH=tests $(BIN)/python -m failover

jaeger: $(STAMP) ## The demo's parent on the full stack, and what a real Jaeger shows of its trace
	$(KAFKA)
	$(JAEGER)
	@PYTHONPATH=tests $(BIN)/python -m jaeger

schedules: $(STAMP) ## Every schedule of every pair of the store's calls on two sessions of Postgres, and broken stores
	@$(BIN)/python tests/event_store/schedules/run_all.py

storm: $(STAMP) ## The full stack, killed and frozen for five minutes; every acknowledged call looked for; ARGS="--form short"
	$(KAFKA)
	@PYTHONPATH=tests $(BIN)/python -m storm $(ARGS)

bench-smoke: $(STAMP) ## Appends, claims and resumes per second: figures, no judgement
	@$(BIN)/python tests/bench/smoke.py

bench-fence: $(STAMP) ## What fencing costs on memory, SQLite and Postgres; ARGS="--cycles 600 --rounds 3" is shorter
	@$(BIN)/python tests/bench/fence.py $(ARGS)

bench-wake: $(STAMP) ## From a child's end to its parent's body running, over Kafka and over the bus in the process
	$(KAFKA)
	@$(BIN)/python tests/bench/wake.py $(ARGS)

invariants: $(STAMP) ## Write which tests defend which invariant into docs/invariants.md
	@$(BIN)/python tests/repo/invariants.py

openapi: $(STAMP) ## Write docs/openapi.json and the tables of docs/protocol.md from the code
	@$(BIN)/python -m loom_event_store.openapi > docs/openapi.json.new
	@mv docs/openapi.json.new docs/openapi.json
	@$(BIN)/python -m loom_event_store.protocol docs/protocol.md

asyncapi: $(STAMP) ## Write docs/asyncapi.yaml from the topics and their messages
	@$(BIN)/python -m loom_servicekit.asyncapi > docs/asyncapi.yaml.new
	@mv docs/asyncapi.yaml.new docs/asyncapi.yaml

clean: ## Remove .venv and the caches
	@rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
