# Targets of CI, by name. Python packages go into virtual environments under .venv/, one for each PySpark version.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
OLDEST_3 := 3.5.9
OLDEST_4 := 4.0.1
BETWEEN_4 := 4.1.4 4.2.1
NEWEST_4 := 4.3.0
VENV = .venv/pyspark-$(1)
DEV := $(call VENV,$(NEWEST_4))/bin
SBT := $(DEV)/python jvm/sbt.py
PYTHON_SOURCES := python tests examples benchmarks jvm

export PYTHONDONTWRITEBYTECODE := 1
export PYTHONUNBUFFERED := 1
.DEFAULT_GOAL := help
.PHONY: help setup setup-first setup-fetched setup-rest build example test check fmt docs site quick test-35 test-4 test-43 \
  test-python-35 test-python-4 test-python-43 test-python fuzz interop interop-tables interop-indexes examples packages \
  bench jmh publish-local wheel clean

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  %-15s %s\n", $$1, $$2 }'

EXTRAS := dev
.venv/pyspark-$(OLDEST_3)/%: EXTRAS := dev,interop
# Packages of some stories, without the tools, of which dbt bears no newer versions.
.venv/pyspark-$(OLDEST_4)/%: EXTRAS := stories,dbt
# A program runs there, with the package as it lies here.
$(BETWEEN_4:%=.venv/pyspark-%/fetched): EXTRAS := spark

# All but the package itself.
.venv/pyspark-%/fetched:
	$(PYTHON) -m venv .venv/pyspark-$*
	.venv/pyspark-$*/bin/python tests/extras.py $(EXTRAS) | .venv/pyspark-$*/bin/pip install \
	  --quiet --disable-pip-version-check 'pyspark==$*' -r /dev/stdin
	touch $@
.PRECIOUS: .venv/pyspark-%/fetched

# An editable install builds the jar of its PySpark.
.venv/pyspark-%/ready: pyproject.toml | .venv/pyspark-%/fetched
	.venv/pyspark-$*/bin/pip install --quiet --disable-pip-version-check 'pyspark==$*' --editable '.[$(EXTRAS)]'
	touch $@

# Killed writers and the like start some thirty JVMs there; on Spark 4 it would not pay.
.venv/pyspark-$(OLDEST_3)/spark-classes.jsa: .venv/pyspark-$(OLDEST_3)/ready | build
	$(@D)/bin/python tests/startup.py

setup: setup-first setup-fetched setup-rest ## virtual environments for PySpark 3.5, 4.0 and 4.3, and both jars

# After this no other target changes the package's jars or this environment, so that tests/all.py can run two at once.
setup-first: .venv/pyspark-$(NEWEST_4)/ready build

# Needs no jars, so that it can go beside the former.
setup-fetched: $(patsubst %,.venv/pyspark-%/fetched,$(OLDEST_3) $(OLDEST_4) $(BETWEEN_4))

setup-rest: $(OLDEST_3:%=.venv/pyspark-%/ready) $(OLDEST_4:%=.venv/pyspark-%/ready) $(OLDEST_3:%=.venv/pyspark-%/spark-classes.jsa)

build: .venv/pyspark-$(NEWEST_4)/ready ## both jars, into the Python package; nothing when they are fresh
	$(DEV)/python jvm/build_jars.py

# Of the one jar that it needs, so that a newcomer need not wait for the other.
example: .venv/pyspark-$(NEWEST_4)/ready ## a month of flights, upserted day by day
	$(DEV)/python jvm/build_jars.py 4 >/dev/null
	$(DEV)/python examples/daily_upserts.py

test: ## every check and test there is, and a count at the end
	@$(PYTHON) tests/all.py

check: .venv/pyspark-$(NEWEST_4)/ready ## formatting, lint and types
	$(DEV)/ruff format --check $(wildcard $(PYTHON_SOURCES))
	$(DEV)/ruff check $(wildcard $(PYTHON_SOURCES))
	$(DEV)/mypy
	$(SBT) scalafmtCheckAll scalafmtSbtCheck </dev/null

fmt: .venv/pyspark-$(NEWEST_4)/ready ## format everything
	$(DEV)/ruff format $(wildcard $(PYTHON_SOURCES))
	$(DEV)/ruff check --fix $(wildcard $(PYTHON_SOURCES))
	$(SBT) scalafmtAll scalafmtSbt </dev/null

docs: .venv/pyspark-$(NEWEST_4)/ready ## write the generated pages again
	UPDATE=1 $(SBT) "core/testOnly *Docs*" "spark/testOnly *ProceduresPageSuite" </dev/null
	UPDATE=1 $(DEV)/python -m pytest -q tests/once/test_python_page.py

# An environment of its own, which no test needs.
.venv/site/ready: pyproject.toml
	$(PYTHON) -m venv .venv/site
	.venv/site/bin/python tests/extras.py docs | .venv/site/bin/pip install --quiet --disable-pip-version-check -r /dev/stdin
	touch $@

site: .venv/site/ready ## the pages as a site that can be searched, in .build/site
	rm -rf .build/pages && mkdir -p .build/pages
	cp -r README.md CONTRIBUTING.md LICENSE docs benchmarks examples .build/pages
	.venv/site/bin/zensical build --clean --strict

# The folder of a suite says on which Sparks it runs, see CONTRIBUTING.md. The formats, without Spark, come first on either
# version of Scala, as another start of sbt would take as long as a suite of them; where they fail, sbt ends.
ON_NEWEST = -Dspark.test.jars=$$($(DEV)/python -c 'import os, pyspark; print(os.path.join(os.path.dirname(pyspark.__file__), "jars"))')

test-35: .venv/pyspark-$(NEWEST_4)/ready ## the formats on Scala 2.12, and the connector on Spark 3.5
	$(SBT) -Dspark=3.5 -Dspark.test=line core/test spark/test </dev/null

test-4: .venv/pyspark-$(NEWEST_4)/ready ## the connector on the oldest Spark 4, as far as the versions differ
	$(SBT) -Dspark.test=each spark/test </dev/null

test-43: .venv/pyspark-$(NEWEST_4)/ready ## the formats on Scala 2.13, and the connector on the newest Spark
	$(SBT) $(ON_NEWEST) core/test spark/test </dev/null

test-python: test-python-35 test-python-4 test-python-43 ## stories through PySpark 3.5, 4.0 and 4.3

test-python-35: .venv/pyspark-$(OLDEST_3)/ready build
	.venv/pyspark-$(OLDEST_3)/bin/python -m pytest tests --ignore tests/interop

test-python-4: .venv/pyspark-$(OLDEST_4)/ready build
	.venv/pyspark-$(OLDEST_4)/bin/python -m pytest tests --ignore tests/interop -m each_spark

test-python-43: .venv/pyspark-$(NEWEST_4)/ready build
	$(DEV)/python -m pytest tests --ignore tests/interop --ignore tests/once

quick: build ## ten minutes of it, to run while working: the formats, and what runs on every Spark on the newest
	$(SBT) $(ON_NEWEST) -Dspark.test=each core/test spark/test </dev/null
	$(DEV)/python -m pytest tests --ignore tests/interop -m each_spark

fuzz: build ## random lives beside plain Spark: SEED=..., MINUTES=10, or a printed case again: CASE=case.json
	PYTHONPATH=tests $(DEV)/python -m fuzz --minutes $(or $(MINUTES),10) $(SEED:%=--seed %) $(CASE:%=--replay %)

# To generate and compile code for plans takes a fifth of the time of tests, whose queries are many and of few rows. So it is
# done once on either line, by test-python-35 and test-43; random lives compile everywhere. What files hold is the same.
test-python-4 test-python-43 quick interop-tables interop-indexes: export HUDILITE_TEST_INTERPRETED := 1
interop: interop-tables interop-indexes ## Apache Hudi and hudi-rs read what hudilite writes, and the other way round

interop-tables: .venv/pyspark-$(OLDEST_3)/ready build
	.venv/pyspark-$(OLDEST_3)/bin/python -m pytest tests/interop --ignore tests/interop/indexes

interop-indexes: .venv/pyspark-$(OLDEST_3)/ready build
	.venv/pyspark-$(OLDEST_3)/bin/python -m pytest tests/interop/indexes

# Small jobs end before a second compiler has paid for itself. After ten days of the month flights of all sorts have come:
# new, corrected, late and cancelled.
examples: export JDK_JAVA_OPTIONS := -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m
examples: build $(patsubst %,.venv/pyspark-%/ready,$(OLDEST_3) $(OLDEST_4)) $(BETWEEN_4:%=.venv/pyspark-%/fetched) ## the examples, on all versions of PySpark
	.venv/pyspark-$(OLDEST_3)/bin/python examples/quickstart.py
	.venv/pyspark-$(OLDEST_4)/bin/python examples/quickstart.py
	for spark in $(BETWEEN_4); do PYTHONPATH=python .venv/pyspark-$$spark/bin/python tests/smoke.py || exit 1; done
	$(DEV)/python examples/daily_upserts.py --days 10

packages: .venv/pyspark-$(OLDEST_3)/ready .venv/pyspark-$(NEWEST_4)/ready ## spark-submit --packages with what publish-local publishes
	$(SBT) -Dspark=3.5 -Dsbt.ivy.home=$(CURDIR)/.build/ivy spark/publishLocal </dev/null
	$(SBT) -Dspark=4 -Dsbt.ivy.home=$(CURDIR)/.build/ivy spark/publishLocal </dev/null
	for spark in $(OLDEST_3) $(NEWEST_4); do tests/packages.sh .venv/pyspark-$$spark || exit 1; done

bench: build .venv/pyspark-$(OLDEST_3)/ready ## hudilite beside plain parquet and Apache Hudi; see benchmarks/README.md
	.venv/pyspark-$(OLDEST_3)/bin/python benchmarks/bench.py

jmh: .venv/pyspark-$(NEWEST_4)/ready ## inner loops by themselves, beside the libraries' own, under JMH
	$(SBT) "bench/run -f 1" </dev/null

publish-local: .venv/pyspark-$(NEWEST_4)/ready ## both artifacts into the local Maven and Ivy repositories
	$(SBT) -Dspark=3.5 spark/publishM2 spark/publishLocal </dev/null
	$(SBT) -Dspark=4 spark/publishM2 spark/publishLocal </dev/null

wheel: .venv/pyspark-$(NEWEST_4)/ready ## dist/hudilite-<version>-py3-none-any.whl, with both jars
	HUDILITE_SPARK=all $(DEV)/pip wheel --quiet --no-deps --wheel-dir dist .

clean: ## everything that was built, the virtual environments too
	rm -rf .venv .build dist target project/target project/project jvm/*/target python/hudilite/jars
