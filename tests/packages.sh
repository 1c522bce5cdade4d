#!/usr/bin/env bash
# Runs the quickstart as a user of a cluster would: spark-submit --packages, with the artifacts that were just published
# below .build/ivy, and without the Python package's own jar.
#   tests/packages.sh <virtual environment>
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
venv=$PWD/$1
export PATH=$venv/bin:$PATH SPARK_HOME
SPARK_HOME=$("$venv/bin/python" -c 'import pathlib, pyspark; print(pathlib.Path(pyspark.__file__).parent)')
rm -rf .build/ivy/cache/io.hudilite .build/ivy/jars
exec spark-submit --master 'local[2]' --conf spark.jars.ivy="$PWD/.build/ivy" --conf spark.ui.enabled=false \
  --conf spark.sql.extensions=io.hudilite.spark.HudiliteExtensions \
  --packages "$("$venv/bin/hudilite" packages)" tests/packages_story.py
