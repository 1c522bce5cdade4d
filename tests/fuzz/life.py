"""Lives a case: does its steps with the connector, keeps the model beside it, and compares every answer."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import engines
import layout
from pyspark.sql import SparkSession

import hudilite
from fuzz import expected
from fuzz.compared import Compared, Difference
from fuzz.excluded import allowed
from fuzz.frames import Frames
from fuzz.other import other
from fuzz.queries import META, Queries, counted
from fuzz.replaced import stated
from fuzz.settings import TOGETHER, applied
from fuzz.state import KeyMovedTwice, State
from fuzz.statements import sql
from fuzz.steps import Case, Step
from fuzz.stored import Stored
from fuzz.tables import Pools, Row, Spec

PAST = "as.of.instant"
REPEATED = re.compile(
    r"\[REPEATED_KEY\] The base file (.*) of a .*? holds the record key (.*?) more than once", re.DOTALL
)
#: Errors of a service that must not run beside a write of another process.
REFUSED_BESIDE = ("WRITE_PENDING", "COMPACTION_NOT_POSSIBLE", "CLUSTERING_NOT_POSSIBLE")
COMPACTIONS = 3  # of which one does what was planned before, and one what a failing write asks for


class RepeatedKey(Exception):
    """A log cannot say which row of this key changes, since its base file has several."""

    def __init__(self, key: str, path: str) -> None:
        super().__init__(f"{key} in {path}")
        self.key, self.path = key, path


@dataclass
class Moment:
    """A completed write and the table after it."""

    instant: layout.Instant
    state: State


class Life:
    """One run of a case in a folder of its own."""

    def __init__(self, spark: SparkSession, case: Case, folder: Path) -> None:
        self.spark, self.case, self.path = spark, case, folder / "table"
        self.frames, self.state = Frames(spark), State(case.spec)
        self.compared = Compared(self.frames)
        self.moments: list[Moment] = []
        self.instants: set[str] = set()
        self.done: Counter[str] = Counter()  # changes by their kinds, without those that were skipped
        self.skipped = 0
        self.held_at = ""  # instant of a write that another process is held in

    @property
    def spec(self) -> Spec:
        """The table as it is now."""
        return self.state.spec

    @property
    def comparisons(self) -> int:
        """Queries that the table and the model have answered alike."""
        return self.compared.count

    def live(self) -> None:
        """All steps; raises `Difference` at the first wrong answer."""
        for number, step in enumerate(self.case.steps):
            try:
                self.step(step)
            except Difference as difference:
                raise Difference(f"step {number} ({told(step)}): {difference}") from None
        if self.moments and (found := self.handle.doctor()):
            raise Difference(f"the doctor finds: {found}")

    def step(self, step: Step) -> None:
        do = step["do"]
        if do in ("ask", "past", "changes"):
            if self.moments:
                getattr(self, do)(step)
        elif do in ("write", "replace") or self.moments:
            with applied(self.spark, step.get("settings", {})):
                done = self.changed(step)
            if done is not False:
                self.done["insert into" if do == "insert" else step.get("operation", do)] += 1
                self.after()

    # ---- changes

    def changed(self, step: Step) -> Any:
        """Does a change; one that a repeated key stops, as the error's advice says: after a compaction."""
        for _ in range(COMPACTIONS):
            try:
                return getattr(self, step["do"], self.statement)(step)
            except RepeatedKey as repeated:
                if (repeated.key, repeated.path) not in self.state.repeated:
                    raise Difference(f"no base file holds a key more than once: {repeated}") from repeated
                self.done["repeated key"] += 1
                self.compact(step)
                self.after()
        raise Difference(f"fails after {COMPACTIONS} compactions, too")

    def write(self, step: Step) -> bool:
        operation, rows = step["operation"], self.settled(step)
        columns = [(n, d) for n, d in step["columns"]]
        after = self.state.copy()
        after.begin(() if operation in ("delete", "delete_partition") else columns)
        combine = step["options"].get("hoodie.combine.before.insert") == "true"
        if not self.moments and operation in (
            "delete",
            "delete_partition",
            "insert_overwrite",
            "insert_overwrite_table",
        ):
            return False
        match operation:
            case "upsert":
                after.upsert(rows)
            case "insert" | "bulk_insert":
                after.insert(rows, combine)
            case "delete":
                after.delete(rows)
            case "delete_partition":
                after.drop({after.spec.partition_path(row) for row in rows})
            case _:
                after.overwrite(rows, operation.endswith("table"), combine)
        frame = self.frames.of(columns, rows)
        frame = frame.repartition(step["slices"]) if step["slices"] > 1 else frame
        options = {**({} if self.moments else self.spec.options()), **step["options"]}
        writer = frame.write.format("hudilite").options(**options)
        self.attempt(
            lambda: writer.option("hoodie.datasource.write.operation", operation).mode("append").save(str(self.path))
        )
        self.state = after
        return True

    def replace(self, step: Step) -> bool:
        """Another table in the place of this one. Where only its columns differ, its past is still there."""
        spec, columns = Spec.of(step["spec"]), [(n, d) for n, d in step["columns"]]
        after = self.state.replaced(spec, columns, step["rows"])
        writer = self.frames.of(columns, step["rows"]).write.format("hudilite")
        writer = writer.options(**stated(spec), **step["options"]).mode("overwrite")
        self.attempt(lambda: writer.save(str(self.path)))
        if replace(spec, columns=self.spec.columns) != self.spec:
            self.moments.clear()
        self.state = after
        return True

    def held(self, step: Step) -> Any:
        """A write of another process, which is held in its middle while this one goes on; then it comes last, or not at
        all where that has stood against it."""
        write = step["write"]
        write = {**write, "rows": self.settled(write)}
        self.held_at = other().begin(self.path, write)
        try:
            for beside in step["meanwhile"]:
                self.beside(beside)
        finally:
            condition = other().end()
            began, self.held_at = self.held_at, ""
        if condition == "COMMIT_CONFLICT" or (condition == "REPEATED_KEY" and self.spec.log):
            self.done.update(("held", "held in vain"))
            self.after()
            return False
        if condition:
            raise Difference(f"the held write failed with {condition}")
        after = self.state.copy()
        after.begin(() if write["operation"] == "delete" else [(n, d) for n, d in write["columns"]])
        combine = write["options"].get("hoodie.combine.before.insert") == "true"
        match write["operation"]:
            case "upsert":
                after.upsert(write["rows"])
            case "delete":
                after.delete(write["rows"])
            case _:
                after.insert(write["rows"], combine)
        self.state = after
        # States of times between its beginning and its end have its rows by now, and it is not the newest by each time.
        writes = layout.writes(self.path)
        newest = layout.Instant(max(i.requested for i in writes), max(i.completed for i in writes), "held")
        self.instants |= {i.requested for i in writes}
        self.moments = [*(m for m in self.moments if m.instant.requested < began), Moment(newest, after.copy())]
        return True

    def beside(self, step: Step) -> None:
        """A step while the other process is held, which a service may refuse."""
        try:
            self.step(step)
        except Difference as difference:
            # A write asks for a compaction where a key repeats.
            if step["do"] == "ask" or not any(f"[{c}]" in str(difference) for c in REFUSED_BESIDE):
                raise
            self.skipped += 1

    def settled(self, step: Step) -> list[Row]:
        """The rows of a write without those of which the answer is not settled."""
        state, spec = self.state, self.spec
        completes = spec.payload and spec.log and not allowed("late rows that complete others in logs")
        weighs = spec.event_time and not allowed("late rows of deleted keys")
        if step["operation"] != "upsert" or not (weighs or completes):
            return list(step["rows"])
        there = {state.identity(record): record for record in state.records}  # put back, or found where they are
        gone = state.buried - there.keys()
        rows = [row for row in step["rows"] if state.identity(state.record(row)) not in gone]
        return [row for row in rows if not (completes and state.is_late(row, there))]

    def statement(self, step: Step) -> bool:
        source = self.frames.of([(n, d) for n, d in step["columns"]], step["rows"]) if "rows" in step else None
        if source is not None:
            source.createOrReplaceTempView("s")
        options = {f"spark.datasource.hudilite.{k}": v for k, v in self.spec.always.items()}
        with applied(self.spark, options):
            try:
                outcome = expected.of(self.frames, self.state, step)
            except KeyMovedTwice:
                return self.refused(step, "KEY_MOVED_TWICE")
            if outcome is None:
                self.skipped += 1
                return False
            self.attempt(lambda: self.spark.sql(sql(step, self.name)))
        self.state = outcome
        return True

    def refused(self, step: Step, condition: str) -> bool:
        """The statement fails, and all rows are what they were."""
        try:
            self.spark.sql(sql(step, self.name))
        except Exception as error:
            if f"[{condition}]" in str(error):
                return True
            raise Difference(f"failed otherwise than with {condition}: {str(error)[:3000]}") from error
        raise Difference(f"does not fail with {condition}")

    def misdeal(self, step: Step) -> bool:
        """A write by another number of buckets than those that there are is refused before it begins."""
        if not self.state.records:
            return False
        before = layout.fingerprint(self.path)
        writer = self.frames.of([(n, d) for n, d in step["columns"]], step["rows"]).write.format("hudilite")
        writer = writer.options(**step["options"]).option("hoodie.datasource.write.operation", step["with"])
        try:
            writer.mode("append").save(str(self.path))
        except Exception as error:
            if f"the option {engines.BUCKETS} is not valid" in str(error):
                if layout.fingerprint(self.path) != before:
                    raise Difference("a refused write has left something") from error
                return True
            raise Difference(f"failed otherwise than by its number of buckets: {str(error)[:3000]}") from error
        raise Difference(f"a write by {step['options'][engines.BUCKETS]} buckets is not refused")

    def store(self, step: Step) -> bool:
        """Base files hold their decimals in other physical types from here on; the table is what it was."""
        stored = Stored(self.spark, random.Random(step["seed"]))
        return sum(stored.again(file) for file in layout.base_files(self.path)) > 0

    def compact(self, _: Step) -> None:
        self.attempt(lambda: self.handle.compact(options=self.spec.always))
        self.state.compact()

    def plan(self, _: Step) -> None:
        self.attempt(lambda: self.handle.schedule_compaction(options=self.spec.always))

    def fold(self, _: Step) -> None:
        options = {**self.spec.always, "hoodie.log.compaction.blocks.threshold": "2"}
        self.attempt(lambda: self.handle.compact(kind="log", options=options))

    def cluster(self, step: Step) -> None:
        self.attempt(lambda: self.handle.cluster(step["sort"], step["layout"], options=self.spec.always))

    def clean(self, step: Step) -> None:
        """Check that retained states answer from here on; others may be gone."""
        handle, retain = self.handle, step["retain"]
        earliest = handle.clean(retain=retain, dry_run=True, options=self.spec.always).earliest_retained
        self.attempt(lambda: handle.clean(retain=retain, options=self.spec.always))
        self.keep({m.instant.requested for m in self.moments if m.instant.requested >= earliest})

    def archive(self, _: Step) -> None:
        few = {
            "hoodie.clean.commits.retained": "1", "hoodie.keep.min.commits": "2", "hoodie.keep.max.commits": "3",
            "hoodie.timeline.compaction.batch.size": "2",
        }  # fmt: skip
        self.attempt(lambda: self.handle.archive(options={**self.spec.always, **few}))
        self.keep({commit.time for commit in self.handle.history()})

    def restore(self, step: Step) -> bool:
        """The table as it was after one of the writes whose states are whole."""
        number = int(step["when"] * len(self.moments))
        moment = self.moments[number]
        if moment.instant.requested == max(self.instants):
            return False
        self.attempt(lambda: self.handle.restore(moment.instant.requested))
        self.state = moment.state.copy()
        del self.moments[number + 1 :]
        return True

    def keep(self, instants: set[str]) -> None:
        """Forget the moments whose states need not be whole any more."""
        self.moments = [m for m in self.moments[:-1] if m.instant.requested in instants] + self.moments[-1:]

    def attempt(self, change: Any) -> None:
        """Do it; a failure is a difference, as none of these changes is one that the connector refuses."""
        try:
            change()
        except Exception as error:
            if self.spec.log and (said := REPEATED.search(str(error))):
                raise RepeatedKey(said[2], said[1].rpartition("/")[0]) from error
            raise Difference(f"failed: {str(error)[:3000]}") from error

    def after(self) -> None:
        """Take down the instant, and compare all rows."""
        new = [i for i in layout.writes(self.path) if i.requested not in self.instants]
        self.instants |= {i.requested for i in new}
        writes = [i for i in new if i.action != "commit" or not self.spec.log]
        if writes:
            self.moments.append(Moment(writes[0], self.state.copy()))
        everything = self.queries(self.state).everything()
        before = self.comparisons
        self.compared.of(self.load(), self.state, [everything, "SELECT count(*) AS c0 FROM {t}"])
        if self.comparisons < before + 2:
            raise Difference(f"neither the table nor the model shows all rows: {everything}")
        first = min((i.requested for i in layout.writes(self.path)), default="")
        archived = {instant for instant in self.instants if instant < first}
        strays = [file for file in layout.strays(self.path) if layout.instant_of(file) not in archived]
        held = self.held_at or "nothing"
        if left := [file for file in (*strays, *layout.leftovers(self.path)) if held not in str(file)]:
            raise Difference(f"left behind: {left}")

    # ---- questions

    def ask(self, step: Step) -> None:
        table = self.name if step["from"] == "path" else self.load()
        if step["from"] == "cache":
            self.spark.sql(f"CACHE TABLE {table}")
        try:
            self.compared.of(table, self.state, step["queries"], step["settings"])
            if counts := step.get("counts"):
                self.compared.of(table, self.state, [counted(counts)], TOGETHER)
        finally:
            if step["from"] == "cache":
                self.spark.sql(f"UNCACHE TABLE {table}")

    def past(self, step: Step) -> None:
        moment = self.moments[int(step["when"] * len(self.moments))]
        everything = self.queries(moment.state).everything()
        table = self.load(**{PAST: moment.instant.requested})
        self.compared.of(table, moment.state, [everything, *step["queries"]])

    def changes(self, step: Step) -> None:
        """Rows that the writes after `begin` and up to `end` wrote, as they were at the end."""
        begin, end = (self.moments[int(step[name] * len(self.moments))] for name in ("begin", "end"))
        weighs = self.spec.log or self.spec.payload
        if weighs and any(begin.state.commits < late <= end.state.commits for late in end.state.late):
            self.skipped += 1  # logs are read without what is below them, which a late row has lost to
            return
        state = end.state.copy()
        state.records = [r for r in state.records if r.commit > begin.state.commits]
        window = {
            "hoodie.datasource.query.type": "incremental",
            "hoodie.datasource.read.begin.instanttime": begin.instant.completed,
            "hoodie.datasource.read.end.instanttime": end.instant.completed,
        }
        self.compared.of(self.load(**window), state, [self.queries(state).everything()])

    # ---- what is compared

    @property
    def name(self) -> str:
        return f"hudilite.`{self.path}`"

    @property
    def handle(self) -> hudilite.HudiliteTable:
        return hudilite.table(self.spark, str(self.path))

    def load(self, **options: str) -> str:
        """A view of the table."""
        table = self.spark.read.format("hudilite").options(**options).load(str(self.path))
        table.select("*", *(column for column, _ in META)).createOrReplaceTempView("t")  # a view has no hidden columns
        return "t"

    def queries(self, state: State) -> Queries:
        return Queries(random.Random(0), state.spec, Pools(random.Random(0), state.spec), state.columns)


def told(step: Step) -> str:
    """A step in a few words."""
    if step["do"] == "write":
        return f"{step['operation']} of {len(step['rows'])} rows"
    return sql(step, "t")[:600] if step["do"] in ("update", "remove", "merge", "insert") else str(step["do"])
