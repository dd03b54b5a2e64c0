package io.anneal.migrate;

import io.anneal.dualdao.phase.PhaseControl;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.migrate.bulk.Backfill;
import io.anneal.migrate.bulk.BackfillResult;
import io.anneal.migrate.bulk.BulkSource;
import io.anneal.migrate.bulk.BulkTarget;
import io.anneal.migrate.bulk.RowEntry;
import io.anneal.migrate.bulk.Verification;
import io.anneal.migrate.bulk.VerificationResult;
import java.io.IOException;
import java.time.InstantSource;

/** The back-fill and the verification of a migration whose stores can be read and written in bulk. */
public final class BulkWork {
    private static final int REREADS = 3;

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

    /** Whether both stores can. */
    public boolean possible() {
        return StoreBulk.possible(sides.origin()) && StoreBulk.possible(sides.target());
    }

    /** Copies all of the origin to the target. */
    public BackfillResult backfill() throws IOException, InterruptedException {
        BulkSource<RowEntry> origin = StoreBulk.source(sides.origin(), clock).orElseThrow();
        BulkTarget<RowEntry> target = StoreBulk.target(sides.target(), clock).orElseThrow();
        try (origin;
                target) {
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
        BulkSource<RowEntry> origin = StoreBulk.source(sides.origin(), clock).orElseThrow();
        BulkSource<RowEntry> target = StoreBulk.source(sides.target(), clock).orElseThrow();
        try (origin;
                target) {
            Verification.Builder<RowEntry> verification = Verification.builder(origin, target)
                    .rowsPerSecond(settings.rowsPerSecond())
                    .rereads(REREADS, settings.rereadDelay())
                    .phases(phases, control, settings.who())
                    .progress(settings.progress());
            settings.checkpoint().ifPresent(verification::checkpoint);
            return verification.build().run();
        }
    }
}
