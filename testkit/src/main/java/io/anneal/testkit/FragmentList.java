package io.anneal.testkit;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Fragments held in memory: written down by hand, generated, or recorded from a cursor. {@link #lines()} makes two of them
 * comparable with a readable difference. Immutable by agreement: nobody writes to the rows.
 */
public final class FragmentList {
    /**
     * One fragment that owns its bytes. {@code row} is set on rows, {@code prefix} and {@code weight} on changes; the two
     * numbers are the partition deletion on a start and the deletion from here on in a change.
     */
    public record Fragment(
            FragmentKind kind,
            DecoratedKey key,
            Row row,
            Clustering prefix,
            int weight,
            long timestampMicros,
            long localDeletionTimeSeconds) {}

    private static final HexFormat HEX = HexFormat.of();

    private final TableSchema schema;
    private final List<Fragment> fragments;

    private FragmentList(TableSchema schema, List<Fragment> fragments) {
        this.schema = schema;
        this.fragments = List.copyOf(fragments);
    }

    public static Builder builder(TableSchema schema) {
        return new Builder(schema);
    }

    /** Records what the cursor still holds; the cursor stays open. */
    public static FragmentList copyOf(FragmentCursor cursor) throws IOException {
        Builder builder = new Builder(cursor.schema());
        while (cursor.advance() != null) {
            switch (cursor.kind()) {
                case PARTITION_START ->
                    builder.partition(
                            cursor.key().toDecoratedKey(),
                            cursor.partitionDeletionTimestampMicros(),
                            cursor.partitionDeletionLocalTimeSeconds());
                case STATIC_ROW, CLUSTERING_ROW -> builder.row(cursor.row().toRow());
                case RANGE_TOMBSTONE_CHANGE ->
                    builder.change(
                            cursor.rangeTombstoneChange().prefix().copy(),
                            cursor.rangeTombstoneChange().weight(),
                            cursor.rangeTombstoneChange().timestampMicros(),
                            cursor.rangeTombstoneChange().localDeletionTimeSeconds());
                case PARTITION_END -> builder.end();
            }
        }
        return builder.build();
    }

    public TableSchema schema() {
        return schema;
    }

    public List<Fragment> fragments() {
        return fragments;
    }

    /** Number of partitions. */
    public int partitionCount() {
        return (int) fragments.stream()
                .filter(f -> f.kind() == FragmentKind.PARTITION_START)
                .count();
    }

    /** A new cursor over all fragments; valid without end. */
    public FragmentCursor cursor() {
        return new FragmentListCursor(this);
    }

    /** Every fragment as a line of text that holds all there is to know about it. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>(fragments.size());
        for (Fragment fragment : fragments) {
            lines.add(line(fragment));
        }
        return lines;
    }

    private String line(Fragment fragment) {
        return switch (fragment.kind()) {
            case PARTITION_START ->
                "partition " + fragment.key()
                        + deletion(fragment.timestampMicros(), fragment.localDeletionTimeSeconds());
            case STATIC_ROW, CLUSTERING_ROW -> "  " + row(fragment.row());
            case RANGE_TOMBSTONE_CHANGE ->
                "  change " + (fragment.weight() < 0 ? "before " : "after ")
                        + clustering(fragment.prefix())
                        + deletion(fragment.timestampMicros(), fragment.localDeletionTimeSeconds());
            case PARTITION_END -> "end";
        };
    }

    private static String deletion(long timestampMicros, long localDeletionTimeSeconds) {
        return DeletionTime.isLive(timestampMicros, localDeletionTimeSeconds)
                ? " live"
                : " deleted@" + timestampMicros + "/" + localDeletionTimeSeconds;
    }

    private static String clustering(Clustering clustering) {
        StringBuilder text = new StringBuilder("(");
        for (int i = 0; i < clustering.size(); i++) {
            text.append(i == 0 ? "" : ",");
            text.append(
                    clustering.isAbsent(i)
                            ? "null"
                            : hex(clustering.buffer(), clustering.offset(i), clustering.lengthBytes(i)));
        }
        return text.append(')').toString();
    }

    private static String hex(byte[] buffer, int offset, int length) {
        return HEX.formatHex(Arrays.copyOfRange(buffer, offset, offset + length));
    }

    private String row(Row row) {
        StringBuilder text = new StringBuilder(row.isStatic() ? "static" : "row " + clustering(row.clustering()));
        if (row.hasLiveness()) {
            text.append(" live@").append(row.livenessTimestampMicros());
            if (row.livenessTtlSeconds() != Row.NO_TTL) {
                text.append(" ttl=").append(row.livenessTtlSeconds());
                text.append(" expiry=").append(row.livenessExpirySeconds());
            }
        }
        if (row.hasDeletion()) {
            text.append(deletion(row.deletionTimestampMicros(), row.deletionLocalTimeSeconds()));
            text.append(row.isDeletionShadowable() ? " shadowable" : "");
        }
        List<Column> columns = row.isStatic() ? schema.staticColumns() : schema.regularColumns();
        for (int i = 0; i < row.entryCount(); i++) {
            text.append(" | ").append(columns.get(row.columnIndex(i)).name());
            entry(row, i, text);
        }
        return text.toString();
    }

    private static void entry(Row row, int entry, StringBuilder text) {
        if (row.isComplexDeletion(entry)) {
            text.append(deletion(row.timestampMicros(entry), row.localDeletionTimeSeconds(entry)));
            return;
        }
        if (row.pathLengthBytes(entry) != Row.ABSENT) {
            String path = hex(row.pathBuffer(entry), row.pathOffset(entry), row.pathLengthBytes(entry));
            text.append('[').append(path).append(']');
        }
        text.append('@').append(row.timestampMicros(entry));
        if (row.isTombstone(entry)) {
            text.append(" tombstone/").append(row.localDeletionTimeSeconds(entry));
            return;
        }
        if (row.isExpiring(entry)) {
            text.append(" ttl=").append(row.ttlSeconds(entry));
            text.append(" expiry=").append(row.localDeletionTimeSeconds(entry));
        }
        text.append('=');
        if (row.valueLengthBytes(entry) != Row.ABSENT) {
            text.append(hex(row.valueBuffer(entry), row.valueOffset(entry), row.valueLengthBytes(entry)));
        }
    }

    /** Collects fragments in the order of the stream; does not check it. */
    public static final class Builder {
        private final TableSchema schema;
        private final List<Fragment> fragments = new ArrayList<>();
        private DecoratedKey key;

        private Builder(TableSchema schema) {
            this.schema = schema;
        }

        /** Starts a partition without a deletion. */
        public Builder partition(DecoratedKey partitionKey) {
            return partition(partitionKey, DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME);
        }

        public Builder partition(DecoratedKey partitionKey, long timestampMicros, long localDeletionTimeSeconds) {
            key = partitionKey;
            return add(FragmentKind.PARTITION_START, null, null, 0, timestampMicros, localDeletionTimeSeconds);
        }

        /** Adds a static or clustering row, which must own its bytes. */
        public Builder row(Row row) {
            FragmentKind kind = row.isStatic() ? FragmentKind.STATIC_ROW : FragmentKind.CLUSTERING_ROW;
            return add(kind, row, null, 0, DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME);
        }

        public Builder change(Clustering prefix, int weight, long timestampMicros, long localDeletionTimeSeconds) {
            return add(
                    FragmentKind.RANGE_TOMBSTONE_CHANGE,
                    null,
                    prefix,
                    weight,
                    timestampMicros,
                    localDeletionTimeSeconds);
        }

        public Builder end() {
            return add(
                    FragmentKind.PARTITION_END,
                    null,
                    null,
                    0,
                    DeletionTime.NO_TIMESTAMP,
                    DeletionTime.NO_DELETION_TIME);
        }

        /** Adds a fragment of another list. */
        public Builder add(Fragment fragment) {
            key = fragment.key();
            fragments.add(fragment);
            return this;
        }

        private Builder add(
                FragmentKind kind, Row row, Clustering prefix, int weight, long timestampMicros, long localSeconds) {
            fragments.add(new Fragment(kind, key, row, prefix, weight, timestampMicros, localSeconds));
            return this;
        }

        public FragmentList build() {
            return new FragmentList(schema, fragments);
        }
    }
}
