package io.anneal.cli.sstable;

import java.util.List;

/**
 * What of an SSTable is dumped and how, as sstabledump's options.
 *
 * @param keysOnly keys of partitions and nothing else ({@code -e}); the lists of keys do not count then
 * @param partitionPerLine a partition a line ({@code -l})
 * @param rawTimes times as numbers instead of ISO 8601 ({@code -t})
 * @param keys partitions to dump ({@code -k}), all when empty; a composite key's parts are joined by colons
 * @param excludedKeys partitions to leave out ({@code -x})
 */
public record DumpOptions(
        boolean keysOnly, boolean partitionPerLine, boolean rawTimes, List<String> keys, List<String> excludedKeys) {
    public DumpOptions {
        keys = List.copyOf(keys);
        excludedKeys = List.copyOf(excludedKeys);
    }
}
