package io.anneal.conformance;

import io.anneal.bench.peer.PeerSSTableVersion;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.SSTableWriterConfig.Compression;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** The versions of SSTables that we write, each with the node of Cassandra that writes it, too. */
enum WrittenVersion {
    NB(PeerSSTableVersion.NB, SSTableVersion.NB);

    /** Every compression that we read, as CQL says it. */
    static final List<Map<String, String>> READ_COMPRESSIONS = List.of(
            Map.of("enabled", "false"),
            Map.of("class", "LZ4Compressor"),
            Map.of("class", "LZ4Compressor", "chunk_length_in_kb", "1"),
            Map.of("class", "LZ4Compressor", "chunk_length_in_kb", "4", "lz4_compressor_type", "high"),
            Map.of("class", "LZ4Compressor", "chunk_length_in_kb", "64", "min_compress_ratio", "1.2"));

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
        Compression[] compressions = Compression.values();
        return SSTableWriterConfig.defaults(partitionCount)
                .withVersion(version)
                .withCompression(
                        compressions[random.nextInt(compressions.length)],
                        CHUNK_LENGTHS_BYTES[random.nextInt(CHUNK_LENGTHS_BYTES.length)])
                .withColumnIndexSizeBytes(COLUMN_INDEX_SIZES_BYTES[random.nextInt(COLUMN_INDEX_SIZES_BYTES.length)]);
    }
}
