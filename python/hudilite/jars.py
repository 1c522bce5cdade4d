"""Choice of the jar for the installed Spark."""

from __future__ import annotations

import importlib.util
import os
import re
from dataclasses import dataclass
from pathlib import Path

from hudilite._version import __version__
from hudilite.errors import told

_FOLDER = Path(__file__).parent / "jars"


@dataclass(frozen=True)
class SparkLine:
    """A range of Spark versions that one jar serves."""

    artifact: str
    scala: str
    versions: str

    @property
    def names(self) -> str:
        """Artifact with names of Apache Hudi's classes."""
        return self.artifact.replace("-spark-", "-hudi-")


LINE_3_5 = SparkLine("hudilite-spark-3.5_2.12", "2.12", "3.5")
LINE_4 = SparkLine("hudilite-spark-4_2.13", "2.13", "4.0 to 4.3")


class UnsupportedSpark(RuntimeError):
    """The installed Spark is missing, or no jar of hudilite fits it."""


def jar() -> str:
    """Path of the jar in this package that fits the installed Spark.

    Returns
    -------
    str
        An absolute path, good for ``spark.jars`` and ``spark-submit --jars``.

    Raises
    ------
    UnsupportedSpark
        When there is no Spark, or one that hudilite has no jar for.
    FileNotFoundError
        When the package carries no jar, as in a source checkout that was not installed.

    Examples
    --------
    >>> hudilite.jar().endswith(".jar")
    True
    """
    return _packaged(spark_line().artifact)


def hudi_jar() -> str:
    """Path of the jar beside :func:`jar` with names of Apache Hudi's classes.

    Spark finds ``format("hudi")`` and ``USING hudi`` without it wherever Hudi itself is not there. This jar serves jobs
    whose settings name Hudi's extension, catalog or Kryo registrator, or that say ``format("org.apache.hudi")``.

    Returns
    -------
    str
        An absolute path, for ``spark.jars`` after the one of :func:`jar`. Never use it beside Hudi's own jar.

    Raises
    ------
    UnsupportedSpark
        When there is no Spark, or one that hudilite has no jar for.
    FileNotFoundError
        When the package carries no jar.

    Examples
    --------
    >>> "hudilite-hudi-" in hudilite.hudi_jar()
    True
    """
    return _packaged(spark_line().names)


def _packaged(artifact: str) -> str:
    found = sorted(_FOLDER.glob(f"{artifact}-*.jar"))
    if len(found) != 1:
        raise FileNotFoundError(told("JAR_NOT_FOUND", number=len(found), artifact=artifact, folder=_FOLDER))
    return str(found[0])


def packages(hudi_name: bool = False) -> str:
    """Maven coordinate for ``spark-submit --packages`` that fits the installed Spark.

    Parameters
    ----------
    hudi_name
        True for the artifact that brings names of Apache Hudi's classes, too.

    Examples
    --------
    >>> hudilite.packages().startswith("io.hudilite:hudilite-spark-")
    True
    """
    line = spark_line()
    return f"io.hudilite:{line.names if hudi_name else line.artifact}:{__version__}"


def spark_line() -> SparkLine:
    """The line of the installed Spark: of SPARK_HOME when it is set, else of the pyspark package."""
    version, scala = installed_spark()
    major, minor = (int(part) for part in version.split(".")[:2])
    line = LINE_3_5 if (major, minor) == (3, 5) else LINE_4 if major == 4 else None
    if line is None or scala not in (line.scala, None):
        built = f" built for Scala {scala}" if scala else ""
        known = " and one for ".join(f"Spark {each.versions} with Scala {each.scala}" for each in (LINE_3_5, LINE_4))
        raise UnsupportedSpark(told("UNSUPPORTED_SPARK", version=__version__, spark=version + built, supported=known))
    return line


def installed_spark() -> tuple[str, str | None]:
    """Version of the installed Spark and, where its jars are at hand, of its Scala."""
    package = importlib.util.find_spec("pyspark")
    homes = [os.environ.get("SPARK_HOME"), *((package and package.submodule_search_locations) or [])]
    for home in filter(None, homes):
        for path in Path(home, "jars").glob("spark-sql_*.jar"):
            match = re.fullmatch(r"spark-sql_(\d+\.\d+)-(\d+\.\d+.*)\.jar", path.name)
            if match:
                return match[2], match[1]
    if package is None:
        what = "A Spark of its own, where SPARK_HOME names none,"
        raise UnsupportedSpark(told("PACKAGE_NOT_INSTALLED", what=what, package="pyspark", extra="spark"))
    import pyspark

    return str(pyspark.__version__), None
