"""Answers of procedures (docs/procedures.md) as results of the table object's methods."""

from __future__ import annotations

from typing import Any

from hudilite.cleaning import CleanedPartition, CleanPlan, CleanResult
from hudilite.clustering import ClusteredFile, ClusteringPlan, ClusteringResult, PlannedGroup
from hudilite.compaction import CompactedGroup, CompactionPlan, CompactionResult, PlannedSlice
from hudilite.indexes import Advice, FilesProbed, IndexCost, TableIndex
from hudilite.partitions import DroppedPartition, DroppedPartitions
from hudilite.services import ServiceState
from hudilite.undo import Archived, Restored, RolledBack, Savepoint

Row = dict[str, Any]


def compaction_plans(rows: list[Row]) -> list[CompactionPlan]:
    """Of ``run_compaction``, when nothing was run."""
    return [
        CompactionPlan(row["timestamp"], row["strategy"], tuple(PlannedSlice(**s) for s in row["slices"]), row["kind"])
        for row in rows
    ]


def compactions(rows: list[Row], seconds: float) -> CompactionResult:
    """Of ``run_compaction``."""
    groups = tuple(CompactedGroup(**group) for row in rows for group in row["groups"])
    return CompactionResult(tuple(row["timestamp"] for row in rows), groups, seconds)


def clustering_plans(rows: list[Row]) -> list[ClusteringPlan]:
    """Of ``run_clustering``, when nothing was run."""
    return [
        ClusteringPlan(row["timestamp"], row["sort_by"], tuple(PlannedGroup(**group) for group in row["groups"]))
        for row in rows
    ]


def clusterings(rows: list[Row], seconds: float) -> ClusteringResult:
    """Of ``run_clustering``."""
    files = tuple(ClusteredFile(**file) for row in rows for file in row["files"])
    instants = tuple(row["timestamp"] for row in rows)
    return ClusteringResult(instants, sum(row["replaced"] for row in rows), files, seconds)


def clean_plan(rows: list[Row]) -> CleanPlan:
    """Of ``run_clean``, when nothing was run."""
    # Rows of what is planned and not ended precede that of the plan that would be made.
    plan = rows[-1]
    files = dict.fromkeys(file for row in rows for file in row["files"])
    return CleanPlan(plan["policy"], plan["earliest_commit_to_retain"] or "", tuple(files))


def cleanings(rows: list[Row], seconds: float) -> CleanResult:
    """Of ``run_clean``."""
    partitions = tuple(CleanedPartition(**partition) for row in rows for partition in row["partitions"])
    return CleanResult(tuple(row["start_clean_time"] for row in rows), partitions, seconds)


def archived(row: Row) -> Archived:
    """Of ``archive_commits``."""
    return Archived(row["instants"], row["files"])


def rolled_back(row: Row) -> RolledBack:
    """Of ``rollback_to_instant``."""
    return RolledBack(row["rollback_time"], row["write"], row["action"], row["files"], row["dead_writes"])


def restored(row: Row) -> Restored:
    """Of ``restore_to_instant``."""
    return Restored(row["restore_time"], row["restored_to"], row["writes"], row["dead_writes"])


def savepoint(row: Row) -> Savepoint:
    """Of procedures about savepoints; one that was just made has no damage."""
    return Savepoint(
        row["savepoint_time"],
        row["user"],
        row["epoch_milliseconds"],
        row["comments"],
        row["files"],
        row.get("damage"),
    )


def dropped(rows: list[Row]) -> DroppedPartitions:
    """Of ``drop_partition`` and ``expire_partitions``."""
    gone = tuple(DroppedPartition(row["partition"], row["file_groups"]) for row in rows)
    return DroppedPartitions(rows[0]["instant"] if rows else None, gone)


def service_state(row: Row) -> ServiceState:
    """Of ``show_services``, which has instants in one text."""
    instants = {name: tuple(filter(None, row[name].split(","))) for name in ("planned", "running")}
    return ServiceState(**{**row, **instants})


def advice(row: Row) -> Advice:
    """Of ``advise``."""
    probed = FilesProbed(row["probed_by_key"], row["probed_by_upsert"])
    return Advice(files_probed=probed, **{name: row[name] for name in row if not name.startswith("probed_")})


def table_index(row: Row) -> TableIndex:
    """Of ``show_indexes``."""
    told = {name: value for name, value in row.items() if name not in ("index_name", "index_type", "commits")}
    commits = tuple(IndexCost(**commit) for commit in row["commits"])
    return TableIndex(name=row["index_name"], kind=row["index_type"], commits=commits, **told)
