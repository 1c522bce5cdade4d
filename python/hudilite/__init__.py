"""Apache Hudi tables in Spark's DataSource V2 planner: the Python front door.

>>> import hudilite
>>> spark = hudilite.session(app_name="orders")  # doctest: +SKIP
>>> spark.read.format("hudilite").load("/lake/orders")  # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hudilite import cleaning, clustering, compaction, doctor, inspect, options, partitions, services, undo
from hudilite._version import __version__
from hudilite.driver import NoExtension
from hudilite.errors import condition_of
from hudilite.jars import UnsupportedSpark, hudi_jar, jar, packages
from hudilite.sessions import JavaNotUsable, configure, session
from hudilite.tables import HudiliteTable, located

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = [
    "HudiliteTable",
    "JavaNotUsable",
    "NoExtension",
    "UnsupportedSpark",
    "__version__",
    "cleaning",
    "clustering",
    "compaction",
    "condition_of",
    "configure",
    "doctor",
    "hudi_jar",
    "inspect",
    "jar",
    "options",
    "packages",
    "partitions",
    "services",
    "session",
    "table",
    "undo",
]


def __dir__() -> list[str]:
    """Public names; the other modules are hudilite's own."""
    return __all__


def table(spark: SparkSession, path: str) -> HudiliteTable:
    """Return a handle on a table; see :class:`hudilite.tables.HudiliteTable`.

    Parameters
    ----------
    spark
        A classic session, or one of Spark Connect.
    path
        Base path of the table, or the name of one that the session knows, such as ``db.trips``.
    """
    return HudiliteTable(spark, located(spark, path))
