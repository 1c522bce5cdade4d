"""A record index by the number of its keys: made, how large, and what a lookup costs; by hudilite or by Apache Hudi.

    python benchmarks/keys.py --rows 200000,2000000,10000000
    python benchmarks/keys.py --rows 2000000,10000000 --system hudi

A table of random keys is loaded without an index, then `CREATE INDEX record_index` makes one. The lookup is a delete of
keys that the table does not have: it asks for each of them and changes nothing, so a delete of one such key is what
the statement costs beside it. Figures are seconds and CPU seconds of the whole process.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
from pathlib import Path
from typing import Any

from bench import SETTINGS
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from soak import timed
from systems import Hudi, Hudilite

import hudilite

SYSTEMS = {"hudilite": Hudilite(), "hudi": Hudi()}
#: Apache Hudi makes no index without one.
ALONE = "org.apache.hudi.client.transaction.lock.InProcessLockProvider"
FEW = 20_000  # rows of the table by which the JVM warms up


def arguments() -> argparse.Namespace:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--system", choices=SYSTEMS, default="hudilite")
    parse.add_argument("--rows", default="200000,2000000", help="sizes of the tables")
    parse.add_argument("--keys", type=int, default=100_000, help="keys of a lookup")
    parse.add_argument("--repeat", type=int, default=3, help="lookups, of which the median counts")
    parse.add_argument("--memory", default="4g", help="memory of the driver, which is all there is")
    parse.add_argument("--java", default="", help="extra JVM options")
    parse.add_argument("--work", default="bench-work")
    return parse.parse_args()


def rows(spark: SparkSession, first: int, count: int) -> DataFrame:
    ids = spark.range(first, first + count, 1, 4)
    return ids.select(F.md5(F.col("id").cast("string")).alias("key"), F.lit(1).alias("ts"), F.xxhash64("id").alias("v"))


def options(operation: str) -> dict[str, str]:
    return {
        "hoodie.table.name": "keys",
        "hoodie.datasource.write.operation": operation,
        "hoodie.datasource.write.recordkey.field": "key",
        "hoodie.datasource.write.precombine.field": "ts",
    }


def delete(frame: DataFrame, path: Path, system: str) -> None:
    told = {**options("delete"), "hoodie.index.type": "RECORD_INDEX", "hoodie.metadata.record.index.enable": "true"}
    frame.write.format(system).options(**told).mode("append").save(str(path))


def size(path: Path) -> int:
    """Bytes of the newest base files of the index."""
    newest: dict[str, Path] = {}
    for file in sorted((path / ".hoodie/metadata/record_index").glob("*.hfile"), key=lambda f: f.name.split("_")[-1]):
        newest[file.name.split("_")[0]] = file
    return sum(file.stat().st_size for file in newest.values())


def measured(spark: SparkSession, args: argparse.Namespace, count: int) -> dict[str, Any]:
    pid = int(spark._jvm.java.lang.ProcessHandle.current().pid())  # type: ignore[union-attr]
    path = Path(args.work, "keys").absolute()
    shutil.rmtree(path, ignore_errors=True)
    spark.sql("DROP TABLE IF EXISTS keys")
    load = options("bulk_insert")
    rows(spark, 0, count).write.format(args.system).options(**load).mode("overwrite").save(str(path))
    spark.sql(f"CREATE TABLE keys USING {args.system} LOCATION '{path}'")
    if args.system == "hudi":
        spark.sql(f"SET hoodie.write.lock.provider={ALONE}")
    made = timed(pid, spark.sql, "CREATE INDEX record_index ON keys (key)")
    result: dict[str, Any] = {"rows": count, "made": made, "bytes a key": round(size(path) / count, 1)}
    for name, asked in (("one key", 1), ("lookup", args.keys)):
        batch = rows(spark, count, asked).cache()
        batch.count()
        runs = [timed(pid, delete, batch, path, args.system) for _ in range(args.repeat)]
        result[name] = {figure: statistics.median(run[figure] for run in runs) for figure in runs[0]}
        batch.unpersist()
    assert spark.read.format(args.system).load(str(path)).count() == count
    return result


def main(args: argparse.Namespace) -> None:
    system = SYSTEMS[args.system]
    own = {"spark.driver.memory": args.memory, "spark.ui.showConsoleProgress": "false"}
    settings = {**SETTINGS, **(system.conf(args.work) if args.system != "hudilite" else {}), **own}
    if args.java:
        settings["spark.driver.extraJavaOptions"] = args.java
    if system.packages:
        settings["spark.jars.packages"] = system.packages
    builder = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    if args.system == "hudilite":
        builder = hudilite.configure(builder)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    measured(spark, args, FEW)
    for count in args.rows.split(","):
        print(json.dumps(measured(spark, args, int(count)), default=float), flush=True)
    spark.sql("DROP TABLE IF EXISTS keys")
    shutil.rmtree(Path(args.work, "keys"), ignore_errors=True)


if __name__ == "__main__":
    main(arguments())
