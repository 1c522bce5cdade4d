"""Apache Hudi tables in Spark's DataSource V2 planner: the Python front door.

>>> import hudilite
>>> spark = hudilite.session(app_name="orders")  # doctest: +SKIP
>>> spark.read.format("hudilite").load("/lake/orders")  # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hudilite import (
    cleaning,
    clustering,
    compaction,
    doctor,
    indexes,
    inspect,
    maintenance,
    options,
    partitions,
    services,
    undo,
)
from hudilite._version import __version__
from hudilite.cleaning import CleanedPartition, CleanPlan, CleanResult
from hudilite.clustering import ClusteredFile, ClusteringPlan, ClusteringResult, PlannedGroup
from hudilite.compaction import CompactedGroup, CompactionPlan, CompactionResult, PlannedSlice
from hudilite.converting import Converted, convert
from hudilite.doctor import Finding, MetadataDifference
from hudilite.driver import NoExtension
from hudilite.errors import condition_of
from hudilite.indexes import Advice, FilesProbed, IndexCost, TableIndex
from hudilite.jars import UnsupportedSpark, hudi_jar, jar, packages
from hudilite.maintenance import Maintained, Maintenance
from hudilite.merging import MergeBuilder
from hudilite.optimizing import OptimizeBuilder
from hudilite.partitions import DroppedPartition, DroppedPartitions
from hudilite.services import ServiceState
from hudilite.sessions import JavaNotUsable, configure, session
from hudilite.tables import HudiliteTable, located
from hudilite.undo import Archived, Restored, RolledBack, Savepoint

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = [
    "Advice",
    "Archived",
    "CleanPlan",
    "CleanResult",
    "CleanedPartition",
    "ClusteredFile",
    "ClusteringPlan",
    "ClusteringResult",
    "CompactedGroup",
    "CompactionPlan",
    "CompactionResult",
    "Converted",
    "DroppedPartition",
    "DroppedPartitions",
    "FilesProbed",
    "Finding",
    "HudiliteTable",
    "IndexCost",
    "JavaNotUsable",
    "Maintained",
    "Maintenance",
    "MergeBuilder",
    "MetadataDifference",
    "NoExtension",
    "OptimizeBuilder",
    "PlannedGroup",
    "PlannedSlice",
    "Restored",
    "RolledBack",
    "Savepoint",
    "ServiceState",
    "TableIndex",
    "UnsupportedSpark",
    "__version__",
    "cleaning",
    "clustering",
    "compaction",
    "condition_of",
    "configure",
    "convert",
    "doctor",
    "hudi_jar",
    "indexes",
    "inspect",
    "jar",
    "maintenance",
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

    Examples
    --------
    >>> hudilite.table(spark, path).to_df().count()
    3
    """
    return HudiliteTable(spark, located(spark, path))
