package io.hudilite.bench;

import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.hudilite.metadata.ColumnStatistics;
import io.hudilite.metadata.RecordMerge;
import io.hudilite.metadata.StatType;
import io.hudilite.metadata.StatValue;

import org.apache.hudi.avro.model.DoubleWrapper;
import org.apache.hudi.avro.model.HoodieMetadataColumnStats;
import org.apache.hudi.avro.model.LongWrapper;
import org.apache.hudi.avro.model.StringWrapper;
import org.apache.hudi.metadata.HoodieTableMetadataUtil;
import org.openjdk.jmh.annotations.*;

import scala.Option;
import scala.Some;

/** Merges the statistics of a column of 1,000 files to those of their partition; Hudi's own function is the yardstick. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class StatisticsMerge {

    private static final int FILES = 1000;

    @Param({"long", "double", "text"})
    public String column;

    private final ColumnStatistics[] own = new ColumnStatistics[FILES];
    private final HoodieMetadataColumnStats[] hudis = new HoodieMetadataColumnStats[FILES];

    @Setup
    public void make() {
        Random random = new Random(5);
        for (int i = 0; i < FILES; i++) {
            long low = random.nextInt();
            String text = new UUID(random.nextLong(), i).toString();
            switch (column) {
                case "long" -> file(i, StatType.Long(), new StatValue.Int64(low), new StatValue.Int64(low + i),
                    new LongWrapper(low), new LongWrapper(low + i));
                case "double" -> file(i, StatType.Double(), new StatValue.Float64(low / 7.0),
                    new StatValue.Float64(low / 7.0 + i), new DoubleWrapper(low / 7.0), new DoubleWrapper(low / 7.0 + i));
                case "text" -> file(i, StatType.Text(), new StatValue.Text(text), new StatValue.Text(text + i),
                    new StringWrapper(text), new StringWrapper(text + i));
                default -> throw new IllegalStateException(column);
            }
        }
    }

    private void file(int i, int type, StatValue low, StatValue high, Object lowOfHudi, Object highOfHudi) {
        String name = "file-" + i;
        own[i] = new ColumnStatistics(name, "c", Some.apply(low), Some.apply(high), 1000L, i, 4000L, 8000L, false,
            false, Some.apply(new StatType(type, Option.empty())));
        hudis[i] = HoodieMetadataColumnStats.newBuilder().setFileName(name).setColumnName("c").setMinValue(lowOfHudi)
            .setMaxValue(highOfHudi).setValueCount(1000L).setNullCount((long) i).setTotalSize(4000L)
            .setTotalUncompressedSize(8000L).setIsDeleted(false).setIsTightBound(false).build();
    }

    @Benchmark
    public ColumnStatistics merge() {
        ColumnStatistics all = own[0];
        for (int i = 1; i < FILES; i++) all = RecordMerge.together(all, own[i]).get();
        return all;
    }

    @Benchmark
    public HoodieMetadataColumnStats mergeHudi() {
        HoodieMetadataColumnStats all = hudis[0];
        for (int i = 1; i < FILES; i++) all = HoodieTableMetadataUtil.mergeColumnStatsRecords(all, hudis[i]);
        return all;
    }
}
