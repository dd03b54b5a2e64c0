package io.anneal.migrate.store;

import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRow;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/**
 * The newest phase record seen, in table {@code migrate.phase_mark} of a target that is an embedded store. The record's version
 * is the write's timestamp, so that an older one never replaces a newer one. Any thread.
 */
public final class EmbeddedPhaseMark implements PhaseMark {
    private static final String TABLE = "CREATE TABLE IF NOT EXISTS migrate.phase_mark"
            + " (name text PRIMARY KEY, version bigint, phase text, highest text)";

    private final Store store;
    private final Table table;

    private EmbeddedPhaseMark(Store store, Table table) {
        this.store = store;
        this.table = table;
    }

    /** In a store, which stays the caller's. */
    public static EmbeddedPhaseMark open(Store store) throws IOException {
        return new EmbeddedPhaseMark(store, store.createTable(TABLE));
    }

    @Override
    public Optional<Seen> read(String name) {
        try {
            return table.row(Map.of("name", name)).map(row -> seen(name, row));
        } catch (IOException | IllegalStateException e) {
            throw failed(name, e);
        }
    }

    private Seen seen(String name, TableRow row) {
        return PhaseMarks.seen(
                store.directory().toString(),
                name,
                row.value("version", Long.class),
                row.value("phase", String.class),
                row.value("highest", String.class));
    }

    @Override
    public void remember(String name, Seen seen) {
        try {
            table.row()
                    .key("name", name)
                    .timestampMicros(seen.version())
                    .set("version", seen.version())
                    .set("phase", seen.phase().label())
                    .set("highest", seen.highest().label())
                    .insert();
        } catch (IOException | IllegalStateException e) {
            throw failed(name, e);
        }
    }

    private PhaseStoreException failed(String name, Exception cause) {
        return new PhaseStoreException(
                "mark of the phase in the target can't be used, place=" + store.directory() + ", name=" + name
                        + ", reason=" + cause.getMessage() + "; open the store again",
                cause);
    }
}
