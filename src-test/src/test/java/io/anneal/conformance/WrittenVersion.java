package io.anneal.conformance;

import io.anneal.bench.peer.PeerSSTableVersion;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableFormat;
import io.anneal.sstable.SSTableWriter;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.SSTableWriterConfig.Compression;
import io.anneal.store.Formats;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** The versions of SSTables that we write, each with the node of Cassandra that writes it, too. */
enum WrittenVersion {
    NB(PeerSSTableVersion.NB, Formats.written());

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
    private final SSTableFormat format;

    WrittenVersion(PeerSSTableVersion peer, SSTableFormat format) {
        this.peer = peer;
        this.format = format;
    }

    PeerSSTableVersion peer() {
        return peer;
    }

    SSTableWriter write(Path directory, String generation, TableSchema schema, SSTableWriterConfig config)
            throws IOException {
        return format.write(directory, generation, schema, config);
    }

    /** Any that we write. */
    static SSTableWriterConfig config(SplittableRandom random, long partitionCount) {
        Compression[] compressions = Compression.values();
        return new SSTableWriterConfig(
                compressions[random.nextInt(compressions.length)],
                CHUNK_LENGTHS_BYTES[random.nextInt(CHUNK_LENGTHS_BYTES.length)],
                COLUMN_INDEX_SIZES_BYTES[random.nextInt(COLUMN_INDEX_SIZES_BYTES.length)],
                partitionCount,
                0,
                0);
    }
}
