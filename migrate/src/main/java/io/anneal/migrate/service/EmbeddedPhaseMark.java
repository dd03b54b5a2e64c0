package io.anneal.migrate.service;

import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.store.RowRange;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import java.io.IOException;
import java.util.Optional;

/**
 * The newest phase record seen, in table {@code migrate.phase_mark} of a target that is an embedded store. To start a migration
 * over, delete the partition of its name. Any thread.
 */
public final class EmbeddedPhaseMark implements PhaseMark {
    private static final String TABLE = "CREATE TABLE IF NOT EXISTS migrate.phase_mark"
            + " (name text, version bigint, phase text, highest text, PRIMARY KEY (name, version))"
            + " WITH CLUSTERING ORDER BY (version DESC)";
    private static final RowRange NEWEST = RowRange.ALL.limit(1);

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
        try (TableRows rows = table.partition(NEWEST, name)) {
            return Optional.ofNullable(rows.next()).map(row -> seen(name, row));
        } catch (IOException | IllegalStateException e) {
            throw failed(name, e);
        }
    }

    private Seen seen(String name, TableRow row) {
        return Seen.read(place(), name, row.getLong("version"), row.getString("phase"), row.getString("highest"));
    }

    @Override
    public void remember(String name, Seen seen) {
        try {
            table.row()
                    .key("name", name)
                    .clustering("version", seen.version())
                    .set("phase", seen.phase().label())
                    .set("highest", seen.highest().label())
                    .insert();
        } catch (IOException | IllegalStateException e) {
            throw failed(name, e);
        }
        seen.requireTaken(place(), name, read(name));
    }

    private String place() {
        return store.directory().toString();
    }

    private PhaseStoreException failed(String name, Exception cause) {
        return new PhaseStoreException(
                "mark of the phase in the target can't be used, place=" + place() + ", name=" + name + ", reason="
                        + cause.getMessage() + "; open the store again",
                cause);
    }
}
