package io.anneal.commitlog;

import io.anneal.commitlog.SegmentFiles.NamedFile;
import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.Mutation;
import io.anneal.io.StorageException;
import io.anneal.io.UnsupportedVersionException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Reads a commit log in the order in which it was written. Where a section or a record is broken, the question is whether
 * any later section of the same process says that this place had been synced. If one does, something was lost that was safe once:
 * {@link CorruptCommitLogException}. If none does, that process ended there: its tail is torn, what follows of it was never
 * acknowledged as synced and is left out, even if it can be read; the next process' segments come next.
 *
 * <p>The directory must not be open for writing. Changes nothing; may be repeated until the segments are released. One thread.
 */
public final class CommitLogReplay {
    private static final long NOT_TORN = -1;

    private final List<NamedFile> segments;
    private final Handler handler;
    private final boolean skipCorrupt;
    private final List<Gap> tornTails = new ArrayList<>();
    private final List<Gap> losses = new ArrayList<>();

    private long mutations;
    private CommitLogPosition end = CommitLogPosition.NONE;
    /** Whether the last search for a witness found any section in the segment. */
    private boolean sectionsBehind;
    /** Segments of the same session behind this one are left out. */
    private long tornSegmentId = NOT_TORN;

    private CommitLogReplay(List<NamedFile> segments, Handler handler, boolean skipCorrupt) {
        this.segments = segments;
        this.handler = handler;
        this.skipCorrupt = skipCorrupt;
    }

    /** Takes the mutations. */
    public interface Handler {
        /** @param position the end of the record, as {@link CommitLog#append} returned it */
        void mutation(CommitLogPosition position, UUID table, Mutation mutation) throws IOException;

        /** Hears of a timestamp that was given out: the last one when a section was begun. */
        default void clock(long lastTimestampMicros) {}
    }

    /** A part of the log that was left out. */
    public record Gap(Path file, long position, long lengthBytes, String reason) {}

    /**
     * What a replay found.
     *
     * @param segmentCount files that there are; a store that was opened once always has one
     * @param end of the last header or section that could be read, {@link CommitLogPosition#NONE} when there is none
     * @param tornTails what processes left unsynced and unreadable when they ended; nothing to worry about
     * @param losses what was lost although it had been synced; empty unless told to go on
     */
    public record Report(
            int segmentCount, long mutations, CommitLogPosition end, List<Gap> tornTails, List<Gap> losses) {
        public Report {
            tornTails = List.copyOf(tornTails);
            losses = List.copyOf(losses);
        }
    }

    /**
     * Hands every mutation of the directory's segments to the handler.
     *
     * @param skipCorrupt whether to go on behind corruption, and to report it
     * @throws CorruptCommitLogException when something that had been synced cannot be read
     * @throws UnsupportedVersionException when a segment was written by a later version
     * @throws StorageException when the disk fails
     */
    public static Report replay(Path directory, Handler handler, boolean skipCorrupt) throws IOException {
        CommitLogReplay replay = new CommitLogReplay(SegmentFiles.segments(directory), handler, skipCorrupt);
        for (int i = 0; i < replay.segments.size(); i++) {
            replay.segment(i);
        }
        return new Report(replay.segments.size(), replay.mutations, replay.end, replay.tornTails, replay.losses);
    }

    private SegmentReader open(int index) throws StorageException {
        NamedFile segment = segments.get(index);
        return SegmentReader.open(segment.file(), segment.id());
    }

    private void segment(int index) throws IOException {
        try (SegmentReader reader = open(index)) {
            // Sections can do without the file's header: they say all that it says.
            if (reader.readHeader() || reader.readSection(SegmentLayout.HEADER_BYTES)) {
                if (reader.sessionId() > tornSegmentId) {
                    end = new CommitLogPosition(reader.id(), SegmentLayout.HEADER_BYTES);
                    sections(index, reader);
                }
            } else {
                long brokenBytes = Math.min(SegmentLayout.HEADER_BYTES, reader.sizeBytes());
                if (goesOn(index, reader, 0, 0, brokenBytes, "header is broken")) {
                    sections(index, reader);
                }
            }
        }
    }

    private void sections(int index, SegmentReader reader) throws IOException {
        long offset = SegmentLayout.HEADER_BYTES;
        int position = SegmentLayout.HEADER_BYTES;
        while (true) {
            if (!reader.readSection(offset)) {
                if (!goesOn(index, reader, offset, position, 0, "section is broken")) {
                    return;
                }
                if (reader.findSection(offset) == SegmentReader.NONE) {
                    return;
                }
            }
            offset = reader.sectionEndOffset();
            position = reader.endPosition();
            if (!records(index, reader) || reader.isLast()) {
                return;
            }
        }
    }

    /** Returns whether the segment goes on. */
    private boolean records(int index, SegmentReader reader) throws IOException {
        boolean whole = reader.readPayload();
        int offset = 0;
        while (offset < reader.payloadBytes()) {
            int recordBytes = reader.recordBytes(offset);
            if (recordBytes == SegmentReader.NONE) {
                int broken = offset;
                do {
                    offset++;
                } while (offset < reader.payloadBytes() && reader.recordBytes(offset) == SegmentReader.NONE);
                if (!goesOn(
                        index,
                        reader,
                        reader.recordOffset(broken),
                        reader.recordPosition(broken),
                        offset - broken,
                        "record is broken")) {
                    return false;
                }
            } else {
                record(reader, offset, recordBytes);
                offset += recordBytes;
            }
        }
        if (!whole
                && !goesOn(
                        index,
                        reader,
                        reader.recordOffset(offset),
                        reader.recordPosition(offset),
                        reader.plainBytes() - offset,
                        "section is cut short or broken")) {
            return false;
        }
        end = new CommitLogPosition(reader.id(), reader.endPosition());
        if (reader.clockMicros() != CommitLog.CLOCK_UNKNOWN) {
            handler.clock(reader.clockMicros());
        }
        return true;
    }

    private void record(SegmentReader reader, int offset, int recordBytes) throws IOException {
        UUID table = new UUID(reader.tableMostSignificant(offset), reader.tableLeastSignificant(offset));
        byte[] items = reader.items(offset, recordBytes);
        List<BatchRecord.Entry> entries;
        try {
            entries = table.equals(BatchRecord.TABLE)
                    ? BatchRecord.decode(items)
                    : List.of(new BatchRecord.Entry(table, Mutation.of(items)));
        } catch (CorruptItemException | IllegalArgumentException e) {
            if (!skipCorrupt) {
                throw new CorruptCommitLogException(reader.file(), reader.recordOffset(offset), "items are broken", e);
            }
            losses.add(new Gap(reader.file(), reader.recordOffset(offset), recordBytes, "items are broken"));
            return;
        }
        CommitLogPosition position = new CommitLogPosition(reader.id(), reader.recordPosition(offset + recordBytes));
        for (BatchRecord.Entry entry : entries) {
            handler.mutation(position, entry.table(), entry.mutation());
            mutations++;
        }
    }

    /**
     * Decides what a broken place is.
     *
     * @param offset in the file
     * @param lengthBytes of what is broken, 0 when it is not known
     * @return whether to go on behind it; if not, the session ended here
     */
    private boolean goesOn(int index, SegmentReader reader, long offset, int position, long lengthBytes, String reason)
            throws IOException {
        Path file = reader.file();
        CommitLogPosition broken = new CommitLogPosition(reader.id(), position);
        if (!wasSynced(broken, index, offset)) {
            tornSegmentId = reader.id();
            if (lengthBytes > 0 || sectionsBehind) {
                tornTails.add(new Gap(file, offset, lengthBytes, reason));
            }
            return false;
        }
        if (!skipCorrupt) {
            throw new CorruptCommitLogException(file, offset, reason);
        }
        losses.add(new Gap(file, offset, lengthBytes, reason));
        return true;
    }

    /** Whether a section behind the broken place says that what is there had been synced. */
    private boolean wasSynced(CommitLogPosition broken, int brokenIndex, long offset) throws IOException {
        sectionsBehind = false;
        for (int i = brokenIndex; i < segments.size(); i++) {
            try (SegmentReader reader = open(i)) {
                long from = i == brokenIndex ? offset : 0;
                while (reader.findSection(from) != SegmentReader.NONE) {
                    sectionsBehind |= i == brokenIndex;
                    if (reader.sessionId() > broken.segmentId()) {
                        return false;
                    }
                    if (reader.synced().compareTo(broken) > 0) {
                        return true;
                    }
                    from = reader.sectionEndOffset();
                }
            }
        }
        return false;
    }
}
