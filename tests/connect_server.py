"""A Spark Connect server in a process of its own, which the tests' sessions of that kind talk to.

PySpark 4 brings the server's jar; for PySpark 3.5 it is fetched once.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark
from sessions import SETTINGS, SPARK_LINE, java_options

from hudilite import configure, jar
from hudilite.sessions import EXTENSION, SESSION_CATALOG

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The server for PySpark 3.5: of the newest release that there is in the repository, which serves those after it.
SERVER_3_5 = ("org.apache.spark", "spark-connect_2.12", "3.5.7")
HOME = Path(pyspark.__file__).parent
SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
START_SECONDS = 120.0
_DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def server_jars() -> list[str]:
    """Jars that the installed PySpark lacks to be a server."""
    if SPARK_LINE == "4":
        return []
    from interop.bundle import cached

    return [str(cached(*SERVER_3_5))]


class ConnectServer:
    """Runs from its making to `stop`, and never longer than this process."""

    def __init__(self, scratch: Path, with_hudilite: bool = True) -> None:
        """Start it with hudilite's jar and settings as a user would give them, or without any of that."""
        self.port = _free_port()
        self.log = scratch / "connect-server.log"
        settings = {
            **SETTINGS,
            "spark.driver.memory": "1g",
            "spark.driver.extraJavaOptions": java_options("1g", "700m"),
            "spark.sql.warehouse.dir": str(scratch / "connect-warehouse"),
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": str(self.port),
            "spark.log.level": os.environ.get("HUDILITE_TEST_LOG", "ERROR"),
        }
        jars = server_jars()
        if with_hudilite:
            jars.append(jar())
            settings |= {"spark.sql.extensions": EXTENSION}
            settings |= {"spark.sql.catalog.spark_catalog": SESSION_CATALOG}
        if jars:
            settings |= {"spark.jars": ",".join(jars)}
        command = [str(HOME / "bin" / "spark-submit"), "--master", "local[2]", "--name", "hudilite-connect-tests"]
        for key, value in settings.items():
            command += ["--conf", f"{key}={value}"]
        command += ["--class", SERVER, "spark-internal"]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SPARK_")}
        environment |= {"SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": "127.0.0.1", "TZ": "UTC"}
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command, cwd=scratch, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                preexec_fn=_die_with_parent if sys.platform == "linux" else None,
            )  # fmt: skip
        atexit.register(self.stop)
        self._await_port()

    @property
    def url(self) -> str:
        """Address for `SparkSession.builder.remote`."""
        return f"sc://127.0.0.1:{self.port}"

    def stop(self) -> None:
        """End it; a second time does nothing."""
        atexit.unregister(self.stop)
        for end in (self.process.terminate, self.process.kill):
            if self.process.poll() is None:
                end()
                try:
                    self.process.wait(20)
                except subprocess.TimeoutExpired:
                    continue

    def _await_port(self) -> None:
        latest = time.monotonic() + START_SECONDS
        while time.monotonic() < latest and self.process.poll() is None:
            with socket.socket() as probe:
                probe.settimeout(1.0)
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.2)
        self.stop()
        raise RuntimeError(f"the Spark Connect server did not start:\n{self.log.read_text()[-3000:]}")


def in_this_jvm(spark: SparkSession) -> SparkSession:
    """A session of Spark Connect with the driver of a classic one, of the kind `connect`, which serves both from then
    on: one catalog, one cache, and the same way through protocol and client as to another machine."""
    from pyspark.sql.connect.session import SparkSession as ConnectSession

    context, port = spark.sparkContext, _free_port()
    for name, value in {"address": "127.0.0.1", "port": str(port)}.items():
        context._jsc.sc().conf().set(f"spark.connect.grpc.binding.{name}", value)
    jvm: Any = spark._jvm
    jvm.org.apache.spark.sql.connect.service.SparkConnectService.start(context._jsc.sc())
    return configure(ConnectSession.builder.remote(f"sc://127.0.0.1:{port}")).create()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGKILL)
