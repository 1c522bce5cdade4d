"""hudilite, plain parquet and other table formats side by side on one machine, on PySpark 3.5.

    python benchmarks/bench.py --rows 2000000 --out benchmarks/results.json

Each (system, workload group) runs in a fresh spark-submit with the same settings. Results are merged into --out after
every process, so runs add up: a later run of another system lands in the same table. `make bench` runs a small one.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from data import BATCHES
from services import FILE_ROWS

TINY_ROWS = 20_000  # the warm-up table, also the one of the many-commits workload
HERE = Path(__file__).resolve().parent
SETTINGS = {
    "spark.master": "local[2]",
    "spark.driver.memory": "8g",
    "spark.sql.shuffle.partitions": "8",
    "spark.ui.enabled": "false",
    "spark.ui.retainedJobs": "20000",
    "spark.ui.retainedStages": "20000",
    "spark.sql.session.timeZone": "UTC",
}


def arguments() -> argparse.Namespace:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument(
        "--systems",
        default="parquet-zstd,hudi,hudilite",
        help="also: parquet,parquet-zstd1,hudi-zstd,hudilite-snappy,hudilite-bucket,delta,iceberg,paimon",
    )
    parse.add_argument("--workloads", default="cow,simple,latest,commits,mor", help="groups to run")
    parse.add_argument("--rows", type=int, default=200_000)
    parse.add_argument("--repeat", type=int, default=3, help="repetitions of each read")
    parse.add_argument("--warm", type=int, default=0, help="untimed runs of each big, wide or nested change before it")
    parse.add_argument("--file-rows", type=int, default=FILE_ROWS, help="rows of the small files of table services")
    parse.add_argument("--out", default="bench-work/results.json")
    parse.add_argument("--data", default="bench-data", help="where the generated rows stay")
    parse.add_argument("--work", default="bench-work", help="where tables and logs go")
    parse.add_argument("--timeout", type=int, default=900, help="seconds per process")
    parse.add_argument("--java", default="", help="extra JVM options, e.g. -XX:StartFlightRecording=filename=run.jfr")
    parse.add_argument("--keep", action="store_true", help="keep the tables")
    parse.add_argument("--worker", nargs=3, metavar=("SYSTEM", "GROUP", "SINK"), help=argparse.SUPPRESS)
    return parse.parse_args()


def folder(args: argparse.Namespace, rows: int) -> str:
    return os.path.join(args.data, f"trips-{rows}")


def is_generated(args: argparse.Namespace, rows: int) -> bool:
    facts = Path(folder(args, rows), "expect.json")
    return facts.exists() and f"upd{BATCHES}" in json.loads(facts.read_text())


def worker(args: argparse.Namespace) -> None:
    """Inside spark-submit: generate the data, or run one group of one system."""
    from data import generate
    from pyspark.sql import SparkSession
    from services import Services
    from systems import SYSTEMS
    from workloads import Recorder

    name, group, sink = args.worker
    spark = SparkSession.builder.appName("bench").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    if name == "data":
        for rows in {TINY_ROWS, args.rows}:
            if not is_generated(args, rows):
                generate(spark, folder(args, rows), rows)
        return
    system = SYSTEMS[name]
    recorder = Recorder(spark, system, group, sink)
    root = os.path.join(args.work, name, group)
    bench = Services(spark, system, recorder, folder(args, args.rows), folder(args, TINY_ROWS), root, args.repeat)
    bench.file_rows, bench.warm = args.file_rows, args.warm
    getattr(bench, group)()
    spark.stop()


def submit(args: argparse.Namespace, name: str, group: str, sink: str) -> str:
    """Run one worker; returns '' or why it failed."""
    from systems import SYSTEMS

    root = os.path.join(args.work, name, group)
    os.makedirs(root, exist_ok=True)
    system = SYSTEMS.get(name)
    conf = {**SETTINGS, **(system.conf(root) if system else {})}
    if args.java:
        conf["spark.driver.extraJavaOptions"] = args.java
    command = [os.path.join(sys.prefix, "bin", "spark-submit")]
    command += [part for key, value in conf.items() for part in ("--conf", f"{key}={value}")]
    if system and system.jars():
        command += ["--jars", ",".join(system.jars())]
    if system and system.packages:
        command += ["--packages", system.packages]
    command += [str(HERE / "bench.py"), "--worker", name, group, sink, "--rows", str(args.rows)]
    command += ["--repeat", str(args.repeat), "--file-rows", str(args.file_rows), "--warm", str(args.warm)]
    command += ["--data", args.data, "--work", args.work]
    start = time.time()
    log = Path(args.work, "logs", f"{name}-{group}.log")
    code = run(command, log, args)
    print(f"== {name}/{group}: exit {code} after {time.time() - start:.0f} s", flush=True)
    if code == 0:
        return ""
    lines = [x for x in log.read_text(errors="replace").splitlines() if "Error" in x or "Exception" in x]
    return f"exit {code}" + "".join("\n" + x for x in lines[-5:])


def run(command: list[str], log: Path, args: argparse.Namespace) -> int:
    """The exit code of the command, which is ended when its time is up."""
    log.parent.mkdir(parents=True, exist_ok=True)
    env = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    env |= {"SPARK_LOCAL_DIRS": os.path.join(args.work, "local"), "SPARK_LOCAL_IP": "127.0.0.1"}
    env.pop("SPARK_HOME", None)
    with log.open("w") as errors, subprocess.Popen(command, env=env, stderr=errors) as process:
        try:
            return process.wait(args.timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            return -1


def facts(args: argparse.Namespace) -> dict[str, str]:
    """The machine and the versions of the figures."""
    import pyspark

    java = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True)
    memory = int(Path("/proc/meminfo").read_text().split()[1]) // 1024
    return {
        "machine": f"{os.cpu_count()} cores ({platform.machine()}), {memory} MiB",
        "jvm": java.stderr.splitlines()[0],
        "pyspark": pyspark.__version__,
        "settings": ", ".join(f"{k}={v}" for k, v in SETTINGS.items()),
        "data": f"{args.rows:,} rows x 15 columns, 8 partitions, random 36-char keys (W5: increasing keys)",
    }


def merge(path: Path, info: dict[str, str], rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Put `rows` into the results file, newest per (system, workload)."""
    old = json.loads(path.read_text())["rows"] if path.exists() else []
    fresh = {(row["system"], row["workload"]) for row in rows}
    results = {"facts": info, "rows": [r for r in old if (r["system"], r["workload"]) not in fresh] + rows}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1))
    return results


def measure(args: argparse.Namespace, name: str, group: str) -> list[dict[str, Any]]:
    """The result rows of one process."""
    sink = Path(args.work, f"{name}-{group}.jsonl")
    sink.parent.mkdir(parents=True, exist_ok=True)
    sink.write_text("")
    failure = submit(args, name, group, str(sink))
    rows = [json.loads(line) for line in sink.read_text().splitlines()]
    if failure:
        rows.append({"system": name, "group": group, "workload": f"process:{group}", "error": failure})
    if not args.keep:
        shutil.rmtree(os.path.join(args.work, name), ignore_errors=True)
    stamp = datetime.datetime.now().isoformat(timespec="seconds")
    return [{**row, "rows": args.rows, "at": stamp} for row in rows]


def main() -> None:
    args = arguments()
    if args.worker:
        return worker(args)
    from changes import GROUPS as CHANGES
    from report import markdown
    from services import GROUPS as SERVICES
    from systems import SYSTEMS
    from workloads import GROUPS as FIRST

    args.data, args.work = os.path.abspath(args.data), os.path.abspath(args.work)
    if not all(is_generated(args, rows) for rows in (TINY_ROWS, args.rows)):
        failure = submit(args, "data", "data", "-")
        if failure:
            sys.exit(f"cannot generate the data: {failure}")
    out, info, text = Path(args.out), facts(args), ""
    for group in (group for group in [*FIRST, *CHANGES, *SERVICES] if group in args.workloads.split(",")):
        for name in args.systems.split(","):
            if group in SYSTEMS[name].groups:
                text = markdown(merge(out, info, measure(args, name, group)))
                out.with_suffix(".md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
