package io.hudilite.bench;

import java.util.concurrent.TimeUnit;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.openjdk.jmh.annotations.*;

/** Reads a slice with two log files, each with 5 % of its rows; its base file alone is the yardstick. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class SliceMerge {

    @Benchmark
    public void snapshot(MergeOnReadTable table) {
        scan(table, "snapshot");
    }

    @Benchmark
    public void readOptimized(MergeOnReadTable table) {
        scan(table, "read_optimized");
    }

    private void scan(MergeOnReadTable table, String query) {
        Dataset<Row> rows = table.spark.read().format("hudilite").option("hoodie.datasource.query.type", query)
            .load(table.path());
        rows.write().format("noop").mode("overwrite").save();
    }
}
