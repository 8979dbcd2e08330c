# make demo    the main job on bundled kernels, start to end
# make test    set-up, lint and the short run of the tests
# make test-full  everything, the whole suite included
# make lint    ruff, eslint, the type checks, the layers, the sizes of packages
# make docs    the generated parts of the documents, written anew
# make bench   figures with ratios; nothing is asserted
SHELL := /bin/bash
BIN := .venv/bin

NODE := PATH="$(CURDIR)/$(BIN):$$PATH"

.PHONY: setup extension demo test test-full lint docs bench clean

setup:
	@bash .ci/setup

extension: setup
	@bash .ci/extension

demo: setup
	@$(BIN)/kernwright demo

lint: setup extension
	$(BIN)/ruff check server tests
	$(BIN)/ruff format --check server tests
	$(BIN)/basedpyright --level error
	cd server && ../$(BIN)/lint-imports --config ../pyproject.toml
	cd extension && $(NODE) npm run --silent lint && $(NODE) npm run --silent check
	@for package in server/kernwright server/kernwright/*/; do \
	    printf '%6d lines  %s\n' "$$(cat $$package/*.py 2>/dev/null | wc -l)" "$$package"; done

test: lint
	@echo "left out here and run by make test-full: tests marked slow (the whole kernel suite, long fuzzing)"
	cd extension && $(NODE) npm test --silent
	$(BIN)/pytest -q -m "not slow"

test-full: lint
	cd extension && $(NODE) npm test --silent
	$(BIN)/pytest -q

docs: setup
	@$(BIN)/python .ci/docs.py

bench: setup
	@for script in tests/bench/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

clean:
	rm -rf .venv .vscode-test extension/node_modules extension/dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache dist
