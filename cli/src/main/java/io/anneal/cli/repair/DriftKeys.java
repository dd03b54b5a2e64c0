package io.anneal.cli.repair;

import io.anneal.key.KeyText;
import io.anneal.key.KeyView;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.repair.DeletionDifference;
import io.anneal.repair.DifferenceListener;
import io.anneal.repair.Repair;
import io.anneal.repair.RowDifference;
import io.anneal.repair.RowDrift;
import io.anneal.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Reads rows that a sample found to differ from all replicas: since when they differ, and whether expired deletions meet what lives.
 * Some thousand of each table at most. One call at a time.
 */
final class DriftKeys implements DifferenceListener, Closeable {
    static final int ROWS_MAX = 2000;
    static final int GHOSTS_NAMED_MAX = 10;

    private final DifferingRows rows;
    private final Map<String, Found> tables = new HashMap<>();

    /** What the rows of one table told. */
    static final class Found {
        private int asked;
        private int read;
        private int ghosts;
        private final List<String> ghostKeys = new ArrayList<>();
        private OptionalLong oldestMicros = OptionalLong.empty();

        /** Rows that were read. */
        int read() {
            return read;
        }

        /** Those of them of which an expired deletion of one replica covers what lives on another. */
        int ghosts() {
            return ghosts;
        }

        /** The first of those. */
        List<String> ghostKeys() {
            return ghostKeys;
        }

        /** Timestamp of the oldest write that some replica lacks. */
        OptionalLong oldestMicros() {
            return oldestMicros;
        }

        private void differsSince(long micros) {
            oldestMicros = OptionalLong.of(Math.min(micros, oldestMicros.orElse(micros)));
        }
    }

    /** @param notes hears why rows are not read any more */
    DriftKeys(Repair repair, LongSupplier nowSeconds, Consumer<String> notes) {
        rows = new DifferingRows(repair, nowSeconds, notes, "counted", this::count);
    }

    Found of(String table) {
        return tables.computeIfAbsent(table, name -> new Found());
    }

    @Override
    public void begins(TableSchema table, List<String> names) throws IOException {
        rows.begins(table, names);
    }

    @Override
    public void deletionDiffers(DeletionDifference difference) {
        found().differsSince(difference.deletion().timestampMicros());
    }

    @Override
    public void rowDiffers(RowDifference difference) throws IOException {
        Found found = found();
        if (found.asked < ROWS_MAX) {
            found.asked++;
            rows.add(difference);
        }
    }

    @Override
    public void ends() throws IOException {
        rows.flush();
    }

    private void count(RowDifference difference, Optional<DifferingRows.Found> row) {
        if (row.isEmpty()) {
            return;
        }
        Found found = found();
        RowDrift drift = RowDrift.of(rows.schema(), row.get().rule(), row.get().versions());
        found.read++;
        drift.differsSinceMicros().ifPresent(found::differsSince);
        if (drift.isGhost() && found.ghosts++ < GHOSTS_NAMED_MAX) {
            found.ghostKeys.add(text(difference.place()));
        }
    }

    private Found found() {
        return of(rows.schema().qualifiedName());
    }

    private String text(RingPosition position) {
        PositionInPartition place = position.position();
        return "key="
                + KeyText.of(rows.schema(), new KeyView().wrap(position.key().orElseThrow()))
                + (place.region() == PositionInPartition.Region.STATIC
                        ? " static"
                        : " clustering=" + KeyText.of(rows.schema(), place.prefix()));
    }

    @Override
    public void close() throws IOException {
        rows.close();
    }
}
