package io.anneal.migrate;

import io.anneal.dualdao.phase.PhaseControl;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.migrate.bulk.Backfill;
import io.anneal.migrate.bulk.BackfillResult;
import io.anneal.migrate.bulk.BulkSource;
import io.anneal.migrate.bulk.BulkStores;
import io.anneal.migrate.bulk.BulkTarget;
import io.anneal.migrate.bulk.ReverseBackfill;
import io.anneal.migrate.bulk.ReverseResult;
import io.anneal.migrate.bulk.RowEntry;
import io.anneal.migrate.bulk.Verification;
import io.anneal.migrate.bulk.VerificationResult;
import io.anneal.migrate.store.OpenStore;
import io.anneal.migrate.store.TimedPartitions;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.function.Supplier;

/** Back-fill, verification and reverse back-fill of a migration between stores that tell and take times of writes. */
public final class BulkWork {
    private static final int REREADS = 3;

    private final MigrationSides sides;
    private final Supplier<? extends Collection<Long>> keys;
    private final PhaseStore phases;
    private final PhaseControl control;
    private final BulkSettings settings;
    private final InstantSource clock;

    /**
     * @param keys that stores may hold which can't list their keys
     */
    public BulkWork(
            MigrationSides sides,
            Supplier<? extends Collection<Long>> keys,
            PhaseStore phases,
            PhaseControl control,
            BulkSettings settings,
            InstantSource clock) {
        this.sides = sides;
        this.keys = keys;
        this.phases = phases;
        this.control = control;
        this.settings = settings;
        this.clock = clock;
    }

    /** Whether both stores tell and take times of writes. */
    public static boolean possible(MigrationSides sides) {
        return sides.origin().dao() instanceof TimedPartitions && sides.target().dao() instanceof TimedPartitions;
    }

    private BulkSource<RowEntry> source(OpenStore store) throws IOException {
        return BulkStores.source(store.dao(), keys, clock);
    }

    private BulkTarget<RowEntry> target(OpenStore store) throws IOException {
        return BulkStores.target(store.dao(), clock);
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
