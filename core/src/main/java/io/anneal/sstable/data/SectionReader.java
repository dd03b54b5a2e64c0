package io.anneal.sstable.data;

import io.anneal.io.ByteWriter;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.DataSection;
import io.anneal.sstable.SectionSource;
import io.anneal.sstable.file.CompressionInfo;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Walks over the index for the partitions of some sections, and says which chunks hold them; {@link SectionBlocks} has the grammar. */
final class SectionReader implements SectionSource {
    private final Sections sections;
    private final DataReader reader;
    private final PartitionLookup lookup;
    private final ByteWriter partitions = new ByteWriter(SectionBlocks.HEAD_BYTES);
    private final ByteWriter rowIndex = new ByteWriter(256);
    private final ByteWriter head = new ByteWriter(SectionBlocks.HEAD_BYTES);

    private int section = -1;
    /** Where the partition begins that comes next. */
    private long position;

    /** The first chunk that was not sent. */
    private long nextChunk;
    /** Chunks up to here, not including it, hold the partitions that were announced. */
    private long chunksEnd;

    private long chunksPosition;
    private long chunksLengthBytes;
    private boolean hasEnded;

    SectionReader(Sections sections) throws IOException {
        this.sections = sections;
        reader = sections.reader();
        lookup = reader.index().lookup();
    }

    @Override
    public boolean next() throws IOException {
        head.clear();
        chunksLengthBytes = 0;
        if (hasEnded) {
            return false;
        }
        if (nextChunk < chunksEnd) {
            writeChunks();
        } else if (nextSection()) {
            writePartitions();
        } else {
            hasEnded = true;
            startHead();
            head.writeByte(SectionBlocks.END);
            endHead();
        }
        return true;
    }

    private void startHead() {
        head.writeInt(0);
    }

    private void endHead() {
        head.setInt(0, head.lengthBytes() - Integer.BYTES);
    }

    /** Stands at the next partition of a section; false when there is none. */
    private boolean nextSection() throws IOException {
        if (section >= 0 && position < section().end()) {
            return true;
        }
        if (section + 1 == sections.sections().size()) {
            return false;
        }
        section++;
        position = section().start();
        boolean found = position == 0 && section == 0
                || lookup.seekLastBelow(sections.tokens().get(section));
        if (!found || !lookup.next() || lookup.dataPosition() != position) {
            throw disagrees();
        }
        return true;
    }

    private DataSection section() {
        return sections.sections().get(section);
    }

    private CorruptSSTableException disagrees() {
        return new CorruptSSTableException(
                reader.descriptor().file(Component.DATA),
                position,
                "index does not lead from one partition to the next, section=" + section());
    }

    private void writePartitions() throws IOException {
        long start = position;
        partitions.clear();
        int count = 0;
        while (position < section().end() && partitions.lengthBytes() < SectionBlocks.HEAD_BYTES) {
            rowIndex.clear();
            lookup.copyRowIndex(rowIndex, SectionBlocks.ROW_INDEX_MAX_BYTES);
            long end = lookup.next() ? lookup.dataPosition() : reader.dataLengthBytes();
            if (end <= position || end > section().end()) {
                throw disagrees();
            }
            partitions.writeUnsignedVInt(end - position);
            partitions.writeUnsignedVInt(rowIndex.lengthBytes());
            if (rowIndex.lengthBytes() > 0) {
                partitions.writeBytes(rowIndex.array(), 0, rowIndex.lengthBytes());
            }
            position = end;
            count++;
        }
        startHead();
        head.writeByte(SectionBlocks.PARTITIONS);
        head.writeUnsignedVInt(count);
        head.writeBytes(partitions.array(), 0, partitions.lengthBytes());
        endHead();
        int chunkLengthBytes = sections.chunkLengthBytes();
        nextChunk = Math.max(nextChunk, start / chunkLengthBytes);
        chunksEnd = (position - 1) / chunkLengthBytes + 1;
    }

    private void writeChunks() {
        int count = (int) Math.min(SectionBlocks.CHUNKS_MAX, chunksEnd - nextChunk);
        startHead();
        head.writeByte(SectionBlocks.CHUNKS);
        head.writeUnsignedVInt(count);
        CompressionInfo info = reader.compression();
        for (long chunk = nextChunk; chunk < nextChunk + count; chunk++) {
            if (info == null) {
                head.writeInt(reader.checksums().checksums()[(int) chunk]);
            } else {
                head.writeUnsignedVInt(info.storedLengthBytes((int) chunk));
            }
        }
        endHead();
        chunksPosition = sections.chunkPosition(nextChunk);
        nextChunk += count;
        chunksLengthBytes = sections.chunkEnd(nextChunk - 1) - chunksPosition;
    }

    @Override
    public ByteBuffer head() {
        return ByteBuffer.wrap(head.array(), 0, head.lengthBytes());
    }

    @Override
    public long chunksPosition() {
        return chunksPosition;
    }

    @Override
    public long chunksLengthBytes() {
        return chunksLengthBytes;
    }

    @Override
    public void close() throws IOException {
        lookup.close();
    }
}
