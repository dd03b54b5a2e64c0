package io.anneal.cli.sstable;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.KeyText;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.Identifiers;
import io.anneal.schema.InvalidValueException;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.SSTableReader;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * An SSTable as JSON, byte for byte as Cassandra's {@code sstabledump} prints it, which knows no more than the file's
 * header does. Streams: holds a row at most. Owned by one thread.
 */
public final class SSTableDump {
    private static final String REGULAR = "REGULAR";
    private static final String INDEX = "INDEX";

    private final SSTableCursor cursor;
    /** Of the table, as Cassandra calls it. */
    private final String kind;

    private final TableSchema schema;
    private final DumpOptions options;
    private final long nowSeconds;
    private final DumpJson json;

    private long openMicros;
    private long openSeconds;

    private SSTableDump(SSTableCursor cursor, String kind, DumpOptions options, long nowSeconds, DumpJson json) {
        this.cursor = cursor;
        this.kind = kind;
        this.options = options;
        this.nowSeconds = nowSeconds;
        schema = cursor.schema();
        this.json = json;
    }

    /**
     * Writes all of it; does not close {@code out}.
     *
     * @param nowSeconds decides what has expired
     * @throws CorruptSSTableException when the data is wrong, also when a value is none of its type
     */
    public static void dump(SSTableReader reader, DumpOptions options, long nowSeconds, OutputStream out)
            throws IOException {
        DumpJson json = begin(options, out);
        append(reader, options, nowSeconds, json);
        end(options, json);
    }

    /** Begins what holds the partitions of any number of SSTables: an array, or nothing where each has a line. */
    static DumpJson begin(DumpOptions options, OutputStream out) throws IOException {
        DumpJson json = new DumpJson(out, !isArray(options));
        if (isArray(options)) {
            json.startArray();
        }
        return json;
    }

    /** Returns whether all is one array, not a line for each partition. */
    static boolean isArray(DumpOptions options) {
        return options.keysOnly() || !options.partitionPerLine();
    }

    static void end(DumpOptions options, DumpJson json) throws IOException {
        if (isArray(options)) {
            json.endArray();
        }
        json.finish();
    }

    /** Writes the partitions of one SSTable after those of others. */
    static void append(SSTableReader reader, DumpOptions options, long nowSeconds, DumpJson json) throws IOException {
        try (SSTableCursor cursor = reader.scanAsWritten()) {
            try {
                String kind = reader.descriptor().isInIndexDirectory() ? INDEX : REGULAR;
                new SSTableDump(cursor, kind, options, nowSeconds, json).dump();
            } catch (InvalidValueException e) {
                throw new CorruptSSTableException(
                        reader.descriptor().file(Component.DATA),
                        cursor.dataPosition(),
                        "value is none of its type: " + e.getMessage(),
                        e);
            }
        }
    }

    private void dump() throws IOException {
        FragmentKind kind;
        while ((kind = cursor.advance()) != null) {
            switch (kind) {
                case PARTITION_START -> beginPartition();
                case STATIC_ROW -> row(schema.staticColumns());
                case CLUSTERING_ROW -> row(schema.regularColumns());
                case RANGE_TOMBSTONE_CHANGE -> change(cursor.rangeTombstoneChange());
                case PARTITION_END -> {
                    json.endArray();
                    json.endObject();
                }
            }
        }
    }

    private void beginPartition() throws IOException {
        List<String> key = KeyText.of(schema, cursor.key());
        if (options.keysOnly()) {
            key(key);
            cursor.nextPartition();
            return;
        }
        if (!isWanted(key)) {
            cursor.nextPartition();
            return;
        }
        json.startObject();
        json.name("table kind");
        json.string(kind);
        json.name("partition");
        json.startObject();
        json.name("key");
        key(key);
        json.name("position");
        json.number(cursor.rowsPosition());
        if (cursor.partitionDeletionTimestampMicros() != DeletionTime.NO_TIMESTAMP) {
            deletion(cursor.partitionDeletionTimestampMicros(), cursor.partitionDeletionLocalTimeSeconds());
        }
        json.endObject();
        json.name("rows");
        json.startArray();
        openMicros = DeletionTime.NO_TIMESTAMP;
        openSeconds = DeletionTime.NO_DELETION_TIME;
    }

    private boolean isWanted(List<String> key) {
        if (options.keys().isEmpty() && options.excludedKeys().isEmpty()) {
            return true;
        }
        String text = KeyText.joined(key);
        return (options.keys().isEmpty() || options.keys().contains(text))
                && !options.excludedKeys().contains(text);
    }

    private void key(List<String> texts) throws IOException {
        json.compactObjects(true);
        json.compactArrays(true);
        json.startArray();
        for (String text : texts) {
            json.string(text);
        }
        json.endArray();
        json.compactObjects(false);
        json.compactArrays(false);
    }

    private void row(List<Column> columns) throws IOException {
        Row row = cursor.row();
        json.startObject();
        json.name("type");
        json.string(row.isStatic() ? "static_block" : "row");
        json.name("position");
        json.number(row.isStatic() ? cursor.rowsPosition() : cursor.dataPosition());
        if (!row.isStatic()) {
            clustering(row.clustering());
        }
        if (row.hasLiveness()) {
            liveness(row);
        }
        if (row.hasDeletion()) {
            deletion(row.deletionTimestampMicros(), row.deletionLocalTimeSeconds());
        }
        json.name("cells");
        json.startArray();
        for (int i = 0; i < row.entryCount(); i++) {
            Column column = columns.get(row.columnIndex(i));
            if (row.isComplexDeletion(i)) {
                complexDeletion(column, row, i);
            } else {
                cell(column, row, i);
            }
        }
        json.endArray();
        json.endObject();
    }

    private void liveness(Row row) throws IOException {
        json.compactObjects(false);
        json.name("liveness_info");
        json.compactObjects(true);
        json.startObject();
        time("tstamp", TimeUnit.MICROSECONDS, row.livenessTimestampMicros());
        if (row.livenessTtlSeconds() != Row.NO_TTL) {
            json.name("ttl");
            json.number(row.livenessTtlSeconds());
            time("expires_at", TimeUnit.SECONDS, row.livenessExpirySeconds());
            json.name("expired");
            json.bool(row.livenessExpirySeconds() < nowSeconds);
        }
        json.endObject();
        json.compactObjects(false);
    }

    private void change(RangeTombstoneChange change) throws IOException {
        boolean before = change.weight() == ClusteringComparator.BEFORE;
        boolean closes = openMicros != DeletionTime.NO_TIMESTAMP;
        boolean opens = !change.isLive();
        json.startObject();
        json.name("type");
        json.string(closes && opens ? "range_tombstone_boundary" : "range_tombstone_bound");
        if (opens) {
            bound("start", before, change.prefix(), change.timestampMicros(), change.localDeletionTimeSeconds());
        }
        if (closes) {
            bound("end", !before, change.prefix(), openMicros, openSeconds);
        }
        json.endObject();
        json.compactObjects(false);
        openMicros = change.timestampMicros();
        openSeconds = change.localDeletionTimeSeconds();
    }

    private void bound(String name, boolean inclusive, Clustering prefix, long micros, long localSeconds)
            throws IOException {
        json.name(name);
        json.startObject();
        json.name("type");
        json.string(inclusive ? "inclusive" : "exclusive");
        clustering(prefix);
        deletion(micros, localSeconds);
        json.endObject();
    }

    private void clustering(Clustering prefix) throws IOException {
        if (prefix.size() == 0) {
            return;
        }
        json.name("clustering");
        json.compactObjects(true);
        json.startArray();
        json.compactArrays(true);
        for (Column column : schema.clustering()) {
            int i = column.index();
            if (i >= prefix.size()) {
                json.string("*");
            } else if (prefix.isAbsent(i)) {
                json.raw().append("null");
            } else {
                column.type().appendJson(prefix.buffer(), prefix.offset(i), prefix.lengthBytes(i), json.raw());
            }
        }
        json.endArray();
        json.compactObjects(false);
        json.compactArrays(false);
    }

    private void deletion(long micros, long localSeconds) throws IOException {
        json.name("deletion_info");
        json.compactObjects(true);
        json.startObject();
        time("marked_deleted", TimeUnit.MICROSECONDS, micros);
        time("local_delete_time", TimeUnit.SECONDS, localSeconds);
        json.endObject();
        json.compactObjects(false);
    }

    private void complexDeletion(Column column, Row row, int entry) throws IOException {
        json.compactObjects(true);
        json.startObject();
        json.name("name");
        json.string(Identifiers.quoteIfNeeded(column.name()));
        deletion(row.timestampMicros(entry), row.localDeletionTimeSeconds(entry));
        json.compactObjects(true);
        json.endObject();
        json.compactObjects(false);
    }

    private void cell(Column column, Row row, int entry) throws IOException {
        json.startObject();
        json.compactObjects(true);
        json.name("name");
        json.string(Identifiers.quoteIfNeeded(column.name()));
        if (column.isComplex()) {
            json.name("path");
            json.compactArrays(true);
            json.startArray();
            json.string(
                    column.type().pathText(row.pathBuffer(entry), row.pathOffset(entry), row.pathLengthBytes(entry)));
            json.endArray();
            json.compactArrays(false);
        }
        if (row.isTombstone(entry)) {
            json.name("deletion_info");
            json.compactObjects(true);
            json.startObject();
            time("local_delete_time", TimeUnit.SECONDS, row.localDeletionTimeSeconds(entry));
            json.endObject();
            json.compactObjects(false);
        } else {
            json.name("value");
            cellType(column, row, entry)
                    .appendJson(
                            row.valueBuffer(entry), row.valueOffset(entry), row.valueLengthBytes(entry), json.raw());
        }
        if (!row.hasLiveness() || row.timestampMicros(entry) != row.livenessTimestampMicros()) {
            time("tstamp", TimeUnit.MICROSECONDS, row.timestampMicros(entry));
        }
        if (row.isExpiring(entry) && (!row.hasLiveness() || row.ttlSeconds(entry) != row.livenessTtlSeconds())) {
            json.name("ttl");
            json.number(row.ttlSeconds(entry));
            time("expires_at", TimeUnit.SECONDS, row.localDeletionTimeSeconds(entry));
            json.name("expired");
            json.bool(row.localDeletionTimeSeconds(entry) <= nowSeconds);
        }
        json.endObject();
        json.compactObjects(false);
    }

    private static CqlType cellType(Column column, Row row, int entry) {
        return column.isComplex()
                ? column.type().cellType(row.pathBuffer(entry), row.pathOffset(entry), row.pathLengthBytes(entry))
                : column.type().cellType();
    }

    private void time(String name, TimeUnit unit, long value) throws IOException {
        json.name(name);
        if (options.rawTimes()) {
            json.string(Long.toString(value));
            return;
        }
        long nanos = Math.floorMod(unit.toNanos(value), 1_000_000_000L);
        json.string(Instant.ofEpochSecond(unit.toSeconds(value), nanos).toString());
    }
}
