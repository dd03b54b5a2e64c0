package io.anneal.sstable.data;

import io.anneal.key.TokenRange;
import io.anneal.sstable.Compression;
import io.anneal.sstable.DataSection;
import io.anneal.sstable.SSTableSections;
import io.anneal.sstable.SectionManifest;
import io.anneal.sstable.SectionSource;
import io.anneal.sstable.file.CompressionInfo;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Where some token ranges lie in an SSTable, as its index says. Immutable.
 *
 * @param tokens of each section the smallest that may be in it
 */
record Sections(DataReader reader, List<DataSection> sections, List<Long> tokens) implements SSTableSections {
    Sections {
        sections = List.copyOf(sections);
        tokens = List.copyOf(tokens);
    }

    /** @param ranges ascending, apart from each other */
    static Optional<SSTableSections> of(DataReader reader, List<TokenRange.Linear> ranges) throws IOException {
        try (PartitionLookup lookup = reader.index().lookup()) {
            if (!lookup.next() || lookup.dataPosition() != 0) {
                return Optional.empty();
            }
        }
        List<DataSection> sections = new ArrayList<>();
        List<Long> tokens = new ArrayList<>();
        for (TokenRange.Linear range : ranges) {
            long start = positionOf(reader, range.first());
            long end = range.last() == Long.MAX_VALUE ? reader.dataLengthBytes() : positionOf(reader, range.last() + 1);
            int last = sections.size() - 1;
            if (start < end && last >= 0 && sections.get(last).end() == start) {
                sections.set(last, new DataSection(sections.get(last).start(), end));
            } else if (start < end) {
                sections.add(new DataSection(start, end));
                tokens.add(range.first());
            }
        }
        Sections found = new Sections(reader, sections, tokens);
        return sections.isEmpty() || found.compression().isEmpty() ? Optional.empty() : Optional.of(found);
    }

    /** Where the first partition begins whose token is not smaller; the length of the data if there is none. */
    private static long positionOf(DataReader reader, long token) throws IOException {
        try (PartitionLookup lookup = reader.index().lookup()) {
            if (!lookup.seekLastBelow(token)) {
                return 0;
            }
            return lookup.next() ? lookup.dataPosition() : reader.dataLengthBytes();
        }
    }

    /** With which another SSTable could be written; empty if it cannot. */
    private Optional<Compression> compression() {
        try {
            return Optional.of(
                    reader.compression() == null
                            ? Compression.NONE
                            : reader.compression().compression());
        } catch (IllegalArgumentException unknown) {
            return Optional.empty();
        }
    }

    int chunkLengthBytes() {
        return reader.compression() == null
                ? reader.checksums().chunkLengthBytes()
                : reader.compression().chunkLengthBytes();
    }

    /** Where a chunk begins in Data.db. */
    long chunkPosition(long chunk) {
        CompressionInfo info = reader.compression();
        return info == null ? chunk * chunkLengthBytes() : info.offsets()[(int) chunk];
    }

    /** Where a chunk ends in Data.db. */
    long chunkEnd(long chunk) {
        CompressionInfo info = reader.compression();
        return info == null
                ? Math.min((chunk + 1) * chunkLengthBytes(), reader.dataLengthBytes())
                : info.endOffset((int) chunk);
    }

    @Override
    public long storedLengthBytes() {
        long lengthBytes = 0;
        long nextChunk = 0;
        for (DataSection section : sections) {
            long first = Math.max(nextChunk, section.start() / chunkLengthBytes());
            long last = (section.end() - 1) / chunkLengthBytes();
            if (first <= last) {
                lengthBytes += chunkEnd(last) - chunkPosition(first);
            }
            nextChunk = last + 1;
        }
        return lengthBytes;
    }

    @Override
    public SectionManifest manifest(byte[] statistics) {
        return new SectionManifest(
                ByteBuffer.wrap(statistics),
                compression().orElseThrow(),
                chunkLengthBytes(),
                reader.dataLengthBytes(),
                sections);
    }

    @Override
    public SectionSource open() throws IOException {
        return new SectionReader(this);
    }
}
