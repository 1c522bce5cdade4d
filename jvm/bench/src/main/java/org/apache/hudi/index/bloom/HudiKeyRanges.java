package org.apache.hudi.index.bloom;

import java.util.List;
import java.util.Map;

/** Hudi's ranges of files, which only its own package sees. */
public final class HudiKeyRanges {

    private final IndexFileFilter filter;

    public HudiKeyRanges(String partition, List<BloomIndexFileInfo> files) {
        filter = new IntervalTreeBasedIndexFileFilter(Map.of(partition, files));
    }

    /** Number of files that may have a key. */
    public int filesWith(String partition, String key) {
        return filter.getMatchingFilesAndPartition(partition, key).size();
    }
}
