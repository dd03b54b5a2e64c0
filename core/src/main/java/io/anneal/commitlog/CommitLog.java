package io.anneal.commitlog;

import io.anneal.commitlog.SectionBuffer.SectionFacts;
import io.anneal.commitlog.SegmentFiles.NamedFile;
import io.anneal.fragment.Mutation;
import io.anneal.io.Directories;
import io.anneal.io.OutputFile;
import io.anneal.io.PrivateFiles;
import io.anneal.io.StorageException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The commit log of a store: mutations appended to segments ({@link SegmentLayout}), kept until everybody has said that theirs
 * are in SSTables. Owned by one thread, which must not be interrupted: the platform closes the file that an interrupted
 * thread writes. Nobody else may have the directory open; the store's lock sees to that.
 *
 * <p>Appended mutations are in the file after {@link #write}, on the disk after {@link #sync}. When a write or a sync fails,
 * nothing that follows can be trusted: that call and every later one throw {@link StorageException}, closing excepted.
 */
public final class CommitLog implements Closeable {
    /** Opens a segment's file, which is new or recycled. Tests put failing ones in its place. */
    public static final OutputFile.Opener OPENER =
            file -> PrivateFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);

    static final long CLOCK_UNKNOWN = Long.MIN_VALUE;
    /** A larger mutation has no position behind it. */
    private static final int MUTATION_MAX_BYTES = SegmentLayout.POSITION_MAX
            - SegmentLayout.HEADER_BYTES
            - 2 * SegmentLayout.SECTION_HEADER_BYTES
            - SegmentLayout.RECORD_HEADER_BYTES;

    private final Path directory;
    private final CommitLogConfig config;
    private final OutputFile.Opener opener;
    private final SegmentPool pool;
    private final SectionBuffer section;
    private final long sessionId;
    private final Deque<NamedFile> replayed;
    /** Segments that were there at open and that tables need which are not open, with those tables. */
    private final Map<Long, Set<UUID>> kept = new HashMap<>();

    private long replayedBytes;
    private long keptBytes;
    private boolean isReplayedReleased;

    /** Those not released, oldest first; the last one is being written. */
    private final Deque<LogSegment> segments = new ArrayDeque<>();

    private LogSegment active;
    private CommitLogPosition synced = CommitLogPosition.NONE;
    private long clockMicros = CLOCK_UNKNOWN;
    private StorageException failure;
    private boolean closed;

    /** For any thread. */
    private volatile long lengthBytes;

    private volatile int segmentCount;

    private CommitLog(
            Path directory,
            CommitLogConfig config,
            OutputFile.Opener opener,
            SegmentPool pool,
            List<NamedFile> old,
            long oldBytes) {
        this.directory = directory;
        this.config = config;
        this.opener = opener;
        this.pool = pool;
        section = new SectionBuffer(config.sectionSizeBytes(), config.compression());
        sessionId = pool.nextSegmentId();
        replayed = new ArrayDeque<>(old);
        replayedBytes = oldBytes;
    }

    /** As the other one, with files of the platform. */
    public static CommitLog open(Path directory, CommitLogConfig config, long segmentIdFloor) throws IOException {
        return open(directory, config, segmentIdFloor, OPENER);
    }

    /**
     * Begins a segment behind those that are there, which stay until {@link #releaseReplayed}. Makes the directory when it is
     * not there; the one above is synced as long as there are no segments.
     *
     * @param segmentIdFloor the largest segment id that was ever heard of, for instance in a flushed position; new ones are larger
     *     than this, whatever the directory holds
     */
    public static CommitLog open(Path directory, CommitLogConfig config, long segmentIdFloor, OutputFile.Opener opener)
            throws IOException {
        Directories.create(directory);
        List<NamedFile> old = SegmentFiles.segments(directory);
        SegmentPool pool = SegmentPool.open(directory, config, old, segmentIdFloor);
        long oldBytes = 0;
        for (NamedFile segment : old) {
            oldBytes += SegmentFiles.size(segment.file());
        }
        pool.syncDirectory();
        if (old.isEmpty()) {
            // Made just now, or by a process that came no further.
            Directories.sync(directory.toAbsolutePath().getParent());
        }
        CommitLog log = new CommitLog(directory, config, opener, pool, old, oldBytes);
        log.beginSegment(config.segmentSizeBytes());
        return log;
    }

    /** Who wrote something to the log that is not in an SSTable yet. */
    public record Dirty(UUID table, int shard) {}

    /**
     * Copies a mutation into the section being filled. May write: a section that is full, the header of a new segment.
     * Mutations without content leave no record.
     *
     * @param shard not negative
     * @return the end of the record
     */
    public CommitLogPosition append(UUID table, int shard, Mutation mutation) throws StorageException {
        // So short that who has no use for the position does not pay for it.
        checkUsable();
        if (shard < 0 || mutation.lengthBytes() > MUTATION_MAX_BYTES) {
            throw new IllegalArgumentException("mutation is too large or has no shard, lengthBytes="
                    + mutation.lengthBytes() + ", shard=" + shard);
        }
        int end = mutation.isEmpty() ? endPosition() : appendRecord(table, mutation.bytes());
        if (!mutation.isEmpty()) {
            active.mark(table, shard, end);
        }
        return new CommitLogPosition(active.id(), end);
    }

    /**
     * A mutation to be appended together with others.
     *
     * @param shard not negative
     */
    public record Append(UUID table, int shard, Mutation mutation) {}

    /**
     * Copies several mutations into one record: a replay has all of them or none, each at the end of the record. Otherwise as
     * {@link #append}.
     */
    public CommitLogPosition appendTogether(BatchRecord batch) throws StorageException {
        checkUsable();
        int end = appendRecord(BatchRecord.TABLE, batch.items());
        for (Append append : batch.appends()) {
            active.mark(append.table(), append.shard(), end);
        }
        return new CommitLogPosition(active.id(), end);
    }

    private int appendRecord(UUID table, byte[] items) throws StorageException {
        int recordBytes = SegmentLayout.RECORD_HEADER_BYTES + items.length;
        if (recordBytes > section.capacityBytes()) {
            return appendLarge(table, items, recordBytes);
        }
        if (recordBytes > section.remainingBytes()) {
            write();
        }
        if (!active.hasRoom((long) section.payloadBytes() + recordBytes)) {
            switchSegment(config.segmentSizeBytes());
        }
        int begin = active.endPosition() + SegmentLayout.SECTION_HEADER_BYTES + section.payloadBytes();
        section.append(table, items, SegmentLayout.recordSeed(active.id(), begin));
        return begin + recordBytes;
    }

    /** Writes a section of its own in parts, never compressed: nothing the size of the items is allocated. */
    private int appendLarge(UUID table, byte[] items, int recordBytes) throws StorageException {
        write();
        if (!active.hasRoom(recordBytes)) {
            long neededBytes = SegmentLayout.HEADER_BYTES + 2L * SegmentLayout.SECTION_HEADER_BYTES + recordBytes;
            switchSegment(Math.max(config.segmentSizeBytes(), neededBytes));
        }
        int begin = active.endPosition() + SegmentLayout.SECTION_HEADER_BYTES;
        try {
            active.write(
                    section.large(facts(), table, items, SegmentLayout.recordSeed(active.id(), begin)),
                    SegmentLayout.SECTION_HEADER_BYTES + recordBytes);
            for (int offset = 0; offset < items.length; offset += config.sectionSizeBytes()) {
                active.write(section.part(items, offset), 0);
            }
        } catch (StorageException e) {
            throw fail(e);
        }
        section.clear();
        measure();
        return begin + recordBytes;
    }

    /** Writes what was appended to the file: it survives the end of the process, not that of the machine. */
    public void write() throws StorageException {
        checkUsable();
        if (!section.isEmpty()) {
            writeSection(0);
        }
    }

    private void writeSection(int flags) throws StorageException {
        int positions = SegmentLayout.SECTION_HEADER_BYTES + section.payloadBytes();
        try {
            active.write(section.finish(facts(), flags), positions);
        } catch (StorageException e) {
            throw fail(e);
        }
        section.clear();
        measure();
    }

    /** A section without records, for what its header says. */
    private void writeEmptySection(int flags) throws StorageException {
        assert section.isEmpty();
        if (!active.hasRoom(0)) {
            switchSegment(config.segmentSizeBytes());
        }
        writeSection(flags);
    }

    private SectionFacts facts() {
        return new SectionFacts(active.id(), sessionId, active.endOffset(), active.endPosition(), synced, clockMicros);
    }

    /** Writes, and waits until everything that was appended is on the disk. */
    public void sync() throws StorageException {
        write();
        syncFinished(active);
        try {
            if (!active.isSynced()) {
                active.sync();
            }
            pool.syncDirectory();
        } catch (StorageException e) {
            throw fail(e);
        }
        synced = position();
    }

    /** Syncs the segments before this one, which are written no more. */
    private void syncFinished(LogSegment end) throws StorageException {
        try {
            for (LogSegment segment : segments) {
                if (segment == end) {
                    return;
                }
                if (!segment.isSynced()) {
                    segment.sync();
                    segment.close();
                }
            }
        } catch (StorageException e) {
            throw fail(e);
        }
    }

    /** However seldom somebody syncs, no more than two segments wait for it: a burst never stands still for long. */
    private void switchSegment(long capacityBytes) throws StorageException {
        writeSection(SegmentLayout.FLAG_LAST);
        LogSegment finished = active;
        syncFinished(finished);
        beginSegment(capacityBytes);
        if (!finished.isDirty()) {
            retire(finished);
        }
    }

    private void beginSegment(long capacityBytes) throws StorageException {
        try {
            active = pool.begin(sessionId, capacityBytes, opener);
        } catch (StorageException e) {
            throw fail(e);
        }
        segments.add(active);
        measure();
    }

    /** The end of what was appended. */
    public CommitLogPosition position() {
        return new CommitLogPosition(active.id(), endPosition());
    }

    private int endPosition() {
        int pending = section.isEmpty() ? 0 : SegmentLayout.SECTION_HEADER_BYTES + section.payloadBytes();
        return active.endPosition() + pending;
    }

    /** The end of what is known to be on the disk. */
    public CommitLogPosition syncedPosition() {
        return synced;
    }

    /** What this shard wrote to this table up to the position is in SSTables; segments nobody needs are given up. */
    public void release(UUID table, int shard, CommitLogPosition upTo) throws StorageException {
        checkUsable();
        for (LogSegment segment : segments) {
            if (segment.id() > upTo.segmentId()) {
                break;
            }
            segment.release(table, shard, upTo);
        }
        retireClean();
    }

    /** Nobody needs anything of this table that was appended so far: it was dropped or truncated. */
    public void releaseTable(UUID table) throws StorageException {
        checkUsable();
        kept.values().forEach(tables -> tables.remove(table));
        giveBackReplayed();
        segments.forEach(segment -> segment.releaseTable(table));
        retireClean();
    }

    /**
     * Everything in the segments that were there when the log was opened is in SSTables. Syncs first, so that the clock and the
     * segment ids never leave the disk.
     */
    public void releaseReplayed() throws StorageException {
        releaseReplayed(Map.of());
    }

    /**
     * The same but for some segments, which stay until {@link #releaseTable} has named all tables that need them.
     *
     * @param needed by segment id, the tables that need it
     */
    public void releaseReplayed(Map<Long, Set<UUID>> needed) throws StorageException {
        checkUsable();
        if (replayed.isEmpty()) {
            return;
        }
        syncClock();
        needed.forEach((segment, tables) -> kept.put(segment, new HashSet<>(tables)));
        isReplayedReleased = true;
        giveBackReplayed();
        measure();
    }

    private void giveBackReplayed() throws StorageException {
        if (!isReplayedReleased) {
            return;
        }
        kept.values().removeIf(Set::isEmpty);
        long bytes = 0;
        Iterator<NamedFile> all = replayed.iterator();
        while (all.hasNext()) {
            NamedFile old = all.next();
            if (kept.containsKey(old.id())) {
                bytes += SegmentFiles.size(old.file());
            } else {
                all.remove();
                // Its process may have ended because the file could not be synced: nobody may rely on it again.
                pool.discard(old.file());
            }
        }
        replayedBytes = bytes;
        keptBytes = bytes;
    }

    private void retireClean() throws StorageException {
        Iterator<LogSegment> all = segments.iterator();
        while (all.hasNext()) {
            LogSegment segment = all.next();
            if (segment != active && !segment.isDirty()) {
                all.remove();
                giveBack(segment);
            }
        }
        measure();
    }

    private void retire(LogSegment segment) throws StorageException {
        segments.remove(segment);
        giveBack(segment);
        measure();
    }

    private void giveBack(LogSegment segment) throws StorageException {
        try {
            segment.close();
            pool.giveBack(segment.file(), segment.id());
        } catch (StorageException e) {
            throw fail(e);
        }
    }

    private void measure() {
        long length = replayed.isEmpty() ? 0 : replayedBytes;
        for (LogSegment segment : segments) {
            length += segment.endOffset();
        }
        lengthBytes = length;
        segmentCount = segments.size() + replayed.size();
    }

    /**
     * Bytes written to segments that are not released; of those that were there at open the size of the files. Any thread
     * may ask.
     */
    public long lengthBytes() {
        return lengthBytes;
    }

    /** Of these, bytes that no flush can release: see {@link #releaseReplayed(Map)}. */
    public long keptBytes() {
        return keptBytes;
    }

    /** Segments that are not released. Any thread may ask. */
    public int segmentCount() {
        return segmentCount;
    }

    /** Who must flush so that the oldest segment of this process can go; empty when nobody holds any. */
    public List<Dirty> oldestDirty() {
        for (LogSegment segment : segments) {
            if (segment.isDirty()) {
                return segment.dirty();
            }
        }
        return List.of();
    }

    /** Says which timestamp was given out last, which may be less than before; the next section remembers it. */
    public void clockMicros(long lastTimestampMicros) {
        clockMicros = lastTimestampMicros;
    }

    /** Syncs, and with it the clock, though nothing was appended. */
    public void syncClock() throws StorageException {
        write();
        writeEmptySection(0);
        sync();
    }

    private StorageException fail(StorageException cause) {
        if (failure == null) {
            failure = cause;
        }
        return cause;
    }

    private void checkUsable() throws StorageException {
        if (failure != null) {
            throw StorageException.after(failure);
        }
        if (closed) {
            throw new IllegalStateException("commit log is closed, directory=" + directory);
        }
    }

    /**
     * Syncs, and says in a last section that everything is on the disk. After a failure only lets go of the files.
     *
     * @throws StorageException when that does not come off
     */
    @Override
    public void close() throws StorageException {
        if (closed) {
            return;
        }
        StorageException thrown = null;
        try {
            if (failure == null) {
                sync();
                writeEmptySection(SegmentLayout.FLAG_LAST);
                sync();
            }
        } catch (StorageException e) {
            thrown = e;
        }
        closed = true;
        for (LogSegment segment : segments) {
            try {
                segment.close();
            } catch (StorageException e) {
                if (thrown == null) {
                    thrown = e;
                } else if (thrown != e) {
                    thrown.addSuppressed(e);
                }
            }
        }
        if (thrown != null) {
            throw thrown;
        }
    }
}
