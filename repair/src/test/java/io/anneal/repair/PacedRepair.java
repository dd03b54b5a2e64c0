package io.anneal.repair;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicLong;

/** A repair at a rate, in which time passes as it sleeps and never else: how far its master has read at each moment. */
final class PacedRepair {
    static final List<DecoratedKey> KEYS = HandMadeTable.keys(24);
    static final int KEY_ROWS = 50;
    private static final long ROWS = (long) KEY_ROWS * KEYS.size();
    private static final long RATE = 100;
    private static final int RANGES = 4;
    private static final double NANOS_PER_SECOND = 1e9;

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicLong rowsRead = new AtomicLong();
    /** The most rows that were ever read beyond what the time that had passed allows. */
    private final AtomicLong aheadMost = new AtomicLong();

    PacedRepair(TestTable master) {
        master.beforeFragment = fragment -> {
            double allowed = nanos.get() * RATE / NANOS_PER_SECOND;
            long ahead = (long) (rowsRead.incrementAndGet() - allowed);
            aheadMost.accumulateAndGet(ahead, Math::max);
        };
    }

    RepairReport run(ExecutorService executor, RepairMember... members) throws IOException {
        return repair(members).run(environment(executor));
    }

    /** In sessions that end after a second. */
    RepairReport runInSessions(Path checkpoint, ExecutorService executor, RepairMember... members) throws IOException {
        return repair(members)
                .checkpoint(checkpoint)
                .sessionLeast(Duration.ofSeconds(1))
                .run(environment(executor));
    }

    private RepairEnvironment environment(ExecutorService executor) {
        HostEnvironment host = HostEnvironment.system()
                .withTime(() -> Instant.ofEpochSecond(100), nanos::get, nanos::addAndGet)
                .withRandom(new Random(1));
        return new RepairEnvironment(host, executor, ByteBudget.of(64 << 20));
    }

    private static Repair repair(RepairMember... members) {
        return Repair.of("ks.t")
                .between(members)
                .range(TokenRange.FULL)
                .bufferBytes(1 << 20)
                .units(RANGES)
                .parallel(RANGES)
                .rowsPerSecond(RATE);
    }

    /** Two windows of each range come at once, and the next while the last one is paid for: a second's rows each. */
    void assertPace() {
        assertThat(rowsRead.get()).isGreaterThanOrEqualTo(ROWS);
        assertThat(aheadMost.get()).isPositive().isLessThan(4 * RATE);
    }
}
