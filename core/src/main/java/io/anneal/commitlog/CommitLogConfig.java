package io.anneal.commitlog;

/**
 * How a commit log is laid out.
 *
 * @param segmentSizeBytes of a segment's file; a larger mutation gets a larger file of its own
 * @param sectionSizeBytes how much is collected before it is written even without being told to; also what a write holds in
 *     memory, outside of the heap
 * @param compression whether sections are compressed with LZ4
 * @param recycledSegmentsMax how many released files are kept to be used again: syncing such a file changes no sizes and is
 *     cheaper
 */
public record CommitLogConfig(
        int segmentSizeBytes, int sectionSizeBytes, boolean compression, int recycledSegmentsMax) {
    /** Of a segment's file that no larger mutation needs. */
    public static final int SEGMENT_SIZE_MAX_BYTES = 1 << 30;

    private static final int SEGMENT_SIZE_DEFAULT_BYTES = 32 << 20;
    private static final int SECTION_SIZE_DEFAULT_BYTES = 256 << 10;
    private static final int RECYCLED_SEGMENTS_DEFAULT = 8;

    private static final int SECTION_SIZE_MIN_BYTES = 512;

    public CommitLogConfig {
        if (sectionSizeBytes < SECTION_SIZE_MIN_BYTES
                || sectionSizeBytes > segmentSizeBytes / 2
                || segmentSizeBytes > SEGMENT_SIZE_MAX_BYTES
                || recycledSegmentsMax < 0) {
            throw new IllegalArgumentException("sizes of the commit log are out of range, segmentSizeBytes="
                    + segmentSizeBytes + ", sectionSizeBytes=" + sectionSizeBytes + ", recycledSegmentsMax="
                    + recycledSegmentsMax);
        }
    }

    public static CommitLogConfig defaults() {
        return new CommitLogConfig(
                SEGMENT_SIZE_DEFAULT_BYTES, SECTION_SIZE_DEFAULT_BYTES, false, RECYCLED_SEGMENTS_DEFAULT);
    }

    /** Sections become smaller where they would not fit. */
    public CommitLogConfig withSegmentSizeBytes(int bytes) {
        return new CommitLogConfig(bytes, Math.min(sectionSizeBytes, bytes / 2), compression, recycledSegmentsMax);
    }

    public CommitLogConfig withSectionSizeBytes(int bytes) {
        return new CommitLogConfig(segmentSizeBytes, bytes, compression, recycledSegmentsMax);
    }

    public CommitLogConfig withCompression(boolean compressed) {
        return new CommitLogConfig(segmentSizeBytes, sectionSizeBytes, compressed, recycledSegmentsMax);
    }

    public CommitLogConfig withRecycledSegmentsMax(int count) {
        return new CommitLogConfig(segmentSizeBytes, sectionSizeBytes, compression, count);
    }
}
