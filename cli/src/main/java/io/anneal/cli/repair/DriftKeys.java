package io.anneal.cli.repair;

import io.anneal.cli.command.KeyText;
import io.anneal.key.KeyView;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.repair.DeletionDifference;
import io.anneal.repair.DifferenceListener;
import io.anneal.repair.Repair;
import io.anneal.repair.ReplicaRows;
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

    private final Repair repair;
    private final LongSupplier nowSeconds;
    private final Consumer<String> notes;
    private final Map<String, Found> tables = new HashMap<>();
    private TableSchema schema;
    private List<String> replicas = List.of();
    private Optional<ReplicaRows> rows = Optional.empty();
    private boolean isUnreadable;

    /** What the rows of one table told. */
    static final class Found {
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
        this.repair = repair;
        this.nowSeconds = nowSeconds;
        this.notes = notes;
    }

    Found of(String table) {
        return tables.computeIfAbsent(table, name -> new Found());
    }

    @Override
    public void begins(TableSchema table, List<String> names) throws IOException {
        boolean isOther =
                schema == null || !schema.qualifiedName().equals(table.qualifiedName()) || !replicas.equals(names);
        schema = table;
        replicas = List.copyOf(names);
        if (isOther) {
            close();
        }
    }

    @Override
    public void deletionDiffers(DeletionDifference difference) {
        of(schema.qualifiedName()).differsSince(difference.deletion().timestampMicros());
    }

    /** What can't be read must not end the comparison: it is said once. */
    @Override
    public void rowDiffers(RowDifference difference) {
        Found found = of(schema.qualifiedName());
        if (isUnreadable || found.read >= ROWS_MAX) {
            return;
        }
        try {
            if (rows.isEmpty()) {
                rows = Optional.of(repair.rows(schema, replicas));
            }
            SessionPurgeRule rule = new SessionPurgeRule(
                    nowSeconds.getAsLong(), schema.options().gcGraceSeconds());
            RowDrift drift = RowDrift.of(schema, rule, rows.get().read(difference.place()));
            found.read++;
            drift.differsSinceMicros().ifPresent(found::differsSince);
            if (drift.isGhost() && found.ghosts++ < GHOSTS_NAMED_MAX) {
                found.ghostKeys.add(text(difference.place()));
            }
        } catch (IOException | RuntimeException e) {
            isUnreadable = true;
            notes.accept("rows that differ are counted, but not read any more: " + e.getMessage());
        }
    }

    private String text(RingPosition position) {
        PositionInPartition place = position.position();
        return "key=" + KeyText.of(schema, new KeyView().wrap(position.key().orElseThrow()))
                + (place.region() == PositionInPartition.Region.STATIC
                        ? " static"
                        : " clustering=" + KeyText.of(schema, place.prefix()));
    }

    @Override
    public void close() throws IOException {
        if (rows.isPresent()) {
            rows.get().close();
        }
        rows = Optional.empty();
    }
}
