package io.anneal.streaming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.job.JobAbortedException;
import io.anneal.job.JobControl;
import io.anneal.key.TokenRange;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.ReplicaSource;
import io.anneal.node.StagingArea;
import io.anneal.node.StoreReplicas;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.store.LiveFiles;
import io.anneal.store.Store;
import io.anneal.store.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A target beside Cassandra that is started again goes on in the middle of a file, as one that is a store does; and what may be
 * imported is all of a unit, or nothing.
 */
@Timeout(60)
class KeptStagingTest {
    private static final String SCHEMA =
            "CREATE TABLE ks.t (k int PRIMARY KEY, v text) WITH id = 11111111-2222-3333-4444-555555555555";
    private static final HostEnvironment ENVIRONMENT = HostEnvironment.system();
    private static final Duration KEPT = Duration.ofDays(1);
    private static final int ROWS = 2000;
    private static final long FIRST_BYTES = 500_000;
    private static final long KEEP_BYTES = 100_000;
    /** Of a frame, at most. */
    private static final long PIECE_BYTES = 1 << 20;

    @TempDir
    private Path directory;

    private Store from;
    private TestNode node;
    private int sentSSTables;
    private long sentBytes;
    private long heardBytes;

    @BeforeEach
    void start() throws IOException {
        from = Store.open(directory.resolve("from"));
        Table table = from.createTable(SCHEMA);
        Random random = new Random(1);
        for (int k = 0; k < ROWS; k++) {
            byte[] bytes = new byte[500];
            random.nextBytes(bytes);
            table.row().key("k", k).set("v", HexFormat.of().formatHex(bytes)).insert();
        }
        table.flush();
        node = TestNode.of(new StoreReplicas(from));
        try (LiveFiles files = table.liveFiles()) {
            sentSSTables = files.sstables().size();
            sentBytes = files.sstables().stream()
                    .mapToLong(sstable -> sstable.lengthBytes()
                            - sstable.files().get(Component.TOC).lengthBytes())
                    .sum();
        }
        Path data = Files.createDirectories(directory.resolve("data/ks/t-11111111222233334444555555555555"));
        Files.writeString(data.resolve("schema.cql"), SCHEMA + ";");
    }

    @AfterEach
    void stop() throws IOException {
        node.close();
        from.close();
    }

    private Path place() {
        return directory.resolve("staging");
    }

    private static StagingArea open(Path place, Instant now) throws IOException {
        return StagingArea.open(place, "n9", () -> now);
    }

    private ReplicaSource target(StagingArea staging) {
        return new CassandraReplicas(List.of(directory.resolve("data")), Optional.empty(), Optional.of(staging));
    }

    private StreamPlan plan(StagingArea staging) {
        return StreamPlan.into(target(staging))
                .add("ks.t", node.source(), TokenRange.FULL)
                .keptFor(KEPT)
                .keepBytes(KEEP_BYTES);
    }

    /** Ends in mid-file, as a server does that is stopped. */
    private void streamPart() throws IOException {
        JobControl control = new JobControl();
        try (StagingArea staging = open(place(), Instant.now())) {
            assertThatThrownBy(() -> plan(staging)
                            .control(control)
                            .listener((rows, bytes, covered) -> {
                                heardBytes = bytes;
                                if (bytes > FIRST_BYTES) {
                                    control.abort("stopped");
                                }
                            })
                            .run(ENVIRONMENT))
                    .isInstanceOf(JobAbortedException.class);
        }
        assertThat(heardBytes).isBetween(FIRST_BYTES, sentBytes - 1);
    }

    /** SSTables, whole or not, that an import would take. */
    private static List<String> imported(Path place) throws IOException {
        Path tables = place.resolve("ks/t");
        if (!Files.isDirectory(tables)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(tables)) {
            return files.map(file ->
                            Descriptor.of(file).map(Descriptor::baseName).orElse(file.toString()))
                    .distinct()
                    .sorted()
                    .toList();
        }
    }

    private static List<Path> received(Path place) throws IOException {
        Path receiving = place.resolve(".anneal.receiving");
        if (!Files.isDirectory(receiving)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(receiving)) {
            return files.filter(file -> !file.equals(receiving)).toList();
        }
    }

    private void assertComesTo(Path place, long bytesMax) throws IOException {
        try (StagingArea staging = open(place, Instant.now())) {
            assertThat(imported(place)).as("nothing half there").isEmpty();

            StreamReport report = plan(staging).run(ENVIRONMENT);

            assertThat(report.bytes()).as("nothing twice").isLessThanOrEqualTo(bytesMax);
            assertThat(report.sstables()).isEqualTo(sentSSTables);
            assertThat(report.stagedIn())
                    .containsExactly(place.toRealPath().resolve("ks/t").toString());
            assertThat(imported(place)).as("nothing doubled").hasSize(sentSSTables);
            assertThat(received(place)).isEmpty();
            target(staging).open("ks", "t", Optional.empty()).close();
        }
    }

    @Test
    void shouldGoOnInTheMiddleOfAFileWhenTheTargetWasStartedAgain() throws IOException {
        streamPart();

        assertComesTo(place(), sentBytes - heardBytes);
    }

    @Test
    void shouldGoOnFromWhatWasSyncedWhenTheTargetCrashed() throws IOException {
        Path crashed = directory.resolve("crashed");
        try (StagingArea staging = open(place(), Instant.now())) {
            plan(staging)
                    .listener((rows, bytes, covered) -> {
                        if (heardBytes == 0 && bytes > FIRST_BYTES) {
                            heardBytes = bytes;
                            KeptStreamTest.copy(place(), crashed);
                        }
                    })
                    .run(ENVIRONMENT);
        }
        assertThat(received(crashed)).isNotEmpty();

        assertComesTo(crashed, Math.min(sentBytes - 1, sentBytes - heardBytes + KEEP_BYTES + PIECE_BYTES));
    }

    @Test
    void shouldRemoveWhatWasKeptWhenItsTimeIsOver() throws IOException {
        streamPart();
        assertThat(received(place())).isNotEmpty();

        open(place(), Instant.now().plus(KEPT).plusSeconds(60)).close();

        assertThat(received(place())).isEmpty();
        assertComesTo(place(), sentBytes);
    }

    @Test
    void shouldLeaveNothingOfASecondRunOfTheSame() throws IOException {
        JobControl second = new JobControl();
        try (StagingArea staging = open(place(), Instant.now())) {
            plan(staging)
                    .listener((rows, bytes, covered) -> {
                        if (heardBytes == 0 && bytes > FIRST_BYTES) {
                            heardBytes = bytes;
                            abortInTheMiddle(plan(staging).control(second), second);
                            assertThat(imported(place())).isEmpty();
                        }
                    })
                    .run(ENVIRONMENT);

            assertThat(heardBytes).isPositive();
            assertThat(imported(place())).hasSize(sentSSTables);
        }
    }

    private static void abortInTheMiddle(StreamPlan plan, JobControl control) {
        assertThatThrownBy(() -> plan.listener((rows, bytes, covered) -> {
                            if (bytes > FIRST_BYTES) {
                                control.abort("stopped");
                            }
                        })
                        .run(ENVIRONMENT))
                .isInstanceOf(JobAbortedException.class);
    }

    @Test
    void shouldLeaveNothingOfARunThatIsNotKept() throws IOException {
        JobControl control = new JobControl();
        try (StagingArea staging = open(place(), Instant.now())) {
            StreamPlan plan = StreamPlan.into(target(staging))
                    .add("ks.t", node.source(), TokenRange.FULL)
                    .control(control);
            abortInTheMiddle(plan, control);

            assertThat(imported(place())).isEmpty();
            assertThat(received(place())).isEmpty();
        }
    }
}
