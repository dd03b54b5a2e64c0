package io.anneal.faults;

import io.anneal.store.RowBuilder;
import io.anneal.store.SSTableWriter;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/**
 * Steps on one table that comes and goes, each decided by a seed, its number, and whether the table is there: the process that
 * makes them and the one that knows what they come to agree without a word. Each is done whole or not at all.
 */
final class ScratchSteps {
    static final String TABLE = "two.scratch";

    private static final UUID ID = new UUID(0x4000, 1L << 63 | 77);
    private static final String CREATE = "CREATE TABLE " + TABLE + " (k bigint PRIMARY KEY, v bigint) WITH ID = " + ID;
    private static final int KEYS = 8;
    private static final long AHEAD_MILLIS = TimeUnit.HOURS.toMillis(1);

    private enum Kind {
        INSERT,
        TRUNCATE,
        DROP,
        /** Adds a column, or drops it. */
        ALTER,
        FLUSH,
        /** Of rows whose timestamps are ahead of every clock. */
        IMPORT
    }

    /** @param x of a column that comes and goes */
    record Row(long v, Optional<Long> x) {}

    /** @param rows by key */
    record Content(boolean hasX, Map<Long, Row> rows) {}

    private final long seed;

    ScratchSteps(long seed) {
        this.seed = seed;
    }

    private SplittableRandom random(long step) {
        return new SplittableRandom(seed * 17 + step);
    }

    private static Kind kind(SplittableRandom random) {
        return switch (random.nextInt(16)) {
            case 0, 1 -> Kind.TRUNCATE;
            case 2, 3 -> Kind.DROP;
            case 4 -> Kind.FLUSH;
            case 5 -> Kind.IMPORT;
            case 6, 7 -> Kind.ALTER;
            default -> Kind.INSERT;
        };
    }

    /** What the table has behind a step; empty when it is not there. */
    Optional<Content> after(long step, Optional<Content> before) {
        if (before.isEmpty()) {
            return Optional.of(new Content(false, Map.of()));
        }
        SplittableRandom random = random(step);
        boolean hasX = before.get().hasX();
        Map<Long, Row> rows = new HashMap<>(before.get().rows());
        Row written = new Row(step, hasX ? Optional.of(step) : Optional.empty());
        switch (kind(random)) {
            case TRUNCATE -> rows.clear();
            case DROP -> {
                return Optional.empty();
            }
            case ALTER -> {
                rows.replaceAll((key, row) -> new Row(row.v(), Optional.empty()));
                hasX = !hasX;
            }
            case FLUSH -> {}
            case IMPORT -> LongStream.range(0, KEYS).forEach(key -> rows.put(key, written));
            case INSERT -> rows.put((long) random.nextInt(KEYS), written);
        }
        return Optional.of(new Content(hasX, rows));
    }

    /** What a table has. */
    static Content read(Table table) throws IOException {
        boolean hasX = hasX(table);
        Map<Long, Row> found = new HashMap<>();
        try (TableRows rows = table.rows()) {
            for (TableRow row = rows.next(); row != null; row = rows.next()) {
                Optional<Long> x = hasX ? Optional.ofNullable(row.value("x", Long.class)) : Optional.empty();
                found.put(row.value("k", Long.class), new Row(row.value("v", Long.class), x));
            }
        }
        return new Content(hasX, found);
    }

    private static boolean hasX(Table table) {
        return table.schema().regularColumns().stream()
                .anyMatch(column -> column.name().equals("x") && !column.dropped());
    }

    /** Makes a step. */
    void make(long step, Store store, Path imports) throws IOException {
        Optional<Table> table = store.findTable(TABLE);
        if (table.isEmpty()) {
            store.createTable(CREATE);
            return;
        }
        SplittableRandom random = random(step);
        switch (kind(random)) {
            case TRUNCATE -> table.get().truncate();
            case DROP -> store.dropTable(TABLE);
            case FLUSH -> table.get().flush();
            case ALTER -> store.alterTable("ALTER TABLE " + TABLE + (hasX(table.get()) ? " DROP x" : " ADD x bigint"));
            case IMPORT -> importAhead(step, table.get(), imports.resolve("import-" + step));
            case INSERT -> write(step, table.get(), table.get().row().key("k", (long) random.nextInt(KEYS)));
        }
    }

    private static void write(long step, Table table, RowBuilder row) throws IOException {
        row.set("v", step);
        if (hasX(table)) {
            row.set("x", step);
        }
        row.insert();
    }

    private void importAhead(long step, Table table, Path target) throws IOException {
        Files.createDirectories(target);
        try (SSTableWriter writer = SSTableWriter.builder(table.schema())
                .to(target)
                .timestampMicros(TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis() + AHEAD_MILLIS))
                .unsorted(1 << 20)) {
            for (long key = 0; key < KEYS; key++) {
                write(step, table, writer.row().key("k", key));
            }
            writer.finish();
        }
        table.importSSTables(target.resolve("two").resolve("scratch"));
    }
}
