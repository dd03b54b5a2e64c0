package io.anneal.fragment;

import io.anneal.key.Clustering;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** Streams as lines of text that hold everything, so that a difference can be read. */
public final class StreamText {
    private StreamText() {}

    /** Reads the cursor to its end, checking the contract on the way. */
    public static List<String> of(FragmentCursor unchecked) throws IOException {
        FragmentCursor cursor = FragmentStreamValidator.withValues(unchecked);
        List<String> lines = new ArrayList<>();
        while (cursor.advance() != null) {
            lines.add(fragment(cursor));
        }
        return lines;
    }

    /** The current fragment. */
    public static String fragment(FragmentCursor cursor) {
        return switch (cursor.kind()) {
            case PARTITION_START ->
                "partition " + cursor.key().toDecoratedKey()
                        + deletion(
                                cursor.partitionDeletionTimestampMicros(), cursor.partitionDeletionLocalTimeSeconds());
            case STATIC_ROW, CLUSTERING_ROW -> row(cursor.row());
            case RANGE_TOMBSTONE_CHANGE ->
                "change "
                        + bound(
                                cursor.rangeTombstoneChange().prefix(),
                                cursor.rangeTombstoneChange().weight())
                        + deletion(
                                cursor.rangeTombstoneChange().timestampMicros(),
                                cursor.rangeTombstoneChange().localDeletionTimeSeconds());
            case PARTITION_END -> "end";
        };
    }

    public static String bound(Clustering prefix, int weight) {
        return (weight < 0 ? "before" : "after") + clustering(prefix);
    }

    public static String range(RangeDeletion range) {
        return bound(range.start(), range.startWeight()) + " to " + bound(range.end(), range.endWeight())
                + deletion(range.timestampMicros(), range.localDeletionTimeSeconds());
    }

    public static String deletion(long micros, long seconds) {
        return DeletionTime.isLive(micros, seconds) ? " live" : " deleted@" + micros + "/" + seconds;
    }

    public static String clustering(Clustering clustering) {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < clustering.size(); i++) {
            parts.add(
                    clustering.isAbsent(i)
                            ? "null"
                            : hex(clustering.buffer(), clustering.offset(i), clustering.lengthBytes(i)));
        }
        return parts.toString();
    }

    private static String hex(byte[] buffer, int offset, int length) {
        return length < 0 ? "absent" : HexFormat.of().formatHex(Arrays.copyOfRange(buffer, offset, offset + length));
    }

    public static String row(Row row) {
        StringBuilder text = new StringBuilder(row.isStatic() ? "static" : "row " + clustering(row.clustering()));
        if (row.hasLiveness()) {
            text.append(" live@" + row.livenessTimestampMicros());
            if (row.livenessTtlSeconds() != Row.NO_TTL) {
                text.append(" ttl=" + row.livenessTtlSeconds() + " expiry=" + row.livenessExpirySeconds());
            }
        }
        if (row.hasDeletion()) {
            text.append(deletion(row.deletionTimestampMicros(), row.deletionLocalTimeSeconds()));
            text.append(row.isDeletionShadowable() ? " shadowable" : "");
        }
        for (int i = 0; i < row.entryCount(); i++) {
            text.append(" | ").append(entry(row, i));
        }
        return text.toString();
    }

    /** One entry; a tombstone's value is nothing to look at. */
    public static String entry(Row row, int i) {
        String column = "#" + row.columnIndex(i);
        if (row.isComplexDeletion(i)) {
            return column + deletion(row.timestampMicros(i), row.localDeletionTimeSeconds(i));
        }
        String path = row.pathLengthBytes(i) < 0
                ? ""
                : "[" + hex(row.pathBuffer(i), row.pathOffset(i), row.pathLengthBytes(i)) + "]";
        String head = column + path + "@" + row.timestampMicros(i);
        if (row.isTombstone(i)) {
            return head + " tombstone/" + row.localDeletionTimeSeconds(i);
        }
        String expiry =
                row.isExpiring(i) ? " ttl=" + row.ttlSeconds(i) + " expiry=" + row.localDeletionTimeSeconds(i) : "";
        return head + expiry + "=" + hex(row.valueBuffer(i), row.valueOffset(i), row.valueLengthBytes(i));
    }
}
