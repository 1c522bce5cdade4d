package io.hudilite.bench;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.hudilite.metadata.MetadataKeys;

import org.apache.hudi.metadata.HoodieTableMetadataUtil;
import org.openjdk.jmh.annotations.*;

/** Deals 10,000 record keys to the ten file groups of a record index; Hudi's own function is the yardstick. A text keeps its
 * hash, so each key is made anew, as one of a row is; {@link #text} tells what that alone costs. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class KeyHash {

    private static final int KEYS = 10_000;
    private static final int GROUPS = 10;

    private final byte[][] keys = new byte[KEYS][];

    @Setup
    public void open() {
        for (int i = 0; i < KEYS; i++)
            keys[i] = new UUID(i * 0x9e3779b97f4a7c15L, i).toString().getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] key) {
        return new String(key, StandardCharsets.UTF_8);
    }

    @Benchmark
    public int shard() {
        int sum = 0;
        for (byte[] key : keys) sum += MetadataKeys.groupOf(text(key), GROUPS);
        return sum;
    }

    @Benchmark
    public int shardHudi() {
        int sum = 0;
        for (byte[] key : keys) sum += HoodieTableMetadataUtil.mapRecordKeyToFileGroupIndex(text(key), GROUPS);
        return sum;
    }

    @Benchmark
    public int text() {
        int sum = 0;
        for (byte[] key : keys) sum += text(key).charAt(0);
        return sum;
    }
}
