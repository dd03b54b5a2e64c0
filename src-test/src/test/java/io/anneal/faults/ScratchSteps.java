package io.anneal.faults;

import io.anneal.store.SSTableWriter;
import io.anneal.store.Store;
import io.anneal.store.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
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
    private static final long AHEAD_SECONDS = 60;

    private enum Kind {
        INSERT,
        TRUNCATE,
        DROP,
        FLUSH,
        /** Of rows whose timestamps are ahead of every clock. */
        IMPORT
    }

    private final long seed;
    private final long nowSeconds;

    /** @param nowSeconds of the campaign */
    ScratchSteps(long seed, long nowSeconds) {
        this.seed = seed;
        this.nowSeconds = nowSeconds;
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
            default -> Kind.INSERT;
        };
    }

    /** What the table has behind a step, by key; empty when it is not there. */
    Optional<Map<Long, Long>> after(long step, Optional<Map<Long, Long>> before) {
        if (before.isEmpty()) {
            return Optional.of(Map.of());
        }
        SplittableRandom random = random(step);
        Map<Long, Long> rows = new HashMap<>(before.get());
        switch (kind(random)) {
            case TRUNCATE -> rows.clear();
            case DROP -> {
                return Optional.empty();
            }
            case FLUSH -> {}
            case IMPORT -> LongStream.range(0, KEYS).forEach(key -> rows.put(key, step));
            case INSERT -> rows.put((long) random.nextInt(KEYS), step);
        }
        return Optional.of(rows);
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
            case IMPORT -> importAhead(step, table.get(), imports.resolve("import-" + step));
            case INSERT ->
                table.get()
                        .row()
                        .key("k", (long) random.nextInt(KEYS))
                        .set("v", step)
                        .insert();
        }
    }

    private void importAhead(long step, Table table, Path target) throws IOException {
        Files.createDirectories(target);
        try (SSTableWriter writer = SSTableWriter.builder(table.schema())
                .to(target)
                .timestampMicros((nowSeconds + AHEAD_SECONDS * step) * 1_000_000)
                .unsorted(1 << 20)) {
            for (long key = 0; key < KEYS; key++) {
                writer.row().key("k", key).set("v", step).insert();
            }
            writer.finish();
        }
        table.importSSTables(target.resolve("two").resolve("scratch"));
    }
}
