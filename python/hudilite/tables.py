"""A handle on one table, for calls that are shorter with a name than with options."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, overload

from hudilite import answers, arguments, driver, face, frames, inspect, raised
from hudilite.arguments import check, checked, invalid
from hudilite.changing import RowChanges
from hudilite.doctor import Finding, MetadataDifference
from hudilite.maintenance import Maintenance, maintained
from hudilite.optimizing import OptimizeBuilder
from hudilite.running import run

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

    from hudilite.cleaning import CleanPlan, CleanResult, Policy
    from hudilite.clustering import ClusteringPlan, ClusteringResult, Layout
    from hudilite.compaction import CompactionPlan, CompactionResult, Kind
    from hudilite.indexes import Advice, TableIndex
    from hudilite.partitions import DroppedPartitions
    from hudilite.running import Progress
    from hudilite.services import ServiceState
    from hudilite.undo import Archived, Restored, RolledBack, Savepoint

__all__ = ["HudiliteTable"]


def __dir__() -> list[str]:
    """Public names."""
    return __all__


@checked
@dataclass(frozen=True)
class HudiliteTable(RowChanges):
    """A table at a path.

    All that it does is done by Spark, in SQL (docs/procedures.md), so that a session of Spark Connect does the same.

    Attributes
    ----------
    spark
        The session that reads the rows.
    path
        Base path of the table.
    """

    spark: SparkSession
    path: str
    _alias: str = field(default="target", repr=False)

    def _repr_html_(self) -> str:
        """View of the table in a notebook; see :func:`hudilite.face.html`."""
        return face.html(self.spark, self.path)

    def report(self, file: str | PathLike[str] | None = None) -> str:
        """One HTML page about the table, complete in itself: timeline, sizes, logs, key ranges, and what they advise.

        A Spark job reads the footers of the base files, unless there are very many. :meth:`advise` says which index
        fits; ``hudilite report``, which does without Spark, leaves that out. It needs matplotlib.

        Parameters
        ----------
        file
            Where to write it on the machine of this process; a file that is there is replaced.

        Returns
        -------
        str
            The page, or the path of the file that was written.

        Examples
        --------
        >>> trips.report().startswith("<!DOCTYPE html>")
        True
        """
        from hudilite import report

        return report.of_table(self.spark, self.path, file)

    def rows(self, as_of: str | None = None) -> DataFrame:
        """Rows of the newest snapshot, or of the one at an instant.

        Parameters
        ----------
        as_of
            An instant, or a time such as ``2024-01-31 12:00:00``.

        Returns
        -------
        DataFrame
            The table's columns; Hudi's ``_hoodie_*`` columns can be selected by name.

        Examples
        --------
        >>> first = trips.history()[-1].time
        >>> trips.rows(as_of=first).where("id = 2").select("fare").first()
        Row(fare=7.0)
        """
        reader = self.spark.read.format("hudilite")
        return (reader.option("as.of.instant", as_of) if as_of else reader).load(self.path)

    def to_df(self) -> DataFrame:
        """Rows of the newest snapshot.

        Examples
        --------
        >>> trips.to_df().where("day = 'mon'").select("id").orderBy("id").collect()
        [Row(id=1), Row(id=2)]
        """
        rows = self.rows()
        return rows if self._alias == _ALIAS else rows.alias(self._alias)

    def toDF(self) -> DataFrame:
        """Rows of the newest snapshot, by Delta Lake's name of :meth:`to_df`.

        Examples
        --------
        >>> trips.alias("t").toDF().select("t.id").count()
        3
        """
        return self.to_df()

    def to_arrow(self) -> pyarrow.Table:
        """All rows of the newest snapshot, read by the session. :func:`hudilite.inspect.to_arrow` needs no Spark.

        Raises
        ------
        ImportError
            When pyarrow is not installed.

        Examples
        --------
        >>> trips.to_arrow().num_rows
        3
        """
        return frames.arrow(self.to_df())

    def to_pandas(self) -> pandas.DataFrame:
        """All rows of the newest snapshot, read by the session. :func:`hudilite.inspect.to_pandas` needs no Spark.

        Raises
        ------
        ImportError
            When pandas is not installed.

        Examples
        --------
        >>> float(trips.to_pandas()["fare"].sum())
        21.0
        """
        return frames.pandas(self.to_df())

    def changes(self, begin: str, end: str | None = None) -> DataFrame:
        """Rows that commits after ``begin`` wrote, up to and with ``end``.

        Parameters
        ----------
        begin
            Completion time (table versions 8 and 9) or instant (version 6); what it names is not part of the answer.
        end
            The last one that is part of the answer; the newest by default.

        Returns
        -------
        DataFrame
            The table's columns, each row in its newest state of the range.

        Examples
        --------
        >>> first = trips.timeline()[0]
        >>> trips.changes(begin=first.completion_time).select("id", "fare").collect()
        [Row(id=2, fare=7.5)]
        """
        reader = (
            self.spark.read.format("hudilite")
            .option("hoodie.datasource.query.type", "incremental")
            .option("hoodie.datasource.read.begin.instanttime", begin)
        )
        if end is not None:
            reader = reader.option("hoodie.datasource.read.end.instanttime", end)
        return reader.load(self.path)

    def timeline(self) -> list[inspect.Instant]:
        """All instants of the active timeline, oldest first.

        Examples
        --------
        >>> [(instant.action, instant.state) for instant in trips.timeline()]
        [('deltacommit', 'completed'), ('deltacommit', 'completed')]
        """
        return [inspect.Instant(**row) for row in driver.metadata(self.spark, self.path, "timeline")]

    def history(self, limit: int | None = None) -> list[inspect.Commit]:
        """Completed writes with what they did, newest first.

        Parameters
        ----------
        limit
            How many of them; all by default.

        Examples
        --------
        >>> [(commit.operation, commit.inserts, commit.updates) for commit in trips.history()]
        [('UPSERT', 0, 1), ('UPSERT', 3, 0)]
        """
        if limit is not None and limit < 0:
            raise invalid("limit", limit, "it must be 0 or more")
        return [inspect.Commit(**row) for row in driver.metadata(self.spark, self.path, "history", limit=limit)]

    def files(self) -> list[inspect.DataFile]:
        """Base files of the newest snapshot, by partition and file group.

        Examples
        --------
        >>> [(file.partition, file.rows) for file in trips.files()]
        [('day=mon', 2), ('day=tue', 1)]
        """
        rows = driver.metadata(self.spark, self.path, "files", _FILE, "kind = 'base'")
        return sorted((inspect.DataFile(**row) for row in rows), key=lambda file: (file.partition, file.file_id))

    def indexes(self, most_files: int = 512) -> list[TableIndex]:
        """Indexes that are there: partitions of the metadata table, bloom filters in footers, and buckets.

        Nothing is changed. The records of the metadata table are counted, by tasks where they are many. The folders are
        listed, and the footers of some base files are read.

        Parameters
        ----------
        most_files
            Greatest number of base files whose footers are read. Where there are more, the size of all filters and the
            number of their keys are reckoned from these.

        Examples
        --------
        >>> [(index.name, index.files, index.entries) for index in trips.indexes()]
        [('bloom_filters_of_footers', 2, 3)]
        """
        _one_or_more("most_files", most_files)
        return [answers.table_index(row) for row in self._call("show_indexes", most_files=most_files)]

    def advise(self, most_files: int = 512, *, options: Mapping[str, str] | None = None) -> Advice:
        """Index, number of buckets and size of files that fit the table, by its footers, commits and timeline.

        Nothing is changed. The folders are listed, and the footers of some base files are read, by tasks where they are
        more than a few: their ranges of keys say how many files may hold a key, and each bloom filter is asked about
        4,096 keys that are not in its file. The newest upsert says which files are written together.

        Parameters
        ----------
        most_files
            Greatest number of base files whose footers are read. Where there are more, whole partitions are taken,
            first those of the newest upsert.
        options
            Options of the writes, of which ``hoodie.index.type`` says if keys are unique in the whole table, and
            ``hoodie.parquet.max.file.size`` and ``hoodie.bloom.index.filter.dynamic.max.entries`` how large files are.

        Returns
        -------
        Advice
            One for a table without rows, too: then the default.

        Examples
        --------
        >>> advice = trips.advise()
        >>> advice.index, advice.files_probed.key, advice.false_positives
        ('SIMPLE', 1.0, 0.0)
        >>> advice.why.startswith("SIMPLE, since a key lies in the range of 1.0 of the files")
        True
        """
        _one_or_more("most_files", most_files)
        (row,) = self._call("advise", most_files=most_files, options=options)
        return answers.advice(row)

    def schedule_compaction(
        self,
        strategy: str | None = None,
        *,
        kind: Kind = "base",
        if_due: bool = False,
        dry_run: bool = False,
        progress: Progress | bool | None = None,
        options: Mapping[str, str] | None = None,
    ) -> CompactionPlan | None:
        """Plan a compaction of a merge-on-read table, to be run later, here or in another program.

        Writers go on meanwhile; what they log after the plan stays on top of what the compaction makes. With table
        version 6 such a write outdates the plan of a compaction of the kind ``log``, which is then given up.

        Parameters
        ----------
        strategy
            Which file slices to take: ``LogFileSizeBased`` (the default), ``LogFileNumBased``, ``BoundedIO``,
            ``UnBounded``, ``DayBased``, ``BoundedPartitionAware``, ``UnBoundedPartitionAware``, or a class by its name.
            The kind ``log`` takes those with ``hoodie.log.compaction.blocks.threshold`` log blocks or more.
        kind
            ``base`` or ``log``, as in :meth:`compact`.
        if_due
            Plan only when ``hoodie.compact.inline.trigger.strategy`` says that it is time; for the kind ``log``, when
            ``hoodie.log.compaction.blocks.threshold`` delta commits have completed since the last compaction.
        dry_run
            Only say what would be planned, due or not.
        progress
            Called once it is done, with the number of slices twice: it is one step. ``True`` shows a bar, for which
            tqdm must be installed.
        options
            Other ``hoodie.*`` options.

        Returns
        -------
        CompactionPlan | None
            The plan; ``None`` when nothing was planned.

        Raises
        ------
        COMPACTION_NOT_POSSIBLE
            For a copy-on-write table.
        WRITE_PENDING
            While a write is under way, for a table of version 6 and for the kind ``log``.

        Examples
        --------
        >>> plan = trips.schedule_compaction()
        >>> len(plan.slices)
        1
        >>> trips.compact(plan.instant).instants == (plan.instant,)
        True
        """
        chosen = _with_strategy(options, strategy)
        asked = {"op": "schedule", "if_due": if_due, "kind": kind}
        rows = self._run("run_compaction", chosen, dry_run, progress, "slices", step="schedule", **asked)
        return next(iter(answers.compaction_plans(rows)), None)

    @overload
    def compact(
        self,
        instant: str | None = ...,
        *,
        strategy: str | None = ...,
        kind: Kind = ...,
        dry_run: Literal[False] = ...,
        progress: Progress | bool | None = ...,
        options: Mapping[str, str] | None = ...,
    ) -> CompactionResult: ...

    @overload
    def compact(
        self,
        instant: str | None = ...,
        *,
        strategy: str | None = ...,
        kind: Kind = ...,
        dry_run: Literal[True],
        progress: Progress | bool | None = ...,
        options: Mapping[str, str] | None = ...,
    ) -> list[CompactionPlan]: ...

    @overload
    def compact(
        self,
        instant: str | None = ...,
        *,
        strategy: str | None = ...,
        kind: Kind = ...,
        dry_run: bool,
        progress: Progress | bool | None = ...,
        options: Mapping[str, str] | None = ...,
    ) -> CompactionResult | list[CompactionPlan]: ...

    def compact(
        self,
        instant: str | None = None,
        *,
        strategy: str | None = None,
        kind: Kind = "base",
        dry_run: bool = False,
        progress: Progress | bool | None = None,
        options: Mapping[str, str] | None = None,
    ) -> CompactionResult | list[CompactionPlan]:
        """Merge log files into new base files, or among themselves.

        Runs the compactions of the kind that are planned; when there are none, plans one and runs it. A compaction into
        base files that fails or is killed leaves its plan, to be run again; one of log files leaves nothing.

        Parameters
        ----------
        instant
            The planned compaction to run, alone and whatever its kind.
        strategy
            Which file slices a new plan takes, as in :meth:`schedule_compaction`.
        kind
            ``base`` merges the log files of file slices into their next base files. ``log`` folds many log blocks of a
            slice into few and leaves its base file alone, so that readers have less to merge for little writing.
        dry_run
            Only say what would be run, and what that would read and write.
        progress
            Called with the number of file groups compacted so far and the number of all, whenever the first changes;
            ``True`` shows a bar, for which tqdm must be installed.
        options
            Other ``hoodie.*`` options.

        Returns
        -------
        CompactionResult
            Merged files, by file group; with ``dry_run`` a list of :class:`hudilite.compaction.CompactionPlan`.

        Raises
        ------
        COMPACTION_NOT_POSSIBLE
            For a copy-on-write table.
        COMPACTION_NOT_FOUND
            When ``instant`` is not a pending compaction.
        INSTANT_TAKEN
            When another program runs it.
        COMMIT_CONFLICT
            When the file groups of a compaction of the kind ``log`` have changed since it was planned.
        WRITE_PENDING
            While a write is under way, for a table of version 6 and for the kind ``log``.

        Examples
        --------
        >>> trips.compact(dry_run=True)[0].slices[0].partition
        'day=mon'
        >>> [group.updated for group in trips.compact().groups]
        [1]
        """
        begun = time.monotonic()
        chosen = _with_strategy(options, strategy)
        rows = self._run("run_compaction", chosen, dry_run, progress, "groups", timestamp=instant, kind=kind)
        return answers.compaction_plans(rows) if dry_run else answers.compactions(rows, time.monotonic() - begun)

    def schedule_clustering(
        self,
        sort_by: str | Sequence[str] | None = None,
        layout: Layout | None = None,
        partitions: str | Sequence[str] | None = None,
        target_bytes: int | None = None,
        *,
        buckets: int | None = None,
        dry_run: bool = False,
        progress: Progress | bool | None = None,
        options: Mapping[str, str] | None = None,
    ) -> ClusteringPlan | None:
        """Plan a clustering, to be run later, here or in another program; the arguments are those of :meth:`cluster`,
        but that ``progress`` is called once it is planned, with the number of its groups twice.

        Until it is run, writes that change its file groups are refused, and new rows go to others. ``rollback`` with
        its instant takes the plan back.

        Returns
        -------
        ClusteringPlan | None
            The plan; ``None`` when nothing was planned.

        Examples
        --------
        >>> plan = trips.schedule_clustering(sort_by="fare")
        >>> trips.cluster(instant=plan.instant).instants == (plan.instant,)
        True
        """
        asked = arguments.clustering(sort_by, layout, partitions, target_bytes, buckets)
        rows = self._run(
            "run_clustering", options, dry_run, progress, "groups", step="schedule", op="schedule", **asked
        )
        return next(iter(answers.clustering_plans(rows)), None)

    @overload
    def cluster(
        self,
        sort_by: str | Sequence[str] | None = ...,
        layout: Layout | None = ...,
        partitions: str | Sequence[str] | None = ...,
        target_bytes: int | None = ...,
        *,
        buckets: int | None = ...,
        instant: str | None = ...,
        dry_run: Literal[False] = ...,
        progress: Progress | bool | None = ...,
        options: Mapping[str, str] | None = ...,
    ) -> ClusteringResult: ...

    @overload
    def cluster(
        self,
        sort_by: str | Sequence[str] | None = ...,
        layout: Layout | None = ...,
        partitions: str | Sequence[str] | None = ...,
        target_bytes: int | None = ...,
        *,
        buckets: int | None = ...,
        instant: str | None = ...,
        dry_run: Literal[True],
        progress: Progress | bool | None = ...,
        options: Mapping[str, str] | None = ...,
    ) -> list[ClusteringPlan]: ...

    @overload
    def cluster(
        self,
        sort_by: str | Sequence[str] | None = ...,
        layout: Layout | None = ...,
        partitions: str | Sequence[str] | None = ...,
        target_bytes: int | None = ...,
        *,
        buckets: int | None = ...,
        instant: str | None = ...,
        dry_run: bool,
        progress: Progress | bool | None = ...,
        options: Mapping[str, str] | None = ...,
    ) -> ClusteringResult | list[ClusteringPlan]: ...

    def cluster(
        self,
        sort_by: str | Sequence[str] | None = None,
        layout: Layout | None = None,
        partitions: str | Sequence[str] | None = None,
        target_bytes: int | None = None,
        *,
        buckets: int | None = None,
        instant: str | None = None,
        dry_run: bool = False,
        progress: Progress | bool | None = None,
        options: Mapping[str, str] | None = None,
    ) -> ClusteringResult | list[ClusteringPlan]:
        """Put small files together, or lay the rows of all files out anew, so that queries skip more of them.

        Runs the clusterings that are planned; when there are none, plans one and runs it. Rows keep their commit times,
        so that incremental reads do not see them as changed. One that fails or is killed leaves its plan, to be run
        again.

        Parameters
        ----------
        sort_by
            Columns that lay the rows out. Without any, files smaller than ``target_bytes`` and 300 MiB are put together
            as they are; with some, all files are written again, whatever their size.
        layout
            ``linear`` (the default) sorts by one column after the other, ``zorder`` and ``hilbert`` along a curve that
            serves queries on any of them.
        partitions
            Paths of the only partitions to look at; all by default.
        target_bytes
            Size of the files to write, 1 GiB by default.
        buckets
            Moves a table with a bucket index to this number of buckets: all of it, or the ``partitions`` alone, log
            files merged. From then on the writers of other programs must give the new number, or that of the partitions
            as ``hoodie.bucket.index.partition.expressions``.
        instant
            The planned clustering to run, alone; the other arguments are those of its plan then.
        dry_run
            Only say what would be run.
        progress
            Called with the number of files written so far and about the number of all, whenever the first changes;
            ``True`` shows a bar, for which tqdm must be installed.
        options
            Other ``hoodie.*`` options.

        Returns
        -------
        ClusteringResult
            The new files; with ``dry_run`` a list of :class:`hudilite.clustering.ClusteringPlan`.

        Raises
        ------
        CLUSTERING_NOT_POSSIBLE
            For a table with a bucket index, unless ``buckets`` are given; and for ``buckets`` while a plan takes some
            of its file groups.
        CLUSTERING_NOT_FOUND
            When ``instant`` is not a pending clustering.
        INSTANT_TAKEN
            When another program runs it.
        COMMIT_CONFLICT
            When a file group has changed since it was planned.

        Examples
        --------
        >>> done = trips.cluster(sort_by=["fare", "ts"], layout="hilbert")
        >>> done.replaced, sum(file.rows for file in done.files)
        (2, 3)
        """
        asked = arguments.clustering(sort_by, layout, partitions, target_bytes, buckets)
        begun = time.monotonic()
        rows = self._run("run_clustering", options, dry_run, progress, "files", instants=instant, **asked)
        return answers.clustering_plans(rows) if dry_run else answers.clusterings(rows, time.monotonic() - begun)

    @overload
    def clean(
        self,
        policy: Policy | None = ...,
        retain: int | None = ...,
        *,
        dry_run: Literal[False] = ...,
        progress: Progress | bool | None = ...,
        options: Mapping[str, str] | None = ...,
    ) -> CleanResult: ...

    @overload
    def clean(
        self,
        policy: Policy | None = ...,
        retain: int | None = ...,
        *,
        dry_run: Literal[True],
        progress: Progress | bool | None = ...,
        options: Mapping[str, str] | None = ...,
    ) -> CleanPlan: ...

    @overload
    def clean(
        self,
        policy: Policy | None = ...,
        retain: int | None = ...,
        *,
        dry_run: bool,
        progress: Progress | bool | None = ...,
        options: Mapping[str, str] | None = ...,
    ) -> CleanResult | CleanPlan: ...

    def clean(
        self,
        policy: Policy | None = None,
        retain: int | None = None,
        *,
        dry_run: bool = False,
        progress: Progress | bool | None = None,
        options: Mapping[str, str] | None = None,
    ) -> CleanResult | CleanPlan:
        """Delete files that only past states of the table need.

        Writes are followed by it unless ``hoodie.clean.automatic`` is ``false``. Call it to keep less for once, or
        where writers do not clean. Cleanings that were planned and not ended are run first. Savepoints, pending
        compactions and writes under way keep the files that they need.

        Parameters
        ----------
        policy
            States that stay: ``KEEP_LATEST_COMMITS`` (the default), ``KEEP_LATEST_BY_HOURS`` or
            ``KEEP_LATEST_FILE_VERSIONS``.
        retain
            How many commits (10), hours (24) or file versions (3), by policy.
        dry_run
            Only say what would go.
        progress
            Called with the number of files deleted so far and the number of all, whenever the first changes;
            ``True`` shows a bar, for which tqdm must be installed.
        options
            Other ``hoodie.*`` options.

        Returns
        -------
        CleanResult
            Files that went, by partition; with ``dry_run`` a :class:`hudilite.cleaning.CleanPlan`.

        Raises
        ------
        INVALID_OPTION_VALUE
            For a number below 1.

        Examples
        --------
        >>> trips.compact().instants != ()
        True
        >>> trips.clean(retain=1, dry_run=True).files
        ()
        >>> trips.clean("KEEP_LATEST_FILE_VERSIONS", retain=1).files
        2
        """
        chosen = arguments.cleaning(options, policy, retain)
        begun = time.monotonic()
        rows = self._run("run_clean", chosen, dry_run, progress, "total_files_deleted")
        return answers.clean_plan(rows) if dry_run else answers.cleanings(rows, time.monotonic() - begun)

    def archive(
        self,
        *,
        dry_run: bool = False,
        progress: Progress | bool | None = None,
        options: Mapping[str, str] | None = None,
    ) -> Archived:
        """Move the oldest instants from the active timeline to the archived one, if there are more than may stay.

        Writes are followed by it unless ``hoodie.archive.automatic`` is ``false``. Instants stay while a pending
        action, a savepoint or time travel to a state that cleaning keeps needs them.

        Parameters
        ----------
        dry_run
            Only say which would go.
        progress
            Called once it is done, with the number of instants twice: it is one step. ``True`` shows a bar, for which
            tqdm must be installed.
        options
            ``hoodie.keep.max.commits`` (30) and ``hoodie.keep.min.commits`` (20), and other options.

        Examples
        --------
        >>> trips.archive(dry_run=True).instants
        ()
        """
        (done,) = self._run("archive_commits", options, dry_run, progress, "instants", step="archive")
        return answers.archived(done)

    def rollback(
        self,
        instant: str | None = None,
        *,
        dry_run: bool = False,
        progress: Progress | bool | None = None,
        options: Mapping[str, str] | None = None,
    ) -> RolledBack:
        """Take the newest write back: its rows are gone, and those that it replaced are there again.

        Parameters
        ----------
        instant
            The write; it must be the newest, which it is by default. Or a planned clustering.
        dry_run
            Only say which write that is, and what dead writers have left, which is taken back before.
        progress
            Called once it is done, with the number of its files twice: it is one step. ``True`` shows a bar, for which
            tqdm must be installed.
        options
            Other ``hoodie.*`` options.

        Raises
        ------
        ROLLBACK_NOT_POSSIBLE
            When a later write, a plan or a savepoint rests on it, or what was before it has been cleaned away.

        Examples
        --------
        >>> newest = trips.history(limit=1)[0]
        >>> trips.rollback().write == newest.time
        True
        >>> trips.to_df().where("id = 2").select("fare").first()
        Row(fare=7.0)
        """
        (done,) = self._run(
            "rollback_to_instant", options, dry_run, progress, "files", step="rollback", instant_time=instant
        )
        return answers.rolled_back(done)

    def restore(
        self,
        instant: str,
        *,
        dry_run: bool = False,
        progress: Progress | bool | None = None,
        options: Mapping[str, str] | None = None,
    ) -> Restored:
        """Bring the state as of a write back: every write after it is taken back, and so are the plans after it.

        A restore that was begun and not ended keeps writers away; called again for the same write, it is ended. Ctrl-C
        stops it between two writes, with what is left to do planned.

        Parameters
        ----------
        instant
            The write, for instance that of a savepoint.
        dry_run
            Only say which writes would go, and what dead writers have left, which is taken back before.
        progress
            Called with the number of writes and plans taken back so far and the number of all, whenever the first
            changes; ``True`` shows a bar, for which tqdm must be installed.
        options
            Other ``hoodie.*`` options.

        Raises
        ------
        RESTORE_NOT_POSSIBLE
            When there is no such write, its state is not whole any more, a later state is saved, or a write or
            service is under way.

        Examples
        --------
        >>> first = trips.history()[-1].time
        >>> len(trips.restore(first).writes)
        1
        """
        # Plans count on the way, too.
        (done,) = self._run(
            "restore_to_instant", options, dry_run, progress, "writes", in_full=True, instant_time=instant
        )
        return answers.restored(done)

    def savepoint(
        self,
        instant: str | None = None,
        comment: str = "",
        *,
        dry_run: bool = False,
        progress: Progress | bool | None = None,
        options: Mapping[str, str] | None = None,
    ) -> Savepoint:
        """Save a state: cleaning keeps its files, and time travel reaches it, until the savepoint is deleted.

        Parameters
        ----------
        instant
            The write whose state is saved; the newest by default.
        comment
            Its purpose.
        dry_run
            Only say what would be saved.
        progress
            Called once it is done, with the number of files twice: it is one step. ``True`` shows a bar, for which
            tqdm must be installed.
        options
            Other ``hoodie.*`` options.

        Raises
        ------
        SAVEPOINT_NOT_POSSIBLE
            When there is no such write, its state is saved already, or some of its files are gone or about to go.

        Examples
        --------
        >>> trips.savepoint(comment="before the move").files
        3
        """
        asked = {"commit_time": instant, "comments": comment}
        (saved,) = self._run("create_savepoint", options, dry_run, progress, "files", step="savepoint", **asked)
        return answers.savepoint(saved)

    def optimize(self) -> OptimizeBuilder:
        """Put files together, or lay rows out anew, by Delta Lake's names; see :meth:`cluster`, which can do more.

        Examples
        --------
        >>> len(trips.optimize().executeZOrderBy("fare", "ts").files)
        2
        """
        return OptimizeBuilder(self)

    def vacuum(self, retentionHours: int | None = None) -> CleanResult:
        """Delete files that only past states of the table need, by Delta Lake's name of :meth:`clean`.

        Parameters
        ----------
        retentionHours
            Hours whose states stay. By default as many commits as :meth:`clean` keeps.

        Examples
        --------
        >>> trips.vacuum(retentionHours=1).files
        0
        """
        return self.clean(None if retentionHours is None else "KEEP_LATEST_BY_HOURS", retentionHours)

    def maintain(self, *, options: Mapping[str, str] | None = None) -> Maintenance:
        """Run all services that are due: what :meth:`services` says, in one call.

        A service is due when the next write would set it off if writes were followed by it, or when it is planned. They
        are run one after the other, each with its defaults, and one that fails keeps none of the others from running.

        Parameters
        ----------
        options
            ``hoodie.*`` options of the services.

        Returns
        -------
        Maintenance
            The services that ran, with their results; those that were not due; and those that failed, with their
            errors.

        Examples
        --------
        >>> done = trips.maintain(options={"hoodie.compact.inline.max.delta.commits": "1"})
        >>> done.ran
        ('compaction',)
        >>> [(each.service, each.outcome) for each in done.services]
        [('compaction', 'ran'), ('clustering', 'not due'), ('cleaning', 'not due'), ('archiving', 'not due')]
        """
        return maintained(self, options)

    def services(self, *, options: Mapping[str, str] | None = None) -> list[ServiceState]:
        """State of the table's services: planned, running and due, with errors.

        Parameters
        ----------
        options
            Options of the writes that the services follow.

        Examples
        --------
        >>> [(service.service, service.due) for service in trips.services()]
        [('compaction', False), ('clustering', False), ('cleaning', False), ('archiving', False)]
        """
        return [answers.service_state(row) for row in self._call("show_services", options=options)]

    def wait_for_services(self, timeout: float = 600.0) -> bool:
        """Wait until the services beside this program's writes to the table have ended (``hudilite.services.async``).

        Parameters
        ----------
        timeout
            Seconds to wait at most.

        Returns
        -------
        bool
            False when they have not ended by then.

        Examples
        --------
        >>> trips.wait_for_services(timeout=60)
        True
        """
        (row,) = self._call("wait_for_services", milliseconds=int(timeout * 1000))
        return bool(row["ended"])

    def savepoints(self) -> list[Savepoint]:
        """All savepoints, oldest first.

        Examples
        --------
        >>> saved = trips.savepoint(comment="before the move")
        >>> [each.comment for each in trips.savepoints()]
        ['before the move']
        """
        return [answers.savepoint(row) for row in self._call("show_savepoints")]

    def delete_partition(
        self,
        partition: str | Sequence[str],
        *,
        dry_run: bool = False,
        progress: Progress | bool | None = None,
        options: Mapping[str, str] | None = None,
    ) -> DroppedPartitions:
        """Drop all rows of partitions at once. Past states keep them until they are cleaned, and the files with them.

        Parameters
        ----------
        partition
            Path below the table, such as ``2026-01-31`` or ``day=2026-01-31``, or several of them; no patterns.
        dry_run
            Only say what would go.
        progress
            Called once it is done, with the number of partitions twice: it is one step. ``True`` shows a bar, for which
            tqdm must be installed.
        options
            Other ``hoodie.*`` options.

        Raises
        ------
        PARTITION_NOT_FOUND
            When one of them has no rows.
        PARTITION_IN_SERVICE
            While a compaction or clustering of one of them is pending.
        COMMIT_CONFLICT
            When another write adds rows to one of them meanwhile.

        Examples
        --------
        >>> trips.delete_partition("day=tue").partitions[0].file_groups
        1
        >>> trips.to_df().count()
        2
        """
        named = [partition] if isinstance(partition, str) else partition
        if not named:
            raise invalid("partition", named, "it must name a partition")
        rows = self._run("drop_partition", options, dry_run, progress, step="delete partition", partition=named)
        return answers.dropped(rows)

    def expire_partitions(
        self,
        days: int | None = None,
        *,
        dry_run: bool = False,
        progress: Progress | bool | None = None,
        options: Mapping[str, str] | None = None,
    ) -> DroppedPartitions:
        """Drop the partitions to which nobody has written for so many days, compactions and clusterings counted.

        ``hoodie.partition.ttl.inline`` does so after each write. A partition that a compaction or clustering is planned
        for stays until that is run.

        Parameters
        ----------
        days
            Days since the last write; what ``hoodie.partition.ttl.strategy.days.retain`` says by default.
        dry_run
            Only say what would go.
        progress
            Called once it is done, with the number of partitions twice: it is one step. ``True`` shows a bar, for which
            tqdm must be installed.
        options
            Other ``hoodie.*`` options, such as ``hoodie.partition.ttl.strategy.partition.selected``.

        Returns
        -------
        DroppedPartitions
            The partitions that went, at most ``hoodie.partition.ttl.strategy.max.delete.partitions``.

        Raises
        ------
        INVALID_OPTION_VALUE
            Without a number of days.
        COMMIT_CONFLICT
            When another write has added rows to such a partition meanwhile.

        Examples
        --------
        >>> trips.expire_partitions(days=30, dry_run=True).partitions
        ()
        """
        asked = {} if days is None else {"hoodie.partition.ttl.strategy.days.retain": str(days)}
        given = {**(options or {}), **asked}
        rows = self._run("expire_partitions", given, dry_run, progress, step="expire partitions")
        return answers.dropped(rows)

    def doctor(
        self,
        fix: bool = False,
        *,
        deep: bool = False,
        progress: Progress | bool | None = None,
        options: Mapping[str, str] | None = None,
    ) -> list[Finding]:
        """Find damage of the table, and mend it where that does no harm.

        It looks for writes and services whose program is gone or not known, actions that were begun and not ended,
        clusterings that a restore left pending, files of the timeline and properties that are damaged, partitions
        without their metadata file, and what ended writes have left. Running writers are left alone, and nothing that
        may be committed is deleted.

        Parameters
        ----------
        fix
            Mend where it is safe; other findings say which decision is yours, and how to carry it out.
        deep
            Read the record keys of all rows, too, and tell which have several rows in a partition, or lie in a bucket
            that is not theirs; and compare all of the metadata table with the files, of which otherwise names and sizes
            are (:meth:`validate_metadata`). It costs as much as a query of the keys of the whole table, merged with all
            log files, so that it is not done unless it is asked for; and not as long as damaged properties or instants
            keep the table from being read.
        progress
            Called once it is done, with the number of findings twice: it is one step. ``True`` shows a bar, for which
            tqdm must be installed.
        options
            Other ``hoodie.*`` options. ``hoodie.clean.failed.writes.policy=EAGER`` says that no other program is at
            work.

        Returns
        -------
        list[Finding]
            Empty when nothing is wrong.

        Examples
        --------
        >>> trips.doctor()
        []
        """
        rows = self._run("doctor", options, False, progress, step="doctor", fix=fix, deep=deep)
        return [Finding(**row) for row in rows]

    def validate_metadata(self) -> list[MetadataDifference]:
        """Compare the metadata table that Apache Hudi keeps beside the table with the files of the table.

        Each partition of the metadata table that the properties list is read: names and sizes of files are compared
        with the folders, statistics of columns and bloom filters with the footers of base files, bounds of partitions
        with those of their files, and places of record keys with the file groups. Statistics of log files and the
        content of secondary and expression indexes have no equal in the files and are only read. Nothing is changed.

        Returns
        -------
        list[MetadataDifference]
            Empty when all is as it should be, and when there is no metadata table. Files of a write that runs
            meanwhile may be told, too.

        Examples
        --------
        >>> trips.validate_metadata()
        []
        """
        return [MetadataDifference(**row) for row in self._run("validate_metadata", None, False, None, step="validate")]

    def delete_savepoint(
        self,
        instant: str,
        *,
        dry_run: bool = False,
        progress: Progress | bool | None = None,
        options: Mapping[str, str] | None = None,
    ) -> Savepoint:
        """Give a saved state free: cleaning and archiving may take it from then on.

        Parameters
        ----------
        instant
            The write whose state is saved.
        dry_run
            Only say what would be given free.
        progress
            Called once it is done, with the number of files twice: it is one step. ``True`` shows a bar, for which
            tqdm must be installed.
        options
            Other ``hoodie.*`` options.

        Raises
        ------
        SAVEPOINT_NOT_FOUND
            When there is none of that instant.

        Examples
        --------
        >>> saved = trips.savepoint()
        >>> trips.delete_savepoint(saved.instant).files
        3
        >>> trips.savepoints()
        []
        """
        (freed,) = self._run(
            "delete_savepoint", options, dry_run, progress, "files", step="delete savepoint", instant_time=instant
        )
        return answers.savepoint(freed)

    def _call(self, procedure: str, **asked: Any) -> list[dict[str, Any]]:
        return driver.call(self.spark, procedure, self.path, **asked)

    def _run(
        self,
        procedure: str,
        options: Mapping[str, str] | None,
        dry_run: bool,
        progress: Progress | bool | None,
        counted: str | None = None,
        **asked: Any,
    ) -> list[dict[str, Any]]:
        given = {"options": options, "dry_run": dry_run or None, **asked}
        return run(self.spark, procedure, self.path, progress, counted, **given)


def located(spark: SparkSession, table: str) -> str:
    """The path of a table: what it is called by itself, unless the session knows a table of that name."""
    check(path=table)
    if driver.is_connect(spark):
        raised.install_remote()
    if not table:
        raise invalid("path", table, "it is empty")
    if "/" in table or not re.fullmatch(_NAME, table) or not spark.catalog.tableExists(table):
        return table
    (row,) = driver.call(spark, "path_of", None, table=table)
    return str(row["path"])


_ALIAS = "target"
# One to three parts, each a plain word or in backticks.
_NAME = r"(?:\w+|`[^`]+`)(?:\.(?:\w+|`[^`]+`)){0,2}"
_FILE = tuple(field.name for field in fields(inspect.DataFile))


def _one_or_more(name: str, value: int) -> None:
    if value < 1:
        raise invalid(name, value, "it must be 1 or more")


def _with_strategy(options: Mapping[str, str] | None, strategy: str | None) -> dict[str, str]:
    return {**(options or {}), **({"hoodie.compaction.strategy": strategy} if strategy else {})}
