package io.anneal.harness;

import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.harness.store.CassandraPartitionDao;
import io.anneal.harness.store.EmbeddedPartitionDao;
import io.anneal.harness.store.OpenStore;
import io.anneal.harness.store.PartitionDao;
import io.anneal.migrate.bulk.Backfill;
import io.anneal.migrate.bulk.BackfillResult;
import io.anneal.migrate.bulk.BulkSource;
import io.anneal.migrate.bulk.BulkTarget;
import io.anneal.migrate.bulk.ReverseBackfill;
import io.anneal.migrate.bulk.ReverseResult;
import io.anneal.migrate.bulk.Verification;
import io.anneal.migrate.bulk.VerificationResult;
import io.anneal.migrate.rows.CassandraBulkConfig;
import io.anneal.migrate.rows.CassandraSource;
import io.anneal.migrate.rows.CassandraTarget;
import io.anneal.migrate.rows.RowEntry;
import io.anneal.migrate.rows.StoreSource;
import io.anneal.migrate.rows.StoreTarget;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;

/** Back-fill, verification and reverse back-fill row by row, between the stores that the command opens by itself. */
public final class BulkWork {
    private static final int REREADS = 3;
    private static final String CASSANDRA_TABLE = "items";
    /** The example's rows are written by UPDATE alone. */
    private static final CassandraBulkConfig CASSANDRA = CassandraBulkConfig.DEFAULTS.withRowMarkers(false);

    private final MigrationSides sides;
    private final PhaseStore phases;
    private final PhaseControl control;
    private final BulkSettings settings;
    private final InstantSource clock;

    public BulkWork(
            MigrationSides sides, PhaseStore phases, PhaseControl control, BulkSettings settings, InstantSource clock) {
        this.sides = sides;
        this.phases = phases;
        this.control = control;
        this.settings = settings;
        this.clock = clock;
    }

    /** Whether the rows of both can be read and written. */
    static boolean possible(MigrationSides sides) {
        return hasRows(sides.origin().dao()) && hasRows(sides.target().dao());
    }

    private static boolean hasRows(PartitionDao dao) {
        return dao instanceof EmbeddedPartitionDao || dao instanceof CassandraPartitionDao;
    }

    private BulkSource<RowEntry> source(OpenStore store) throws IOException {
        if (store.dao() instanceof EmbeddedPartitionDao embedded) {
            return StoreSource.of(embedded.store(), embedded.table().schema().qualifiedName(), clock);
        }
        CassandraPartitionDao cassandra = (CassandraPartitionDao) store.dao();
        return CassandraSource.open(cassandra.session(), cassandra.keyspace(), CASSANDRA_TABLE, CASSANDRA, clock);
    }

    private BulkTarget<RowEntry> target(OpenStore store) throws IOException {
        if (store.dao() instanceof EmbeddedPartitionDao embedded) {
            return StoreTarget.of(embedded.store(), embedded.table().schema().qualifiedName(), clock);
        }
        CassandraPartitionDao cassandra = (CassandraPartitionDao) store.dao();
        return CassandraTarget.open(cassandra.session(), cassandra.keyspace(), CASSANDRA_TABLE, CASSANDRA, clock);
    }

    /** Copies all of the origin to the target. */
    public BackfillResult backfill() throws IOException, InterruptedException {
        try (BulkSource<RowEntry> origin = source(sides.origin());
                BulkTarget<RowEntry> target = target(sides.target())) {
            Backfill.Builder<RowEntry> backfill = Backfill.builder(origin, target)
                    .rowsPerSecond(settings.rowsPerSecond())
                    .phases(phases, control, settings.who())
                    .progress(settings.progress());
            settings.checkpoint().ifPresent(backfill::checkpoint);
            return backfill.build().run();
        }
    }

    /** Compares both sides, in both directions. */
    public VerificationResult verification() throws IOException, InterruptedException {
        try (BulkSource<RowEntry> origin = source(sides.origin());
                BulkSource<RowEntry> target = source(sides.target())) {
            Verification.Builder<RowEntry> verification = Verification.builder(origin, target)
                    .rowsPerSecond(settings.rowsPerSecond())
                    .rereads(REREADS, settings.rereadDelay())
                    .phases(phases, control, settings.who())
                    .progress(settings.progress());
            settings.checkpoint().ifPresent(verification::checkpoint);
            return verification.build().run();
        }
    }

    /**
     * Goes back from 4 or 5 to a phase from which the migration can be rolled back, the origin made good.
     *
     * @param patience how long instances may take, for each step and for their journals
     */
    public ReverseResult reverse(Duration patience) throws IOException, InterruptedException {
        try (BulkSource<RowEntry> origin = source(sides.origin());
                BulkSource<RowEntry> target = source(sides.target());
                BulkTarget<RowEntry> originWritten = target(sides.origin())) {
            ReverseBackfill.Builder<RowEntry> reverse = ReverseBackfill.builder(origin, target, "the way back")
                    .rowsPerSecond(settings.rowsPerSecond())
                    .repair(originWritten)
                    .patience(patience)
                    .rereads(REREADS, settings.rereadDelay())
                    .phases(phases, control, settings.who())
                    .progress(settings.progress());
            settings.checkpoint().ifPresent(reverse::checkpoint);
            return reverse.build().run();
        }
    }
}
