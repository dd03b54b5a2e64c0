package io.anneal.faults;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.Row;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.directory.StagingDirectory;
import io.anneal.testkit.FragmentList;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/** A replica's directory of a plain table, {@code ks.t (k bigint PRIMARY KEY, v blob)}, with chosen rows. */
final class ReplicaFiles {
    static final String SCHEMA_TEXT =
            "CREATE TABLE ks.t (k bigint PRIMARY KEY, v blob) WITH gc_grace_seconds = 864000;\n";
    static final TableSchema SCHEMA =
            CqlSchema.parse(SCHEMA_TEXT, "test schema").table("ks", "t").orElseThrow();

    private ReplicaFiles() {}

    /** Writes the rows of the wanted keys below {@code rows}; returns the directory that holds the SSTable. */
    static Path write(Path directory, long rows, int valueBytes, LongPredicate wanted) throws IOException {
        TreeMap<DecoratedKey, Long> keys = new TreeMap<>();
        for (long k = 0; k < rows; k++) {
            if (wanted.test(k)) {
                keys.put(
                        DecoratedKey.of(
                                ByteBuffer.allocate(Long.BYTES).putLong(k).array()),
                        k);
            }
        }
        FragmentList.Builder fragments = FragmentList.builder(SCHEMA);
        keys.forEach(
                (key, k) -> fragments.partition(key).row(row(k, valueBytes)).end());
        try (StagingDirectory target = StagingDirectory.open(directory);
                StagedWriter writer = new StagedWriter(
                        target.target(SCHEMA),
                        SSTableWriterConfig.defaults(keys.size()),
                        StagedWriter.SIZE_LIMIT_DEFAULT_BYTES);
                FragmentCursor cursor = fragments.build().cursor()) {
            writer.append(cursor);
            writer.finish();
            Path table = Files.createDirectories(target.tableDirectory(SCHEMA));
            Files.writeString(table.resolve("schema.cql"), SCHEMA_TEXT);
            return table;
        }
    }

    private static Row row(long k, int valueBytes) {
        byte[] value = new byte[valueBytes];
        new SplittableRandom(k).nextBytes(value);
        Row row = new Row();
        row.liveness(1_700_000_000_000_000L, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        row.addCell(0, 1_700_000_000_000_000L, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        row.value(value, 0, value.length);
        return row;
    }
}
