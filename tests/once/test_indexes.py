"""Indexes that a table has, and advice which one fits: through the Python front door and the command line."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conditions import fails_with
from engines import IN_BUCKETS, INDEX, Engine, Shape, frame, record
from pyspark.sql import DataFrame, SparkSession

import hudilite
from hudilite import Advice, cli
from hudilite.report import page, sources

MIB = 1024 * 1024
LOGGED = {"hoodie.datasource.write.table.type": "MERGE_ON_READ"}
#: Each write makes files of its own.
APART = {"hoodie.parquet.small.file.limit": "0", "hoodie.clean.automatic": "false"}


def rows(spark: SparkSession, start: int, end: int, key: str = "sha1(cast(id AS string))") -> DataFrame:
    """Rows of one partition, by default with keys in no order."""
    columns = (f"{key} id", "1L ts", "'p' dt", "'c' colour", "1.0D price")
    return spark.range(start, end, 1, 1).selectExpr(*columns)


def state(path: Path) -> set[tuple[str, int]]:
    """Files of a table by name and time of their change."""
    return {(str(file.relative_to(path)), file.stat().st_mtime_ns) for file in path.rglob("*") if file.is_file()}


def inserted(lite: Engine, path: Path, batches: int, key: str, **options: str) -> None:
    for n in range(batches):
        batch = rows(lite.spark, 100 * n, 100 * (n + 1), key)
        lite.write(batch, path, "insert", **Shape(extra=APART | options).options())


def advised(lite: Engine, path: Path, most_files: int = 512, index: str = "SIMPLE") -> Advice:
    """Advice, which changes nothing."""
    before = state(path)
    advice = hudilite.table(lite.spark, str(path)).advise(most_files, options={INDEX: index})
    assert state(path) == before
    assert advice.why.startswith(f"{advice.index}, since ") and advice.why.endswith(" read.") and "\n" not in advice.why
    return advice


def test_keys_in_order_need_no_filter_and_keys_in_no_order_do(lite: Engine, path: Path) -> None:
    ordered, random = path / "ordered", path / "random"
    inserted(lite, ordered, 4, "format_string('k%06d', id)")
    inserted(lite, random, 4, "sha1(cast(id AS string))")
    advice = advised(lite, ordered)
    assert (advice.index, advice.files_probed.key, advice.files_probed.last_upsert) == ("SIMPLE", 1.0, None)
    lite.write(rows(lite.spark, 100, 110), random)
    advice = advised(lite, random)
    assert (advice.index, advice.files, advice.files_read) == ("BLOOM", 4, 4)
    assert advice.files_probed == hudilite.FilesProbed(1.0, 1.0)
    assert (advice.false_positives, advice.buckets, advice.file_bytes) == (0.0, 1, 120 * MIB)
    assert "filters leave 1.0 of them (0 of 16,384 absent keys pass)" in advice.why
    assert advised(lite, random, index="GLOBAL_SIMPLE").index == "GLOBAL_BLOOM"
    few = advised(lite, random, 3)
    assert (few.files_read, few.files) == (3, 4) and "; 3 of 4 footers read." in few.why


def test_filters_that_hold_too_many_keys_are_measured(lite: Engine, path: Path) -> None:
    small = {"hoodie.bloom.index.filter.type": "SIMPLE", "hoodie.index.bloom.num_entries": "50",
             "hoodie.index.bloom.fpp": "0.1"}  # fmt: skip
    inserted(lite, path, 3, "sha1(cast(id AS string))", **small)
    advice = advised(lite, path)
    assert advice.false_positives is not None and 0.2 < advice.false_positives < 0.6
    assert advice.files_probed.key == pytest.approx(1 + 2 * advice.false_positives, rel=0.1)
    assert re.search(r"[\d,]+ of 12,288 absent keys pass", advice.why)


def test_a_logged_table_whose_upserts_go_everywhere_fits_buckets_and_keeps_those_it_has(
    lite: Engine, path: Path
) -> None:
    logged, dealt = path / "logged", path / "dealt"
    inserted(lite, logged, 3, "sha1(cast(id AS string))", **LOGGED)
    lite.write(rows(lite.spark, 0, 300).where("ts = 1 AND id LIKE '%1'"), logged)
    assert list(logged.glob("p/.*.log.*")), "the upsert went to logs"
    advice = advised(lite, logged)
    assert (advice.index, advice.buckets, advice.files_probed) == ("BUCKET", 1, hudilite.FilesProbed(1.0, 3.0))
    lite.write(rows(lite.spark, 0, 300), dealt, **Shape(extra=IN_BUCKETS | LOGGED).options())
    lite.write(rows(lite.spark, 0, 300), dealt)
    advice = advised(lite, dealt)
    assert (advice.index, advice.buckets, advice.files_probed.key) == ("BUCKET", 1, 1.0)
    assert "the table has 4 buckets in a partition" in advice.why
    (_, buckets) = hudilite.table(lite.spark, str(dealt)).indexes()
    assert (buckets.name, buckets.place, buckets.columns) == ("buckets", "file ids", ("id",))
    assert (buckets.entries, buckets.files, buckets.bytes) == (4, 4, 0)


def test_odd_tables_are_advised_of_and_have_a_page(lite: Engine, path: Path) -> None:
    table = hudilite.table(lite.spark, str(path))
    lite.spark.sql(f"CREATE TABLE hudilite.`{path}` (id INT, v STRING) TBLPROPERTIES (primaryKey = 'id')")
    empty = advised(lite, path)
    assert (empty.index, empty.files, empty.files_probed.key, empty.false_positives) == ("SIMPLE", 0, 0.0, None)
    assert table.indexes() == []
    keyless = path.parent / "keyless"
    lite.spark.range(9).write.format("hudilite").mode("append").save(str(keyless))
    without = advised(lite, keyless)
    assert (without.index, without.buckets) == ("SIMPLE", None) and "keys are generated" in without.why
    twice = path.parent / "twice"
    for _ in range(2):
        lite.write(rows(lite.spark, 0, 50), twice, "insert", **Shape(extra=APART).options())
    assert (advised(lite, twice).index, advised(lite, twice).files_probed.key) == ("BLOOM", 1.0)
    for made in (path, keyless, twice):
        html = page.html(sources.with_spark(lite.spark, str(made)))
        assert "Index that fits" in html and "footers read." in html
    assert "Index that fits" not in page.html(sources.without_spark(str(twice)))


def test_a_damaged_footer_is_named(lite: Engine, path: Path) -> None:
    inserted(lite, path, 1, "sha1(cast(id AS string))")
    (file,) = path.glob("p/*.parquet")
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    file.write_bytes(file.read_bytes()[:-4] + b"what")
    table = hudilite.table(lite.spark, str(path))
    for call in (table.advise, table.indexes):
        with fails_with("CORRUPT_FILE"):
            call()


def test_indexes_of_apache_hudi_are_told_with_their_cost_and_damage(
    spark: SparkSession, golden_copy: Callable[[str], Path]
) -> None:
    path = golden_copy("metadata-table-v9")
    table = hudilite.table(spark, str(path))
    found = {index.name: index for index in table.indexes()}
    assert set(found) == {"bloom_filters", "column_stats", "files", "partition_stats", "record_index",
                          "bloom_filters_of_footers"}  # fmt: skip
    stored = [index for index in found.values() if index.place == "metadata table"]
    assert all(not i.problem and i.bytes and i.entries and i.files_read == i.files and i.maintained for i in stored)
    newest = table.history(limit=1)[0].time
    assert all(index.commits[0].instant == newest for index in stored)
    assert found["files"].commits[0].bytes > 0 and table.validate_metadata() == [] and table.doctor() == []
    said = [row.asDict(True) for row in spark.sql(f"SHOW INDEXES FROM hudilite.`{path}`").collect()]
    assert [row["index_name"] for row in said] == [index.name for index in table.indexes()]
    for file in (path / ".hoodie" / "metadata" / "record_index").glob(".record-index-0003-0_*"):
        file.unlink()
    broken = {index.name: index for index in table.indexes()}
    assert [name for name, index in broken.items() if index.problem] == ["record_index"]
    assert broken["record_index"].entries is None and "is gone" in broken["record_index"].problem
    assert ("NOT_TRUSTED", "record_index") in [(d.kind, d.file) for d in table.validate_metadata()]
    assert [finding.kind for finding in table.doctor(deep=True)] == ["WRONG_METADATA"]
    shutil.rmtree(path / ".hoodie" / "metadata")
    assert {index.problem for index in table.indexes() if index.place == "metadata table"} == {
        "it is listed, but not there"
    }
    assert table.advise().files == found["bloom_filters_of_footers"].files


def test_the_shell_says_both(lite: Engine, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named = {"hoodie.metadata.enable": "true"}
    for n in range(2):
        lite.write(frame(lite.spark, [record("k", n, "2026-01-01")]), path, **Shape(extra=named).options())
    (files, _) = hudilite.table(lite.spark, str(path)).indexes()
    assert (files.name, files.entries, files.files, files.problem) == ("files", 2, 1, "")
    assert files.maintained == hudilite.table(lite.spark, str(path)).history(limit=1)[0].time
    assert cli.main(["advise", str(path), "--json"]) == 0
    (said,) = json.loads(capsys.readouterr().out)
    advice = hudilite.table(lite.spark, str(path)).advise()
    assert said["why"] == advice.why and said["probed_by_key"] == 1.0 and said["probed_by_upsert"] == 1.0
    assert cli.main(["advise", str(path), "--most-files", "1"]) == 0
    assert "1 of 1 footer read." in capsys.readouterr().out
    assert cli.main(["indexes", str(path)]) == 0
    assert "bloom_filters_of_footers" in capsys.readouterr().out
    assert cli.main(["validate-metadata", str(path)]) == 0
    assert capsys.readouterr().out == "(none)\n"
    assert cli.main(["advise", str(path / "nothing")]) == 1
    assert capsys.readouterr().err.startswith("error: [TABLE_NOT_FOUND] ")
    with pytest.raises(SystemExit):
        cli.main(["indexes", str(path), "--most-files", "0"])
