package io.anneal.bench.scenario;

import io.anneal.bench.data.GeneratedCursor;
import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentKind;
import io.anneal.io.ByteWriter;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.directory.Formats;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Three replicas as directories, each of one SSTable, or of none, which all systems import before each of their runs.
 *
 * @param rowCount rows of all replicas
 * @param dataBytes of all replicas, uncompressed
 * @param rowsLacking rows that replicas lack, each as often as it is lacking
 * @param bytesLacking their encoded size
 */
record RepairData(
        TableShape shape, List<Path> replicas, long rowCount, long dataBytes, long rowsLacking, long bytesLacking) {
    private static final String GENERATION = "1";

    RepairData {
        replicas = List.copyOf(replicas);
    }

    /** As Cassandra has it, but that nothing is compacted; with an id, which all stores must share. */
    static TableSchema schema(TableShape shape) {
        return StreamingTables.schema(shape);
    }

    boolean isEqual() {
        return rowsLacking == 0;
    }

    /** Whether a replica has any row. */
    static boolean holdsSomething(Path replica) throws IOException {
        try (Stream<Path> files = Files.list(replica)) {
            return files.findAny().isPresent();
        }
    }

    static RepairData draw(RepairDraw draw, SSTableVersion version, Path directory) throws IOException {
        List<Path> replicas = new ArrayList<>();
        Written held = new Written(0, 0);
        Written lacking = new Written(0, 0);
        for (int i = 0; i < RepairDraw.REPLICAS; i++) {
            int replica = i;
            Path target = Files.createDirectories(directory.resolve("replica-" + replica));
            held = held.plus(write(draw, version, target, number -> draw.has(replica, number)));
            lacking = lacking.plus(encode(draw, number -> !draw.has(replica, number)));
            replicas.add(target);
        }
        return new RepairData(draw.shape(), replicas, held.rows, held.bytes, lacking.rows, lacking.bytes);
    }

    /** Rows, and their length in an SSTable or as they are encoded. */
    record Written(long rows, long bytes) {
        Written plus(Written other) {
            return new Written(rows + other.rows, bytes + other.bytes);
        }
    }

    private static GeneratedCursor rows(RepairDraw draw, LongPredicate wanted) {
        return GeneratedCursor.ofRows(
                draw.shape(),
                draw.rowCount() / draw.rowsPerPartition(),
                draw.rowsPerPartition(),
                GeneratedTable.SEED,
                wanted);
    }

    private static long count(RepairDraw draw, LongPredicate wanted) {
        return LongStream.range(0, draw.rowCount()).filter(wanted).count();
    }

    /** Writes rows of some numbers, if there are any, as one SSTable. */
    static Written write(RepairDraw draw, SSTableVersion version, Path target, LongPredicate wanted)
            throws IOException {
        long rows = count(draw, wanted);
        if (rows == 0) {
            return new Written(0, 0);
        }
        long partitions = draw.rowCount() / draw.rowsPerPartition();
        SSTableWriterConfig config = SSTableWriterConfig.defaults(partitions).withVersion(version);
        try (GeneratedCursor cursor = rows(draw, wanted);
                FragmentWriter writer =
                        Formats.write(target, GENERATION, draw.shape().schema(), config)) {
            writer.append(cursor);
            writer.finish();
            return new Written(rows, writer.dataLengthBytes());
        }
    }

    /** What rows of some numbers are encoded. */
    static Written encode(RepairDraw draw, LongPredicate wanted) {
        if (count(draw, wanted) == 0) {
            return new Written(0, 0);
        }
        CanonicalEncoder encoder = new CanonicalEncoder(draw.shape().schema(), CanonicalEncoder.UNCLAMPED);
        ByteWriter row = new ByteWriter(2 * SampleBytes.ROW_BYTES);
        long rows = 0;
        long bytes = 0;
        try (GeneratedCursor cursor = rows(draw, wanted)) {
            FragmentKind kind;
            while ((kind = cursor.advance()) != null) {
                if (kind == FragmentKind.CLUSTERING_ROW) {
                    row.clear();
                    bytes += encoder.row(cursor.key(), cursor.row(), row);
                    rows++;
                }
            }
        }
        return new Written(rows, bytes);
    }
}
