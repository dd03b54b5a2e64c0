package io.anneal.simulation;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.TableAlteration;
import io.anneal.schema.TableSchema;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.FragmentList.Fragment;
import io.anneal.testkit.RandomFragments;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * An {@code ALTER TABLE} that reaches each replica at a time of its own: a column goes or comes, or deletions are kept for less
 * long. Places of the other columns stay, so that rows of the table before it can be read as such of the table after it.
 */
record TableChange(String text, TableSchema before, TableSchema after) {
    /** The last among the columns with several cells. */
    private static final String ADDED = "zz";
    /** After everything that is ever written: what the column held is nowhere. */
    private static final long DROP_MICROS = RandomFragments.TIMESTAMP_BASE_MICROS + 1_000_000_000;

    private static final int ELEMENTS = 3;

    /** @param gcGraceLeastSeconds what follows from it if it is lowered */
    static TableChange any(TableSchema before, long gcGraceLeastSeconds, Random random) {
        List<Column> columns = Stream.concat(before.staticColumns().stream(), before.regularColumns().stream())
                .filter(column -> !column.dropped() && isDroppable(column))
                .toList();
        int kind = random.nextInt(3);
        if (kind == 0 && !columns.isEmpty()) {
            String name = columns.get(random.nextInt(columns.size())).name();
            return of(before, "DROP \"" + name + "\" USING TIMESTAMP " + DROP_MICROS);
        }
        if (kind == 1) {
            return of(before, "ADD " + ADDED + " set<int>");
        }
        long least = Math.min(gcGraceLeastSeconds, before.options().gcGraceSeconds());
        long span = before.options().gcGraceSeconds() - least;
        return of(before, "WITH gc_grace_seconds = " + (least + Math.floorMod(random.nextLong(), span + 1)));
    }

    /** Cassandra drops no user type of several cells. */
    private static boolean isDroppable(Column column) {
        CqlType type = column.type();
        return !column.isComplex()
                || type.cqlName().startsWith("set")
                || type.cqlName().startsWith("map");
    }

    private static TableChange of(TableSchema before, String what) {
        String text = "ALTER TABLE " + before.qualifiedName() + " " + what;
        return new TableChange(text, before, TableAlteration.parse(text).applyTo(before, 0));
    }

    /** What a client writes after the change: nothing in a column that is gone, and elements in the one that came. */
    FragmentList asWritten(FragmentList draw) {
        FragmentList.Builder written = FragmentList.builder(after);
        for (Fragment fragment : draw.fragments()) {
            if (fragment.row() == null) {
                written.add(fragment);
                continue;
            }
            Row row = asWritten(fragment.row());
            if (!row.isEmpty()) {
                written.add(new Fragment(
                        fragment.kind(),
                        fragment.key(),
                        row,
                        fragment.prefix(),
                        fragment.weight(),
                        fragment.timestampMicros(),
                        fragment.localDeletionTimeSeconds()));
            }
        }
        return written.build();
    }

    private Row asWritten(Row row) {
        List<Column> columnsBefore = row.isStatic() ? before.staticColumns() : before.regularColumns();
        List<Column> columns = row.isStatic() ? after.staticColumns() : after.regularColumns();
        Row written = new Row();
        written.clear(row.isStatic());
        written.clustering().wrap(row.clustering());
        written.liveness(row.livenessTimestampMicros(), row.livenessTtlSeconds(), row.livenessExpirySeconds());
        written.deletion(row.deletionTimestampMicros(), row.deletionLocalTimeSeconds(), row.isDeletionShadowable());
        for (int i = 0; i < row.entryCount(); i++) {
            int column = row.columnIndex(i);
            if (columns.get(column).dropped() == columnsBefore.get(column).dropped()) {
                written.addEntryOf(row, i);
            }
        }
        long micros = row.newestTimestampMicros();
        if (columns.size() > columnsBefore.size() && micros > row.deletionTimestampMicros()) {
            byte[] element = ByteBuffer.allocate(Integer.BYTES)
                    .putInt((int) (micros % ELEMENTS))
                    .array();
            written.addCell(columns.size() - 1, micros, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
            written.value(element, 0, 0);
            written.path(element, 0, element.length);
        }
        return written;
    }
}
