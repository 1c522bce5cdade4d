"""Spark sessions that know hudilite."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hudilite import environment, raised
from hudilite.driver import is_connect
from hudilite.errors import told
from hudilite.jars import hudi_jar, jar, spark_line

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXTENSION = "io.hudilite.spark.HudiliteExtensions"
SESSION_CATALOG = "io.hudilite.spark.catalog.HudiliteSessionCatalog"


class JavaNotUsable(RuntimeError):
    """Spark needs a Java that is not there, or another one."""


def session(app_name: str = "hudilite", master: str | None = None, hudi_name: Any = False, **conf: Any) -> SparkSession:
    """Start a Spark session that reads and writes Hudi tables with ``format("hudilite")``.

    Parameters
    ----------
    app_name
        Name that Spark's pages and logs show.
    master
        Spark's master, such as ``local[4]``; by default the one that Spark is configured with, else all local cores.
    hudi_name
        A bool; checkers take any type, since they compare it with values of ``conf``. True adds the jar of
        :func:`hudilite.hudi_jar`, for programs that say ``format("org.apache.hudi")``.
        ``format("hudi")`` and ``USING hudi`` need nothing.
    **conf
        Spark configuration. Keys have dots, so pass them as ``**{"spark.sql.shuffle.partitions": 8}``.

    Returns
    -------
    SparkSession
        The running session when it was started with hudilite, else a new one.

    Raises
    ------
    RuntimeError
        When a session without hudilite's jar is running already: a running JVM takes no new jars.
    UnsupportedSpark
        When hudilite has no jar for the installed Spark.
    JavaNotUsable
        When Spark does not start for want of a Java that it can use.

    Examples
    --------
    >>> spark = hudilite.session(app_name="fares", master="local[2]", **{"spark.sql.session.timeZone": "UTC"})
    >>> spark.read.format("hudilite").load(path).count()
    3
    """
    try:
        from pyspark.sql import SparkSession
    except ModuleNotFoundError:
        spark_line()  # raises what says more, unless SPARK_HOME names a Spark
        raise

    running = SparkSession.getActiveSession()
    if running is not None and not is_connect(running) and not _has_hudilite(running):
        raise RuntimeError(
            "[EXTENSION_NOT_LOADED] A Spark session without hudilite is running in this process, and it takes no new "
            "jars. Start it with hudilite.session() or hudilite.configure(builder), or run this in a new Python "
            "process. SQLSTATE: 55000"
        )
    builder = SparkSession.builder.appName(app_name)
    if master is not None:
        builder = builder.master(master)
    for key, value in conf.items():
        builder = builder.config(key, value)
    configured = configure(builder, bool(hudi_name))
    try:
        return configured.getOrCreate()
    except Exception as e:
        # PySpark says no more than that its gateway has exited, or that a file is not there.
        # A client of Spark Connect needs no Java.
        reason = None if "SPARK_REMOTE" in os.environ or "spark.remote" in conf else environment.java_flaw()
        if reason is None:
            raise
        raise JavaNotUsable(told("JAVA_NOT_USABLE", reason=reason)) from e


def configure(builder: SparkSession.Builder, hudi_name: bool = False) -> SparkSession.Builder:
    """Add hudilite's jar and extension to a session builder, next to what is configured there already.

    A session of Spark Connect has what its server was started with, so a builder with ``remote("sc://...")`` stays as
    it is. Neither the builder's own settings nor those of ``spark-defaults.conf`` are lost, and calling it again
    changes nothing. The session's own catalog becomes hudilite's, which leaves tables of other formats to Spark, unless
    another one is configured. Errors of hudilite's are one line in Python from then on, without Java's traces.

    Parameters
    ----------
    builder
        ``SparkSession.builder``, with or without settings.
    hudi_name
        True adds the jar with names of Apache Hudi's classes.

    Returns
    -------
    SparkSession.Builder
        This builder.

    Examples
    --------
    >>> builder = hudilite.configure(type(spark).builder.appName("fares"))
    >>> spark = builder.getOrCreate()
    """
    options: dict[str, Any] = getattr(builder, "_options", {})
    if str(options.get("spark.remote") or os.environ.get("SPARK_REMOTE", "")).startswith("sc:"):
        raised.install_remote()
        return builder
    raised.install()
    defaults = _spark_defaults()
    jars = [jar(), *([hudi_jar()] if hudi_name else [])]
    for key, items in {"spark.jars": jars, "spark.sql.extensions": [EXTENSION]}.items():
        present = str(options.get(key) or defaults.get(key, ""))
        for item in items:
            present = _appended(present, item)
        builder = builder.config(key, present)
    catalog = "spark.sql.catalog.spark_catalog"
    return builder.config(catalog, str(options.get(catalog) or defaults.get(catalog) or SESSION_CATALOG))


def _appended(present: str, item: str) -> str:
    """The comma separated list ``present`` with ``item`` at its end, unless it is in there."""
    items = [part.strip() for part in present.split(",") if part.strip()]
    return ",".join(items if item in items else [*items, item])


def _has_hudilite(spark: SparkSession) -> bool:
    return any("hudilite" in str(spark.conf.get(key, "")) for key in ("spark.jars", "spark.jars.packages"))


def _spark_defaults() -> dict[str, str]:
    """Settings of ``spark-defaults.conf``, which a builder's setting of the same key would replace."""
    home = os.environ.get("SPARK_HOME")
    folder = os.environ.get("SPARK_CONF_DIR") or (str(Path(home, "conf")) if home else None)
    file = Path(folder, "spark-defaults.conf") if folder else None
    if file is None or not file.is_file():
        return {}
    settings = {}
    for line in file.read_text().splitlines():
        key, *value = re.split(r"\s*[\s=:]\s*", line.strip(), maxsplit=1)
        if key and not key.startswith("#"):
            settings[key] = "".join(value)
    return settings
