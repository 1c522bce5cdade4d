package io.hudilite.bench;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.hudilite.spark.lookup.KeyRange;
import io.hudilite.spark.lookup.KeySort;

import org.apache.hudi.index.bloom.BloomIndexFileInfo;
import org.apache.hudi.index.bloom.HudiKeyRanges;
import org.apache.spark.unsafe.types.UTF8String;
import org.openjdk.jmh.annotations.*;

import scala.Option;
import scala.Some;

/** Finds for 20,000 random keys the files of a partition of 1,000 whose ranges have them; Hudi's interval tree, made anew as for
 * each write, is the yardstick. Keys come in no order; a lookup sorts them, since it goes through files in their order, and
 * {@link #found} with it. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class KeyRanges {

    private static final int KEYS = 20_000;
    private static final int FILES = 1000;

    /** So many files may have a key. */
    @Param({"1", "10", "100"})
    public int overlap;

    private final String[] keys = new String[KEYS];
    private final UTF8String[] keysAsBytes = new UTF8String[KEYS];
    private UTF8String[] sorted;
    private final List<Option<String>> least = new ArrayList<>();
    private final List<Option<String>> greatest = new ArrayList<>();
    private final List<BloomIndexFileInfo> files = new ArrayList<>();

    @Setup
    public void make() {
        Random random = new Random(11);
        for (int i = 0; i < KEYS; i++) {
            keys[i] = new UUID(random.nextLong(), random.nextLong()).toString();
            keysAsBytes[i] = UTF8String.fromBytes(keys[i].getBytes(StandardCharsets.UTF_8));
        }
        sorted = keysAsBytes.clone();
        KeySort.sort(sorted);
        TreeSet<String> bounds = new TreeSet<>();
        while (bounds.size() < FILES + overlap)
            bounds.add(new UUID(random.nextLong(), random.nextLong()).toString());
        List<String> all = new ArrayList<>(bounds);
        for (int i = 0; i < FILES; i++) {
            least.add(Some.apply(all.get(i)));
            greatest.add(Some.apply(all.get(i + overlap)));
            files.add(new BloomIndexFileInfo("file-" + i, all.get(i), all.get(i + overlap)));
        }
        if (found() != foundHudi()) throw new IllegalStateException(found() + " pairs, and " + foundHudi());
    }

    @Benchmark
    public long found() {
        UTF8String[] keys = keysAsBytes.clone();
        KeySort.sort(keys);
        return ofSorted(keys);
    }

    @Benchmark
    public long foundOfSorted() {
        return ofSorted(sorted);
    }

    private long ofSorted(UTF8String[] keys) {
        long pairs = 0;
        for (int i = 0; i < FILES; i++) pairs += KeyRange.within(keys, least.get(i), greatest.get(i)).length;
        return pairs;
    }

    @Benchmark
    public long foundHudi() {
        HudiKeyRanges ranges = new HudiKeyRanges("p", files);
        long pairs = 0;
        for (String key : keys) pairs += ranges.filesWith("p", key);
        return pairs;
    }
}
