package io.anneal.repair;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.node.StagingArea;
import io.anneal.repair.message.RepairCount;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a repair makes of a replica that holds next to nothing, and what it tells and asks of those who bring it SSTables. */
@Timeout(60)
final class FilesFirstTest {
    private static final List<DecoratedKey> KEYS = HandMadeTable.keys(200);
    private static final int ROWS = 10_000;
    private static final double NANOS_PER_SECOND = 1e9;

    @TempDir
    private Path directory;

    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private final List<StagingArea> areas = new ArrayList<>();
    private TestTable full;
    private TestTable empty;

    @BeforeEach
    void make() throws IOException {
        full = new TestTable("full", Sessions.rows(KEYS, ROWS / KEYS.size()), staging("full"));
        empty = new TestTable("empty", Sessions.rows(KEYS.subList(0, 1), 2), staging("empty"));
        empty.takesInAtOnce = true;
    }

    private Optional<StagingArea> staging(String name) throws IOException {
        areas.add(StagingArea.open(directory.resolve(name), name, InstantSource.fixed(Instant.ofEpochSecond(100))));
        return Optional.of(areas.get(areas.size() - 1));
    }

    @AfterEach
    void close() throws IOException {
        executor.shutdownNow();
        for (StagingArea area : areas) {
            area.close();
        }
    }

    private Repair repair() {
        return Repair.of("ks.t")
                .between(RepairMember.here("full", full.opener()), RepairMember.here("empty", empty.opener()))
                .range(TokenRange.FULL)
                .bufferBytes(64 << 10);
    }

    private RepairEnvironment environment(HostEnvironment host, RangeTransfer transfer) {
        return new RepairEnvironment(host, executor, ByteBudget.of(64 << 20)).withTransfer(transfer);
    }

    @Test
    void shouldKeepWhatComesInSSTablesToTheRate() throws IOException {
        long rate = 1000;
        AtomicLong nanos = new AtomicLong();
        HostEnvironment host = HostEnvironment.system()
                .withTime(() -> Instant.ofEpochSecond(100), nanos::get, nanos::addAndGet)
                .withRandom(new Random(1));
        List<Double> rowsAhead = new ArrayList<>();
        RangeTransfer transfer = (task, progress) -> {
            assertThat(task.bytesPerSecond()).isPositive();
            long start = nanos.get();
            for (int tenth = 1; tenth <= 10; tenth++) {
                progress.came(tenth / 10.0, tenth * 1000);
                // What was told last is paid for by the next.
                rowsAhead.add((tenth - 1) / 10.0 * ROWS - (nanos.get() - start) / NANOS_PER_SECOND * rate);
            }
            empty.rows = full.rows;
        };

        RepairReport report = repair().rowsPerSecond(rate).run(environment(host, transfer));

        assertThat(report.counts().of(RepairCount.FILES_FIRST)).isEqualTo(1);
        assertThat(report.wereEqual()).isFalse();
        // How many rows there are is estimated.
        assertThat(rowsAhead).hasSize(10).allSatisfy(ahead -> assertThat(ahead).isLessThan(ROWS / 5.0));
    }

    /** As a session does that goes on where another one ended by time, with a row in its buffer that fills it. */
    @Test
    void shouldNotTakeOneRowForManyBecauseASessionBeginsBeforeIt() throws IOException {
        full.rows = Sessions.rows(KEYS.subList(0, 3), 1);
        empty.rows = Sessions.rows(List.of(), 1);
        RangeTransfer transfer = (task, progress) -> {
            throw new IOException("three rows need no SSTables");
        };

        RepairReport report = Repair.of("ks.t")
                .between(RepairMember.here("full", full.opener()), RepairMember.here("empty", empty.opener()))
                .range(new TokenRange(KEYS.get(0).token() - 1, Long.MAX_VALUE))
                .bufferBytes(1)
                .run(environment(HostEnvironment.system(), transfer));

        assertThat(report.notes()).noneSatisfy(note -> assertThat(note).contains("got rows"));
        assertThat(report.counts().of(RepairCount.FILES_FIRST)).isZero();
        assertThat(report.rowsDiffering()).isEqualTo(3);
    }

    @Test
    void shouldSendRowsWhenNoSSTablesCanBeBrought() throws IOException {
        RangeTransfer transfer = (task, progress) -> {
            throw new IOException("no way there");
        };

        RepairReport report = repair().run(environment(HostEnvironment.system(), transfer));

        assertThat(report.counts().of(RepairCount.FILES_FIRST)).isZero();
        assertThat(report.notes())
                .anySatisfy(
                        note -> assertThat(note).contains("it got rows", "replica=empty, source=full", "no way there"));
        assertThat(empty.stagedLines()).isNotEmpty();
    }
}
