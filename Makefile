# What CI runs, by name. Everything happens in virtual environments under .venv/; nothing else on the machine changes.
.DEFAULT_GOAL := help
.PHONY: help build

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  %-14s %s\n", $$1, $$2 }'

build: ## both jars, into the Python package
	python3 jvm/build_jars.py
