package io.hudilite.bench;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

import io.hudilite.spark.basefile.read.SelectedVector;
import io.hudilite.spark.slice.deliver.RowOverwriter;
import io.hudilite.spark.slice.deliver.RowOverwriter$;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.execution.hudilite.RowColumns;
import org.apache.spark.sql.execution.vectorized.Dictionary;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.unsafe.types.UTF8String;
import org.openjdk.jmh.annotations.*;

import scala.Tuple2;
import scala.collection.mutable.ArrayBuffer;

/** A batch of a base file, filled as a reader fills it, in which a log replaces rows, and whose values are read then.
 *
 * The rows are written over the old ones, or delivered behind them with a selection on top, or all rows are copied to new
 * vectors by Spark's converter. A batch without changes tells what filling and reading cost. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class RowOverwrite {

    private static final int ROWS = 4096;
    private static final int ZONES = 1000;
    private static final StructType SCHEMA = StructType.fromDDL("key string, ts bigint, note string, zone int, "
        + "fare double, amount decimal(12,2), at timestamp, flag boolean");

    /** One row of so many is replaced. */
    @Param({"100", "10"})
    public int every;

    private final byte[][] keys = new byte[ROWS][];
    private final byte[][] notes = new byte[ROWS][];
    private final InternalRow[] news = new InternalRow[ROWS];
    private final Dictionary zones = new Zones();
    private final int[] selection = new int[ROWS];
    private final WritableColumnVector[] vectors = OnHeapColumnVector.allocateColumns(ROWS, SCHEMA);
    private final WritableColumnVector[] others = OnHeapColumnVector.allocateColumns(ROWS, SCHEMA);
    private final RowColumns converter = new RowColumns(SCHEMA);
    private final ColumnarBatch whole = new ColumnarBatch(vectors);
    private final ColumnarBatch behind = new ColumnarBatch(others);
    private ColumnarBatch selected;
    private RowOverwriter overwriter;

    @Setup
    public void open() {
        ArrayBuffer<Tuple2<ColumnVector, Object>> columns = new ArrayBuffer<>();
        ColumnVector[] views = new ColumnVector[vectors.length];
        for (int i = 0; i < vectors.length; i++) {
            columns.$plus$eq(new Tuple2<>(vectors[i], i));
            views[i] = new SelectedVector(vectors[i], selection);
        }
        selected = new ColumnarBatch(views);
        for (int i = 0; i < ROWS; i++) {
            keys[i] = String.format("%020d", i).getBytes(StandardCharsets.UTF_8);
            notes[i] = String.format("note %030d", i * 7919L).getBytes(StandardCharsets.UTF_8);
            news[i] = new GenericInternalRow(new Object[] {UTF8String.fromBytes(keys[i]), i + 1L,
                UTF8String.fromBytes(notes[(i + 1) % ROWS]), i % ZONES, i / 3.0, Decimal.apply(i * 11L, 12, 2),
                i * 1000L, i % 3 == 0});
        }
        fill();
        overwriter = RowOverwriter$.MODULE$.of(columns.toSeq()).get();
    }

    private static final class Zones implements Dictionary {
        @Override
        public int decodeToInt(int id) {
            return id * 3;
        }

        @Override
        public long decodeToLong(int id) {
            throw new UnsupportedOperationException();
        }

        @Override
        public float decodeToFloat(int id) {
            throw new UnsupportedOperationException();
        }

        @Override
        public double decodeToDouble(int id) {
            throw new UnsupportedOperationException();
        }

        @Override
        public byte[] decodeToBinary(int id) {
            throw new UnsupportedOperationException();
        }
    }

    private void fill() {
        for (WritableColumnVector vector : vectors) vector.reset();
        WritableColumnVector ids = vectors[3].reserveDictionaryIds(ROWS);
        vectors[3].setDictionary(zones);
        for (int i = 0; i < ROWS; i++) {
            vectors[0].putByteArray(i, keys[i], 0, keys[i].length);
            vectors[1].putLong(i, i);
            vectors[2].putByteArray(i, notes[i], 0, notes[i].length);
            ids.putInt(i, i % ZONES);
            vectors[4].putDouble(i, i / 7.0);
            vectors[5].putLong(i, i * 13L);
            vectors[6].putLong(i, i * 1000L);
            vectors[7].putBoolean(i, i % 2 == 0);
        }
        whole.setNumRows(ROWS);
    }

    private static long read(ColumnarBatch batch) {
        long sum = 0;
        int rows = batch.numRows();
        for (int i = 0; i < rows; i++) {
            if (!batch.column(0).isNullAt(i)) sum += batch.column(0).getUTF8String(i).numBytes();
            if (!batch.column(1).isNullAt(i)) sum += batch.column(1).getLong(i);
            if (!batch.column(2).isNullAt(i)) sum += batch.column(2).getUTF8String(i).numBytes();
            if (!batch.column(3).isNullAt(i)) sum += batch.column(3).getInt(i);
            if (!batch.column(4).isNullAt(i)) sum += (long) batch.column(4).getDouble(i);
            if (!batch.column(5).isNullAt(i)) sum += batch.column(5).getDecimal(i, 12, 2).toUnscaledLong();
            if (!batch.column(6).isNullAt(i)) sum += batch.column(6).getLong(i);
            if (!batch.column(7).isNullAt(i) && batch.column(7).getBoolean(i)) sum++;
        }
        return sum;
    }

    @Benchmark
    public long unchanged() {
        fill();
        return read(whole);
    }

    @Benchmark
    public long overwritten() {
        fill();
        for (int i = 0; i < ROWS; i += every) if (overwriter.canHold(news[i])) overwriter.overwrite(i, news[i]);
        return read(whole);
    }

    @Benchmark
    public long selected() {
        fill();
        for (WritableColumnVector vector : others) vector.reset();
        int kept = 0;
        for (int i = 0; i < ROWS; i++)
            if (i % every == 0) converter.append(news[i], others);
            else selection[kept++] = i;
        selected.setNumRows(kept);
        behind.setNumRows(ROWS - kept);
        return read(selected) + read(behind);
    }

    @Benchmark
    public long copied() {
        fill();
        for (WritableColumnVector vector : others) vector.reset();
        for (int i = 0; i < ROWS; i++) converter.append(i % every == 0 ? news[i] : whole.getRow(i), others);
        behind.setNumRows(ROWS);
        return read(behind);
    }
}
