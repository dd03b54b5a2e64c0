package io.anneal.commitlog;

import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A segment that this process writes or wrote: its file, and who has written to it what is not in an SSTable yet. One thread.
 */
final class LogSegment implements Closeable {
    private static final int CLEAN = 0;

    /** How far a file is filled with zeros ahead of what is written, so that a sync has no length to bring to the disk. */
    private static final int FILL_BYTES = 256 << 10;
    /** Only syncs as small as this, in relation to the filling, are worth it: one in so many pays for it. */
    private static final int FILL_SYNCS_MIN = 64;

    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(64 << 10).asReadOnlyBuffer();

    private final long id;
    private final Path file;
    private final FileChannel channel;
    private final long capacityBytes;
    /** For each table the end of what each shard wrote last, or {@link #CLEAN}. */
    private final Map<UUID, int[]> lastPositions = new HashMap<>();

    private long endOffset;
    private int endPosition;
    private long syncedOffset;
    /** The length of the file, behind {@link #endOffset} zeros or what an earlier life left. */
    private long fileBytes;

    private LogSegment(long id, Path file, FileChannel channel, long capacityBytes) {
        this.id = id;
        this.file = file;
        this.channel = channel;
        this.capacityBytes = capacityBytes;
    }

    /** Opens a file, which may have had an earlier life, and writes the header. */
    static LogSegment open(Path file, long id, long capacityBytes, ByteBuffer header, OutputFile.Opener opener)
            throws StorageException {
        FileChannel channel;
        try {
            channel = opener.open(file);
        } catch (IOException e) {
            throw new StorageException("create", file, e);
        }
        LogSegment segment = new LogSegment(id, file, channel, capacityBytes);
        try {
            segment.begin(header);
        } catch (StorageException e) {
            segment.closeAfter(e);
            throw e;
        }
        return segment;
    }

    private void begin(ByteBuffer header) throws StorageException {
        try {
            fileBytes = channel.size();
        } catch (IOException e) {
            throw new StorageException("measure", file, e);
        }
        write(header, SegmentLayout.HEADER_BYTES);
    }

    private void closeAfter(StorageException failure) {
        try {
            close();
        } catch (StorageException e) {
            failure.addSuppressed(e);
        }
    }

    long id() {
        return id;
    }

    Path file() {
        return file;
    }

    /** Bytes written to the file: where the next section begins. */
    long endOffset() {
        return endOffset;
    }

    /** The position at which the next section begins. */
    int endPosition() {
        return endPosition;
    }

    boolean isSynced() {
        return syncedOffset == endOffset;
    }

    /** Whether a section of this length, and the header of a last one behind it, have room. */
    boolean hasRoom(long payloadBytes) {
        long needed = payloadBytes + 2L * SegmentLayout.SECTION_HEADER_BYTES;
        return endOffset + needed <= capacityBytes && endPosition + needed <= SegmentLayout.POSITION_MAX;
    }

    /**
     * Appends what remains in the buffer.
     *
     * @param positions by how much positions grow: the length before compression
     */
    void write(ByteBuffer bytes, int positions) throws StorageException {
        endOffset = write(bytes, endOffset);
        endPosition += positions;
        if (endOffset > fileBytes) {
            fileBytes = endOffset;
            if ((endOffset - syncedOffset) * FILL_SYNCS_MIN <= FILL_BYTES) {
                fill();
            }
        }
    }

    private long write(ByteBuffer bytes, long offset) throws StorageException {
        long end = offset;
        try {
            while (bytes.hasRemaining()) {
                int written = channel.write(bytes, end);
                if (written <= 0) {
                    throw new IOException("the file takes no more bytes");
                }
                end += written;
            }
        } catch (IOException e) {
            throw new StorageException("write", file, e);
        }
        return end;
    }

    private void fill() throws StorageException {
        long target = Math.min(capacityBytes, endOffset + FILL_BYTES);
        while (fileBytes < target) {
            int part = (int) Math.min(ZEROS.capacity(), target - fileBytes);
            fileBytes = write(ZEROS.duplicate().limit(part), fileBytes);
        }
    }

    void sync() throws StorageException {
        try {
            channel.force(false);
        } catch (IOException e) {
            throw StorageException.ofFailedSync(file, e);
        }
        syncedOffset = endOffset;
    }

    /** Notes that the shard's writes to the table up to the position are not in an SSTable yet. */
    void mark(UUID table, int shard, int position) {
        int[] positions = lastPositions.get(table);
        if (positions == null || positions.length <= shard) {
            positions = positions == null ? new int[shard + 1] : Arrays.copyOf(positions, shard + 1);
            lastPositions.put(table, positions);
        }
        positions[shard] = position;
    }

    /** Forgets what the shard wrote to the table up to the position. */
    void release(UUID table, int shard, CommitLogPosition upTo) {
        int[] positions = lastPositions.get(table);
        if (positions == null || positions.length <= shard) {
            return;
        }
        if (upTo.segmentId() > id || upTo.segmentId() == id && positions[shard] <= upTo.position()) {
            positions[shard] = CLEAN;
            if (Arrays.stream(positions).allMatch(position -> position == CLEAN)) {
                lastPositions.remove(table);
            }
        }
    }

    void releaseTable(UUID table) {
        lastPositions.remove(table);
    }

    boolean isDirty() {
        return !lastPositions.isEmpty();
    }

    List<CommitLog.Dirty> dirty() {
        List<CommitLog.Dirty> dirty = new ArrayList<>();
        lastPositions.forEach((table, positions) -> {
            for (int shard = 0; shard < positions.length; shard++) {
                if (positions[shard] != CLEAN) {
                    dirty.add(new CommitLog.Dirty(table, shard));
                }
            }
        });
        return dirty;
    }

    @Override
    public void close() throws StorageException {
        try {
            channel.close();
        } catch (IOException e) {
            throw new StorageException("close", file, e);
        }
    }
}
