package io.anneal.table;

/**
 * A live SSTable as the manifest knows it.
 *
 * @param generation in its file names
 * @param shard whose tokens alone it has, or {@link #SHARED}
 */
public record ListedSSTable(String generation, int shard) {
    /** Tokens of several shards: imported, or written under another rule. */
    public static final int SHARED = -1;

    public ListedSSTable {
        if (!ManifestContent.isGeneration(generation) || shard < SHARED) {
            throw new IllegalArgumentException(
                    "SSTable cannot be listed, generation=" + generation + ", shard=" + shard);
        }
    }
}
