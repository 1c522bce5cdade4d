package io.hudilite.bench;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.*;

/** Looks a sixth of the keys of a slice with two log files up, with a column that a condition asks for and no row has. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class LoggedLookup {

    @Benchmark
    public void lookup(MergeOnReadTable table) {
        table.spark.range(0, MergeOnReadTable.ROWS, 6, 1).selectExpr("lpad(cast(id as string), 20, '0') key")
            .createOrReplaceTempView("wanted");
        table.spark.sql("MERGE INTO hudilite.`" + table.path() + "` t USING wanted s ON t.key = s.key "
            + "WHEN MATCHED AND t.note = 'none' THEN DELETE");
    }
}
