# Every target sets itself up on a fresh clone; nothing is installed outside .venv and requirements/node.
#   make demo               gate the weather agent against its baseline; files go to out/
#   make demo BREAK=NAME    the same with the agent broken (examples/weather names the switches)
#   make test               every test, with branch coverage; ARGS="-k calls" passes on to pytest
#   make check              lint, format, types, import contracts, workflows
#   make picture            draw docs/comment.png anew from its golden; needs chromium
#   make bench              benchmarks: slow, and only meaningful on a quiet machine
#   make lock               resolve requirements/*.in anew; UPGRADE=1 takes the newest versions

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
PIP := .venv/bin/python -m pip --disable-pip-version-check --quiet
UV := .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest \
	--generate-hashes --no-header --no-annotate $(if $(UPGRADE),--upgrade)
BREAK ?=
BENCHMARKS ?= start overhead check matching memory worker $(shell docker info >/dev/null 2>&1 && echo image)
JOBS ?= 2
ARGS ?=

.PHONY: help demo test check format picture bench lock
.DEFAULT_GOAL := help

help:
	@sed -n 's/^#   //p' Makefile

demo: .venv/.runtime
	@.venv/bin/agent-gate run --config examples/weather/agent-gate.yml --out out $(if $(BREAK),--env WEATHER_BREAK=$(BREAK))

test: .venv/.dev
	.venv/bin/pytest -n $(JOBS) --dist loadscope --cov $(ARGS)

check: .venv/.dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy $(wildcard gate tests benchmarks scripts)
	.venv/bin/lint-imports --no-logo
	.venv/bin/pytest -q tests/contract/test_workflows.py

format: .venv/.dev
	.venv/bin/ruff check --fix-only .
	.venv/bin/ruff format .

picture: .venv/.dev
	.venv/bin/python -m tests.support.picture tests/goldens/comment/regression.md docs/comment.png

bench: .venv/.dev
	@set -e; for name in $(BENCHMARKS); do echo "== benchmarks/$$name.py"; .venv/bin/python -m benchmarks.$$name; done

lock: .venv/.dev
	cd requirements && for name in runtime build dev langgraph; do ../$(UV) $$name.in -o $$name.txt || exit 1; done
	cd requirements && ../$(UV) $(patsubst %,--no-emit-package %,ruff scikit-learn scipy) --config-file peers.toml peers.in -o peers.txt
	cd requirements && ../$(UV) $(patsubst %,--no-emit-package %,$(shell cat requirements/kagent.unused)) --config-file peers.toml kagent.in -o kagent.txt

# A half-made environment (no ensurepip) must not pass for a whole one, hence the rm.
.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer on PATH: install one, or run make PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }

# The stamps are newer than what they were made from, so a set-up is repeated only when a lock or pyproject changed.
.venv/.runtime: requirements/runtime.txt requirements/build.txt pyproject.toml | .venv/bin/python
	$(PIP) install --require-hashes -r requirements/runtime.txt -r requirements/build.txt
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

# The source of agentevals has its tests, which our matcher has to pass; nothing of it is committed.
.venv/.dev: requirements/dev.txt .venv/.runtime
	$(PIP) install --require-hashes --no-build-isolation -r requirements/dev.txt
	sed -n '/^agentevals==/,/[^\\]$$/p' requirements/dev.txt > .venv/sources.txt
	$(PIP) download --require-hashes --no-deps --no-build-isolation --no-binary :all: --dest .venv/sources -r .venv/sources.txt
	@touch $@
