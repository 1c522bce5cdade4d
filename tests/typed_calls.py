"""Calls whose types mypy looks at: a dry run or none, by a word of the program's or by a variable."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hudilite import (
        CleanPlan,
        CleanResult,
        ClusteringPlan,
        ClusteringResult,
        CompactionPlan,
        CompactionResult,
        HudiliteTable,
    )


def by_word(table: HudiliteTable) -> tuple[CompactionResult, ClusteringResult, CleanResult, list[CompactionPlan]]:
    """Without ``dry_run``, or with a word for it, the result has one type."""
    return table.compact(), table.cluster(dry_run=False), table.clean(), table.compact(dry_run=True)


def by_variable(
    table: HudiliteTable, dry_run: bool
) -> tuple[CompactionResult | list[CompactionPlan], ClusteringResult | list[ClusteringPlan], CleanResult | CleanPlan]:
    """A variable leaves both open."""
    return table.compact(dry_run=dry_run), table.cluster(dry_run=dry_run), table.clean(dry_run=dry_run)


def changed(table: HudiliteTable) -> tuple[str, ...]:
    """Builders return builders, and a maintenance says what ran."""
    merge = table.merge(table.to_df(), "target.id = source.id")
    merge.whenMatchedUpdate(set={"v": "source.v"}).whenNotMatchedInsertAll().execute()
    return table.maintain().ran
