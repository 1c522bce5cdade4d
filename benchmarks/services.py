"""Table services: small files put together, laid out anew, and deleted once nothing needs them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable

from changes import Changes
from data import PARTITIONS
from pyspark.sql import DataFrame
from systems import Table, Unsupported
from upkeep import Upkeep, upkeep

TITLES = {
    "W17.load": "bulk_insert into small files, 20 a partition for 2,000,000 rows",
    "W17": "small files put together as the format does by default (median of 5)",
    "W17.bytes": "the same with Hudi's strategy that copies row groups (median of 5)",
    "W17.rows": "the same by decoding and encoding every row (median of 5)",
    "W17.turns": "small files put together as bytes, taking turns with W17.rows.turns (median of 5)",
    "W17.rows.turns": "the same by decoding and encoding every row (median of 5)",
    "W17.scan": "scan + aggregate of the files that were put together",
    "W18": "small files sorted by one column (median of 5)",
    "W19": "small files in Z-order of two columns",
    "W20.load": "bulk_insert into 125 tiny files a partition",
    "W20.together": "1,000 tiny files put together",
    "W20": "the 1,000 files that nothing needs any more deleted",
}
FILE_ROWS = 12_500  # of small files, about a mebibyte and a half: so row groups are copied as bytes
TINY_FILES = 125  # a partition; with 8 partitions 1,000
REPEAT = 5  # of the services, each time on a table as it was loaded
WARM = 5  # before the timed ones, of putting files together: it is so short that compiling would be half of it
ORDER, CURVE = "zone", ["zone", "distance"]

Service = Callable[[Table], None]


class Services(Changes):
    """Groups of workloads in which a table looks after itself."""

    file_rows = FILE_ROWS

    def loaded(self, name: str, frame: DataFrame, files: int) -> Table:
        """A table of so many files a partition."""
        table = self.table(name)
        self.upkeep.load(self.spark, frame.repartition(files), table)
        return table

    @property
    def files(self) -> int:
        """Small files a partition."""
        return max(2, int(self.expect["base"]["count"]) // (self.file_rows * PARTITIONS))

    @property
    def upkeep(self) -> Upkeep:
        return upkeep(self.system)

    def services(self) -> dict[str, Service]:
        """Timed functions, by workload."""
        does, spark = self.upkeep, self.spark
        return {
            "W17": lambda table: does.together(spark, table),
            "W17.bytes": lambda table: does.together_as_bytes(spark, table),
            "W17.rows": lambda table: does.together_as_rows(spark, table),
            "W18": lambda table: does.sort(spark, table, ORDER),
            "W19": lambda table: does.curve(spark, table, CURVE),
        }

    def together(self) -> None:
        """A table of many small files that are put together."""
        self.small("W17")

    def copied(self) -> None:
        """Small files put together as bytes and by decoding and encoding rows, in turn in one warm process."""
        does, spark, source = self.upkeep, self.spark, self.table("small")
        self.upkeep.load(spark, self.batch("base").repartition(self.files), source)
        ways: dict[str, Service] = {
            "W17.turns": lambda table: does.together(spark, table),
            "W17.rows.turns": lambda table: does.together_as_rows(spark, table),
        }
        tables = {
            way: [self.again(source, f"{way.replace('.', '_').lower()}_{i}") for i in range(WARM + REPEAT)]
            for way in ways
        }
        for _ in range(WARM):
            for way, service in ways.items():
                service(tables[way].pop())
        self.rec.turns({w: lambda w=w, do=do: do(tables[w].pop()) for w, do in ways.items()}, REPEAT)  # type: ignore[misc]

    def small(self, only: str = "") -> None:
        """A table of many small files: they are put together, sorted, and laid out along a curve.

        Parameters
        ----------
        only
            How the names of those workloads begin that are run.
        """
        named = {name: service for name, service in self.services().items() if name.startswith(only)}
        services = {name: service for name, service in named.items() if self.is_known(service)}
        source, frame = self.table("small"), self.batch("base").repartition(self.files)
        expect = self.expect["base"]
        if self.rec.step(
            "W17.load", lambda _: self.upkeep.load(self.spark, frame, source), table=source, expect=expect
        ):
            for workload, service in services.items():
                warm = WARM if workload.startswith("W17") else 0
                self.served(workload, service, source, 1 if workload == "W19" else REPEAT, warm)

    def is_known(self, service: Service) -> bool:
        """Warms a service up on a small table, untimed; false when the system has no such."""
        table = self.loaded("warm", self.batch("base", tiny=True), 2)
        try:
            service(table)
            self.scan(table)
        except Unsupported:
            return False
        except Exception as error:  # which the timed step shall report
            print(f"   warming up: {error}", flush=True)
        return True

    def served(self, workload: str, service: Service, source: Table, repeat: int, warm: int = 0) -> None:
        """Times a service on tables as they were loaded, which are made beforehand; the contents stay as they are.

        Parameters
        ----------
        warm
            How often it runs before, untimed, on such tables, too.
        """
        name = workload.replace(".", "_").lower()
        tables = [self.again(source, f"{name}_{i}") for i in range(warm + repeat)]
        for table in tables[:warm]:
            service(table)
        timed = tables[warm:]
        expect = self.expect["base"]
        done = self.rec.step(workload, lambda i: service(timed[i]), repeat, timed[-1], expect)
        if done and workload == "W17":
            self.rec.step("W17.scan", lambda _: self.scan(timed[-1]), self.repeat)
        for table in tables:
            shutil.rmtree(table.path, ignore_errors=True)

    def again(self, source: Table, name: str) -> Table:
        """Another copy of the table; loaded again where a format names its files by absolute paths."""
        try:
            return self.system.copy(source, name)
        except Unsupported:
            return self.loaded(name, self.batch("base"), self.files)

    def expired(self) -> None:
        """A thousand files that were put together, and that nothing needs any more."""
        spark, frame = self.spark, self.batch("base", tiny=True)
        warm = self.loaded("warm", frame, 8)
        self.upkeep.together(spark, warm)
        try:
            self.upkeep.expire(spark, warm)
        except Unsupported:
            return
        table, scattered = self.table("expired"), frame.repartition(TINY_FILES)
        with open(os.path.join(self.tiny, "expect.json")) as f:
            expect = json.load(f)["base"]
        steps: dict[str, Service] = {
            "W20.load": lambda table: self.upkeep.load(spark, scattered, table),
            "W20.together": lambda table: self.upkeep.together(spark, table),
            "W20": lambda table: self.upkeep.expire(spark, table),
        }
        for workload, step in steps.items():
            if not self.rec.step(workload, lambda _, step=step: step(table), table=table, expect=expect):  # type: ignore[misc]
                return


GROUPS = ["small", "together", "copied", "expired"]
