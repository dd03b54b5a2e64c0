package io.anneal.streaming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.job.JobAbortedException;
import io.anneal.job.JobControl;
import io.anneal.key.TokenRange;
import io.anneal.node.StoreReplicas;
import io.anneal.sstable.Component;
import io.anneal.store.LiveFiles;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRows;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A target that is started again goes on in the middle of a file, and nothing is sent twice. */
@Timeout(60)
class KeptStreamTest {
    private static final String SCHEMA =
            "CREATE TABLE ks.t (k int PRIMARY KEY, v text) WITH id = 11111111-2222-3333-4444-555555555555";
    private static final HostEnvironment ENVIRONMENT = HostEnvironment.system();
    private static final Duration KEPT = Duration.ofDays(1);
    private static final int ROWS = 2000;
    private static final long FIRST_BYTES = 500_000;
    /** Of a frame, at most. */
    private static final long PIECE_BYTES = 1 << 20;

    @TempDir
    private Path directory;

    private Store from;
    private TestNode node;
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
            sentBytes = files.sstables().stream()
                    .mapToLong(sstable -> sstable.lengthBytes()
                            - sstable.files().get(Component.TOC).lengthBytes())
                    .sum();
        }
    }

    @AfterEach
    void stop() throws IOException {
        node.close();
        from.close();
    }

    private StreamPlan plan(Store target) {
        return StreamPlan.into(new StoreReplicas(target))
                .add("ks.t", node.source(), TokenRange.FULL)
                .keptFor(KEPT);
    }

    /** Ends in mid-file, as a server does that is stopped. */
    private void streamPart(Store target) {
        JobControl control = new JobControl();
        assertThatThrownBy(() -> plan(target)
                        .control(control)
                        .listener((rows, bytes, covered) -> {
                            heardBytes = bytes;
                            if (bytes > FIRST_BYTES) {
                                control.abort("stopped");
                            }
                        })
                        .run(ENVIRONMENT))
                .isInstanceOf(JobAbortedException.class);
        assertThat(heardBytes).isBetween(FIRST_BYTES, sentBytes - 1);
    }

    private static long rows(Store target) throws IOException {
        try (TableRows rows = target.table("ks.t").rows();
                Stream<?> all = rows.stream()) {
            return all.count();
        }
    }

    /** Elsewhere in an open store files come and go. */
    private static List<Path> received(Path store) throws IOException {
        Path receiving = store.resolve("data/ks/t-11111111222233334444555555555555/receiving");
        if (!Files.isDirectory(receiving)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(receiving)) {
            return files.filter(file -> !file.equals(receiving)).toList();
        }
    }

    private Store open(Instant now) throws IOException {
        return Store.open(directory.resolve("to"), StoreConfig.defaults(), ENVIRONMENT.withClock(() -> now));
    }

    @Test
    void shouldGoOnInTheMiddleOfAFileWhenTheTargetWasStartedAgain() throws IOException {
        try (Store target = Store.open(directory.resolve("to"))) {
            target.createTable(SCHEMA);
            streamPart(target);
            assertThat(target.table("ks.t").sstableCount()).isZero();
        }
        try (Store target = Store.open(directory.resolve("to"))) {
            StreamReport report = plan(target).run(ENVIRONMENT);

            assertThat(report.bytes()).as("nothing twice").isLessThanOrEqualTo(sentBytes - heardBytes);
            assertThat(rows(target)).isEqualTo(ROWS);
            assertThat(received(directory.resolve("to"))).hasSizeLessThanOrEqualTo(1);
        }
    }

    @Test
    void shouldGoOnFromWhatWasSyncedWhenTheTargetCrashed() throws IOException {
        Path crashed = directory.resolve("crashed");
        long keepBytes = 100_000;
        try (Store target = Store.open(directory.resolve("to"))) {
            target.createTable(SCHEMA);
            plan(target)
                    .keepBytes(keepBytes)
                    .listener((rows, bytes, covered) -> {
                        if (heardBytes == 0 && bytes > FIRST_BYTES) {
                            heardBytes = bytes;
                            copy(directory.resolve("to"), crashed);
                        }
                    })
                    .run(ENVIRONMENT);
        }
        try (Store target = Store.open(crashed)) {
            assertThat(target.table("ks.t").sstableCount()).isZero();

            StreamReport report = plan(target).run(ENVIRONMENT);

            assertThat(report.bytes())
                    .isLessThanOrEqualTo(sentBytes - heardBytes + keepBytes + PIECE_BYTES)
                    .isLessThan(sentBytes);
            assertThat(rows(target)).isEqualTo(ROWS);
        }
    }

    /** Of an open store: what is gone when its turn comes was to go. */
    static void copy(Path source, Path target) throws IOException {
        Files.walkFileTree(source, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                return visitFile(directory, attributes);
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                try {
                    Files.copy(file, target.resolve(source.relativize(file).toString()));
                } catch (NoSuchFileException gone) {
                    return FileVisitResult.CONTINUE;
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException gone) {
                return FileVisitResult.CONTINUE;
            }
        });
    }

    @Test
    void shouldTakeAFileAnewThatIsNotAsItWasNoted() throws IOException {
        Path store = directory.resolve("to");
        try (Store target = Store.open(store)) {
            target.createTable(SCHEMA);
            streamPart(target);
        }
        for (Path file : received(store)) {
            if (file.toString().endsWith("Data.db.part")) {
                Files.write(file, new byte[1]);
            }
        }
        try (Store target = Store.open(store)) {
            plan(target).run(ENVIRONMENT);

            assertThat(rows(target)).isEqualTo(ROWS);
        }
    }

    @Test
    void shouldRemoveWhatWasKeptWhenItsTimeIsOver() throws IOException {
        try (Store target = Store.open(directory.resolve("to"))) {
            target.createTable(SCHEMA);
            streamPart(target);
        }
        assertThat(received(directory.resolve("to"))).isNotEmpty();

        open(Instant.now().plus(KEPT).plusSeconds(60)).close();

        assertThat(received(directory.resolve("to"))).isEmpty();
    }

    @Test
    void shouldForgetWhatWasKeptWhenTheTableIsTruncated() throws IOException {
        try (Store target = Store.open(directory.resolve("to"))) {
            target.createTable(SCHEMA);
            streamPart(target);

            target.table("ks.t").truncate();

            assertThat(received(directory.resolve("to"))).isEmpty();
        }
    }

    @Test
    void shouldKeepNothingByDefault() throws IOException {
        JobControl control = new JobControl();
        try (Store target = Store.open(directory.resolve("to"))) {
            target.createTable(SCHEMA);
            assertThatThrownBy(() -> StreamPlan.into(new StoreReplicas(target))
                            .add("ks.t", node.source(), TokenRange.FULL)
                            .control(control)
                            .listener((rows, bytes, covered) -> {
                                if (bytes > FIRST_BYTES) {
                                    control.abort("stopped");
                                }
                            })
                            .run(ENVIRONMENT))
                    .isInstanceOf(JobAbortedException.class);

            assertThat(received(directory.resolve("to"))).isEmpty();
        }
    }
}
