package io.anneal.cli.repair;

import io.anneal.cli.command.CellJson;
import io.anneal.cli.command.Progress;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.Row;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyText;
import io.anneal.key.KeyView;
import io.anneal.key.PositionInPartition;
import io.anneal.repair.DeletionDifference;
import io.anneal.repair.RowDifference;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import java.io.PrintStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Rows that differ, a line each, for people. */
final class RowText implements RowLines.Format {
    private static final int VALUE_LENGTH_MAX = 60;

    private final PrintStream out;
    private final Progress progress;

    RowText(PrintStream out, Progress progress) {
        this.out = out;
        this.progress = progress;
    }

    private void print(String line) {
        progress.aside(() -> out.println(line));
    }

    private static String key(TableSchema schema, DecoratedKey key) {
        return "differs: key=" + KeyText.of(schema, new KeyView().wrap(key));
    }

    @Override
    public void deletion(TableSchema schema, DeletionDifference difference, List<String> lacking) {
        DeletionTime deletion = difference.deletion();
        print(key(schema, difference.key())
                + difference.range().map(range -> " " + text(schema, range)).orElse(" deletion of the partition")
                + " written " + micros(deletion.timestampMicros()) + ", made "
                + Instant.ofEpochSecond(deletion.localDeletionTimeSeconds()) + ": not in "
                + String.join(", ", lacking));
    }

    private static String text(TableSchema schema, RangeDeletion range) {
        return "deletion from " + KeyText.of(schema, range.start())
                + (range.startWeight() == ClusteringComparator.BEFORE ? "" : " exclusive") + " to "
                + KeyText.of(schema, range.end())
                + (range.endWeight() == ClusteringComparator.AFTER ? "" : " exclusive");
    }

    @Override
    public void row(
            TableSchema schema, RowDifference difference, List<String> lacking, Optional<RowLines.Found> found) {
        PositionInPartition place = difference.place().position();
        print(key(schema, difference.place().key().orElseThrow())
                + (place.region() == PositionInPartition.Region.STATIC
                        ? " static"
                        : " clustering=" + KeyText.of(schema, place.prefix()))
                + ": "
                + found.map(row -> text(schema, row))
                        .orElse("not in, or not all of it in " + String.join(", ", lacking)));
    }

    private static String text(TableSchema schema, RowLines.Found row) {
        String ghost = row.isGhost() ? "; ghost: a deletion that has expired hides it on a replica, and is spread" : "";
        if (row.isEqual(schema)) {
            return "equal by now" + ghost;
        }
        List<String> parts = new ArrayList<>();
        if (!row.without().isEmpty()) {
            parts.add("not in " + String.join(", ", row.without()) + "; in " + String.join(", ", row.holders())
                    + ", last written " + micros(lastMicros(row)));
        }
        for (RowParts.Difference difference : RowParts.differences(schema, row.views())) {
            parts.add(text(difference, row.holders()));
        }
        return String.join("; ", parts) + ghost;
    }

    private static long lastMicros(RowLines.Found found) {
        long last = Long.MIN_VALUE;
        for (Row row : found.views()) {
            last = Math.max(last, Math.max(row.livenessTimestampMicros(), row.deletionTimestampMicros()));
            for (int i = 0; i < row.entryCount(); i++) {
                last = Math.max(last, row.timestampMicros(i));
            }
        }
        return last;
    }

    private static String text(RowParts.Difference difference, List<String> names) {
        List<String> versions = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            versions.add(names.get(i) + " "
                    + difference
                            .parts()
                            .get(i)
                            .map(part -> text(difference, part))
                            .orElse("nothing"));
        }
        return name(difference) + ": " + String.join(", ", versions);
    }

    private static String name(RowParts.Difference difference) {
        RowParts.Part any = difference.any();
        return switch (difference.kind()) {
            case LIVENESS -> "inserted";
            case DELETION -> "row deletion";
            case COLLECTION_DELETION -> difference.column().orElseThrow().name() + ", all of it";
            case CELL -> {
                Column column = difference.column().orElseThrow();
                yield any.row().pathLengthBytes(any.entry()) == Row.ABSENT
                        ? column.name()
                        : column.name() + "[" + CellJson.pathText(column, any.row(), any.entry()) + "]";
            }
        };
    }

    private static String text(RowParts.Difference difference, RowParts.Part part) {
        Row row = part.row();
        int entry = part.entry();
        return switch (difference.kind()) {
            case LIVENESS ->
                "written " + micros(row.livenessTimestampMicros())
                        + expiry(row.livenessTtlSeconds(), row.livenessExpirySeconds());
            case DELETION -> "deleted " + micros(row.deletionTimestampMicros());
            case COLLECTION_DELETION -> "deleted " + micros(row.timestampMicros(entry));
            case CELL ->
                row.isTombstone(entry)
                        ? "deleted " + micros(row.timestampMicros(entry))
                        : shortened(CellJson.valueJson(difference.column().orElseThrow(), row, entry)) + " written "
                                + micros(row.timestampMicros(entry))
                                + expiry(row.ttlSeconds(entry), row.localDeletionTimeSeconds(entry));
        };
    }

    private static String shortened(String value) {
        return value.length() <= VALUE_LENGTH_MAX
                ? value
                : value.substring(0, VALUE_LENGTH_MAX) + "... (" + value.length() + " characters)";
    }

    private static String expiry(int ttlSeconds, long expirySeconds) {
        return ttlSeconds == Row.NO_TTL
                ? ""
                : ", TTL " + ttlSeconds + " s, expires " + Instant.ofEpochSecond(expirySeconds);
    }

    private static String micros(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString();
    }
}
