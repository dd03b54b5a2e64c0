package io.anneal.conformance;

import io.anneal.bench.peer.PeerSSTableVersion;
import io.anneal.sstable.Compression;
import io.anneal.sstable.Compressor;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** The versions of SSTables that we write, each with the node of Cassandra that writes it, too. */
enum WrittenVersion {
    NB(PeerSSTableVersion.NB, SSTableVersion.NB),
    OA(PeerSSTableVersion.OA, SSTableVersion.OA),
    DA(PeerSSTableVersion.DA, SSTableVersion.DA);

    /** Every compression that we read, as CQL says it. */
    static final List<Map<String, String>> READ_COMPRESSIONS = List.of(
            Map.of("enabled", "false"),
            Map.of("class", "LZ4Compressor"),
            Map.of("class", "LZ4Compressor", "chunk_length_in_kb", "1"),
            Map.of("class", "LZ4Compressor", "chunk_length_in_kb", "4", "lz4_compressor_type", "high"),
            Map.of("class", "LZ4Compressor", "chunk_length_in_kb", "64", "min_compress_ratio", "1.2"),
            Map.of("class", "ZstdCompressor", "chunk_length_in_kb", "4", "compression_level", "9"),
            Map.of("class", "ZstdCompressor", "chunk_length_in_kb", "1", "min_compress_ratio", "1.5"),
            Map.of("class", "SnappyCompressor", "chunk_length_in_kb", "1"),
            Map.of("class", "SnappyCompressor", "chunk_length_in_kb", "32", "min_compress_ratio", "2"),
            Map.of("class", "DeflateCompressor", "chunk_length_in_kb", "2"),
            Map.of("class", "DeflateCompressor", "chunk_length_in_kb", "1", "min_compress_ratio", "1.1"),
            Map.of("class", "NoopCompressor", "chunk_length_in_kb", "1"));

    private static final int[] CHUNK_LENGTHS_BYTES = {1024, 4096, 16384};
    private static final int[] COLUMN_INDEX_SIZES_BYTES = {1, 200, 1000, 65536};

    private final PeerSSTableVersion peer;
    private final SSTableVersion version;

    WrittenVersion(PeerSSTableVersion peer, SSTableVersion version) {
        this.peer = peer;
        this.version = version;
    }

    PeerSSTableVersion peer() {
        return peer;
    }

    SSTableVersion version() {
        return version;
    }

    /** Any in which we write it. */
    SSTableWriterConfig config(SplittableRandom random, long partitionCount) {
        return SSTableWriterConfig.defaults(partitionCount)
                .withVersion(version)
                .withCompression(compression(random)
                        .withChunkLengthBytes(CHUNK_LENGTHS_BYTES[random.nextInt(CHUNK_LENGTHS_BYTES.length)]))
                .withColumnIndexSizeBytes(COLUMN_INDEX_SIZES_BYTES[random.nextInt(COLUMN_INDEX_SIZES_BYTES.length)]);
    }

    private static Compression compression(SplittableRandom random) {
        int choice = random.nextInt(Compressor.values().length + 1);
        if (choice == Compressor.values().length) {
            return Compression.NONE;
        }
        Compression compression = Compression.of(Compressor.values()[choice]);
        return random.nextBoolean() ? compression : compression.withMaxCompressedLengthBytes(700);
    }
}
