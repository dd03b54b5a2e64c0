package io.anneal.commitlog;

import io.anneal.commitlog.SegmentFiles.NamedFile;
import io.anneal.io.Directories;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Where segments come from and go to: gives out ids, takes files that waited for another life before new ones, and knows
 * whether the directory must be synced. A file is written again only when it is sure that it has lost its old name: else a
 * machine that stops might bring that name back, with other content. One thread.
 */
final class SegmentPool {
    private final Path directory;
    private final long recycledSizeMaxBytes;
    private final int recycledMax;
    /** Free to be used. */
    private final Deque<Path> recycled = new ArrayDeque<>();
    /** Renamed since the directory was synced. */
    private final Deque<Path> renamed = new ArrayDeque<>();

    private long nextSegmentId;
    private boolean directorySynced = true;

    private SegmentPool(Path directory, CommitLogConfig config, long nextSegmentId) {
        this.directory = directory;
        this.nextSegmentId = nextSegmentId;
        recycledSizeMaxBytes = config.segmentSizeBytes();
        recycledMax = config.recycledSegmentsMax();
    }

    /** Takes over what an earlier process had set aside. */
    static SegmentPool open(Path directory, CommitLogConfig config, List<NamedFile> segments, long segmentIdFloor)
            throws IOException {
        List<NamedFile> waiting = SegmentFiles.recycled(directory);
        long largestId = Math.max(0, segmentIdFloor);
        for (NamedFile file : segments) {
            largestId = Math.max(largestId, file.id());
        }
        for (NamedFile file : waiting) {
            largestId = Math.max(largestId, file.id());
        }
        SegmentPool pool = new SegmentPool(directory, config, largestId + 1);
        for (NamedFile file : waiting) {
            if (pool.wants(file.file())) {
                pool.renamed.add(file.file());
                // A process that was killed may have renamed it and not synced that.
                pool.directorySynced = false;
            } else {
                SegmentFiles.delete(file.file());
            }
        }
        return pool;
    }

    private boolean wants(Path file) throws StorageException {
        return recycled.size() + renamed.size() < recycledMax && SegmentFiles.size(file) <= recycledSizeMaxBytes;
    }

    long nextSegmentId() {
        return nextSegmentId;
    }

    LogSegment begin(long sessionId, long capacityBytes, OutputFile.Opener opener) throws StorageException {
        long id = nextSegmentId++;
        Path file = SegmentFiles.segment(directory, id);
        directorySynced = false;
        if (!recycled.isEmpty() && capacityBytes <= recycledSizeMaxBytes) {
            SegmentFiles.rename(recycled.remove(), file);
        }
        return LogSegment.open(file, id, capacityBytes, header(id, sessionId), opener);
    }

    private static ByteBuffer header(long id, long sessionId) {
        ByteBuffer header = ByteBuffer.allocate(SegmentLayout.HEADER_BYTES);
        header.putInt(SegmentLayout.MAGIC_OFFSET, SegmentLayout.HEADER_MAGIC);
        header.putInt(SegmentLayout.VERSION_OFFSET, SegmentLayout.VERSION);
        header.putLong(SegmentLayout.SEGMENT_ID_OFFSET, id);
        header.putLong(SegmentLayout.SESSION_ID_OFFSET, sessionId);
        int checksum = SegmentLayout.headerChecksum(new CRC32C(), header);
        header.clear();
        header.putInt(SegmentLayout.HEADER_CHECKSUM_OFFSET, checksum);
        return header;
    }

    /** Sets aside the file of a segment that nobody needs, or deletes it when enough wait. Its channel must be closed. */
    void giveBack(Path file, long id) throws StorageException {
        directorySynced = false;
        if (wants(file)) {
            Path waiting = SegmentFiles.recycled(directory, id);
            SegmentFiles.rename(file, waiting);
            renamed.add(waiting);
        } else {
            SegmentFiles.delete(file);
        }
    }

    /** Deletes the file of a segment that no one may use again. */
    void discard(Path file) throws StorageException {
        directorySynced = false;
        SegmentFiles.delete(file);
    }

    void syncDirectory() throws StorageException {
        if (!directorySynced) {
            Directories.sync(directory);
            directorySynced = true;
            recycled.addAll(renamed);
            renamed.clear();
        }
    }
}
