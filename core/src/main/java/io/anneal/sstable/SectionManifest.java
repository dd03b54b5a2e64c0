package io.anneal.sstable;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * What must be known of an SSTable before sections of it can be received.
 *
 * @param statistics its Statistics, byte for byte
 * @param compression as its chunks are compressed; {@link Compression#NONE} where they are not
 * @param chunkLengthBytes length of its chunks, uncompressed
 * @param dataLengthBytes length of its data, uncompressed
 * @param sections ascending, apart from each other
 */
public record SectionManifest(
        ByteBuffer statistics,
        Compression compression,
        int chunkLengthBytes,
        long dataLengthBytes,
        List<DataSection> sections) {
    /** @throws IllegalArgumentException when sections do not lie one behind the other in the data */
    public SectionManifest {
        statistics = statistics.asReadOnlyBuffer();
        sections = List.copyOf(sections);
        if (chunkLengthBytes < 1 || chunkLengthBytes > Compression.CHUNK_LENGTH_MAX_BYTES) {
            throw new IllegalArgumentException("chunk length is out of range, chunkLengthBytes=" + chunkLengthBytes);
        }
        long end = 0;
        for (DataSection section : sections) {
            if (section.start() < end || section.end() > dataLengthBytes) {
                throw new IllegalArgumentException("sections overlap or lie outside of the data, section=" + section
                        + ", previousEnd=" + end + ", dataLengthBytes=" + dataLengthBytes);
            }
            end = section.end();
        }
        if (end == 0) {
            throw new IllegalArgumentException("SSTable has no section");
        }
    }

    public boolean isCompressed() {
        return compression.compressor().isPresent();
    }

    /** Length of all sections. */
    public long lengthBytes() {
        return sections.stream().mapToLong(DataSection::lengthBytes).sum();
    }
}
