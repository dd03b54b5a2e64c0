package io.anneal.compaction;

/**
 * How far a compaction is.
 *
 * @param totalBytes of uncompressed data that will be read
 * @param writtenBytes of uncompressed data
 */
public record CompactionProgress(
        long readBytes, long totalBytes, long writtenBytes, long partitionCount, long rowCount) {}
