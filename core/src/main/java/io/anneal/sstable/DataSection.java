package io.anneal.sstable;

/**
 * Partitions that follow one another in the data.
 *
 * @param start where the first begins in the uncompressed data
 * @param end where the last ends
 */
public record DataSection(long start, long end) {
    public DataSection {
        if (start < 0 || end <= start) {
            throw new IllegalArgumentException("section has no place in the data, start=" + start + ", end=" + end);
        }
    }

    public long lengthBytes() {
        return end - start;
    }
}
