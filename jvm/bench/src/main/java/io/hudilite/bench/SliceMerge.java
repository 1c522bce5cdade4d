package io.hudilite.bench;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.openjdk.jmh.annotations.*;

/** Reads a slice with two log files, each with 5 % of its rows; its base file alone is the yardstick. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class SliceMerge {

    private MergeOnReadTable table;

    @Setup
    public void open() throws IOException {
        table = new MergeOnReadTable();
    }

    @TearDown
    public void close() throws IOException {
        table.delete();
    }

    @Benchmark
    public void snapshot() {
        scan("snapshot");
    }

    @Benchmark
    public void readOptimized() {
        scan("read_optimized");
    }

    private void scan(String query) {
        Dataset<Row> rows = table.spark.read().format("hudilite").option("hoodie.datasource.query.type", query)
            .load(table.path());
        rows.write().format("noop").mode("overwrite").save();
    }
}
