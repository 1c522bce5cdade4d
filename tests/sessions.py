"""One Spark session for the whole test run, in the flavour that a test asks for.

Most tests need hudilite alone. The interop tests need Apache Hudi's bundle in the same JVM, where its classes and its
SQL extension could hide a missing piece of ours, so the two kinds never share one: switching stops the JVM and starts
another. Test folders are collected in an order that switches at most twice.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyspark
import startup
from py4j.java_gateway import JavaClass, JavaPackage, JVMView
from pyspark import SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

#: Without the second compiler the JVM reserves but 48 MB for code, and stops compiling when they are full.
FIRST_COMPILER = ("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m")


def java_options(heap: str, young: str) -> str:
    """Options of a JVM: a young generation that most of what a small job makes is dead in before it is full, the whole
    heap from the start, and room for classes. A heap that grows with its use, as by default, is cleared so often that
    it takes a tenth of the time."""
    room = (f"-Xms{heap}", f"-Xmn{young}", "-XX:MetaspaceSize=512m")
    return " ".join(["-XX:+UseSerialGC", *room, *FIRST_COMPILER, "-Duser.timezone=UTC", *startup.java_options()])


#: Two threads; a task that fails is run once more, as elsewhere than in one process it is three times.
MASTER = "local[2,2]"
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.ui.explainMode": "simple",  # of each plan a page is written that nobody opens
    "spark.scheduler.listenerbus.metrics.maxListenerClassesTimed": "0",  # nobody asks how long each takes
    "spark.driver.memory": "2g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.extraJavaOptions": java_options("2g", "1200m"),
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.datasource.hudilite.hoodie.compact.inline": "false",  # most tests look at what is in logs
}
if os.environ.get("HUDILITE_TEST_INTERPRETED"):
    # Spark spends a fifth of the time of small jobs on generating and compiling code. Whole-stage code stays on, for
    # with it hudilite reads columns instead of rows.
    SETTINGS["spark.sql.codegen.factoryMode"] = "NO_CODEGEN"
HUDI_SETTINGS = {
    "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
    "spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar",
    "spark.sql.extensions": "org.apache.spark.sql.hudi.HoodieSparkSessionExtension",
}
SPARK_LINE = "3.5" if pyspark.__version__.startswith("3.5") else "4"


def with_hudilite(builder: SparkSession.Builder) -> SparkSession.Builder:
    """Adds the connector: the jar of the installed package."""
    import hudilite

    return hudilite.configure(builder)


def _launched(builder: SparkSession.Builder) -> SparkSession:
    """The session, in a JVM of its own. One that ended before it told its port never saw a test, so another is started,
    once; all tests of a folder would fail of it."""
    try:
        return builder.getOrCreate()
    except PySparkRuntimeError as ended:
        if "JAVA_GATEWAY_EXITED" not in str(ended):
            raise
        print(f"starting another JVM: {ended}", file=sys.stderr)
        return builder.getOrCreate()


def _names_asked_once() -> None:
    """Keeps classes and packages of a JVM by their names. For each part of `org.apache.spark.X` the JVM looks for a
    class in each of three hundred jars, and again whenever PySpark or a test names it."""
    for owner in (JVMView, JavaPackage):

        def kept(of: Any, name: str, ask: Any = owner.__getattr__) -> Any:
            found = ask(of, name)
            if isinstance(found, JavaClass) or (isinstance(found, JavaPackage) and name.islower()):
                of.__dict__[name] = found  # a class of a jar that comes later is no package by then
            return found

        owner.__getattr__ = kept


_names_asked_once()


def scala_object(package: Any, name: str) -> Any:
    """An object of hudilite's, whose methods the jars do not repeat for Java to call by a class."""
    return getattr(getattr(package, f"{name}$"), "MODULE$")


def _local_files_without_processes(session: SparkSession) -> None:
    """Gives Apache Hudi the local files that hudilite works on: Hadoop's own start a `chmod` for each file, checksum
    file and folder that is made, and a commit of Hudi's makes dozens of them."""
    jvm = session._jvm
    conf = session._jsc.hadoopConfiguration()
    own = scala_object(jvm.io.hudilite.storage, "HadoopFiles")
    files = own.fileSystem(jvm.org.apache.hadoop.fs.Path("file:///"), conf)
    of_all = jvm.java.lang.Class.forName("org.apache.hadoop.fs.FileSystem")
    (add,) = [method for method in of_all.getDeclaredMethods() if method.getName() == "addFileSystemForTesting"]
    add.setAccessible(True)
    arguments = session.sparkContext._gateway.new_array(jvm.java.lang.Object, 3)
    arguments[0], arguments[1], arguments[2] = files.getUri(), conf, files
    add.invoke(None, arguments)


#: Settings of what these tests have none of, a cluster and its file systems; Hadoop has more than a thousand of them.
ELSEWHERE = (
    *("yarn.", "mapreduce.", "dfs.", "ipc.", "ha.", "net.", "hadoop.http.", "hadoop.registry.", "hadoop.ssl."),
    *("hadoop.zk.", "fs.s3", "fs.azure.", "fs.abfs", "fs.adl.", "fs.ftp.", "fs.viewfs."),
)


def _short_configuration(session: SparkSession) -> None:
    """Leaves out of Hadoop's configuration what it has of other machines: Apache Hudi sends all of it along with each
    task, and to write and read it there took a sixth of the time of a test."""
    jvm, conf = session._jvm, session._jsc.hadoopConfiguration()
    for holder in ("hdfs.HdfsConfiguration", "mapred.JobConf"):
        # When it is loaded it adds its defaults to all configurations.
        jvm.java.lang.Class.forName(f"org.apache.hadoop.{holder}", True, conf.getClassLoader())
    for name in conf.getPropsWithPrefix("").keySet().toString()[1:-1].split(", "):
        if name.startswith(ELSEWHERE):
            conf.unset(name)


def runs_alone(program: str, folder: Path) -> None:
    """Runs a test's own file as a program that gets `folder`, in a JVM of its own: Hive support is a matter of a whole
    JVM."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    run = subprocess.run(
        [sys.executable, program, str(folder)], capture_output=True, text=True, env=environment, check=False
    )
    assert run.returncode == 0, run.stderr[-4000:]


def with_metastore(folder: Path, more: dict[str, str]) -> SparkSession:
    """A session of hudilite's with a Hive metastore of its own, an embedded Derby in memory."""
    settings = {
        **SETTINGS,
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.javax.jdo.option.ConnectionURL": "jdbc:derby:memory:metastore;create=true",
        "spark.hadoop.datanucleus.schema.autoCreateAll": "true",
        "spark.hadoop.hive.metastore.schema.verification": "false",
        **more,
    }
    builder = SparkSession.builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = with_hudilite(builder).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


class Sessions:
    """Hands out the running session when it is of the wanted kind, else replaces it."""

    def __init__(self, scratch: Path, hudi_alone: bool = False) -> None:
        self.scratch = scratch
        self.hudi_alone = hudi_alone
        self.kind = ""
        self.running: SparkSession | None = None

    def get(self, kind: str) -> SparkSession:
        """The session of `kind`: `plain`, or with Hudi's bundle `interop`, of a release `interop-1.0.2`, or `connect`,
        which can serve Spark Connect."""
        if kind == "connect" and SPARK_LINE == "4":
            kind = "plain"  # which can
        if self.running is None or self.kind != kind:
            self.stop()
            self.running, self.kind = self._start(kind), kind
        return self.running

    def _start(self, kind: str) -> SparkSession:
        builder = SparkSession.builder.master(MASTER).appName("hudilite-tests")
        settings = {**SETTINGS, "spark.sql.warehouse.dir": str(self.scratch / "warehouse")}
        hudi, _, release = kind.partition("-")
        if hudi == "interop":
            from interop.bundle import VERSION, hudi_bundle

            settings |= {**HUDI_SETTINGS, "spark.jars": str(hudi_bundle(release or VERSION))}
        if kind == "connect":
            from connect_server import server_jars

            settings |= {"spark.jars": ",".join(server_jars())}
        for key, value in settings.items():
            builder = builder.config(key, value)
        if not self.hudi_alone:
            builder = with_hudilite(builder)
        if hudi == "interop":  # what is named there is Apache Hudi's to find
            builder._options.pop("spark.sql.catalog.spark_catalog", None)  # type: ignore[attr-defined]
        session = _launched(builder)
        if hudi == "interop":
            _short_configuration(session)
        if hudi == "interop" and not self.hudi_alone:
            _local_files_without_processes(session)
        session.sparkContext.setLogLevel(os.environ.get("HUDILITE_TEST_LOG", "OFF"))
        return session

    def stop(self) -> None:
        """Stops the session and its JVM: the class path of a JVM never changes."""
        if self.running is None:
            return
        self.running.stop()
        gateway = SparkContext._gateway
        if gateway is not None:
            gateway.shutdown()
            gateway.proc.stdin.close()
            gateway.proc.wait(120)
        SparkContext._gateway = None
        SparkContext._jvm = None
        self.running = None
