package io.anneal.repair;

import static io.anneal.repair.Sessions.KEYS;
import static io.anneal.repair.Sessions.SCHEMA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.FragmentCursor;
import io.anneal.io.Directories;
import io.anneal.io.UnsupportedVersionException;
import io.anneal.node.Receiving;
import io.anneal.node.ReplicaException;
import io.anneal.node.StagingArea;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.directory.StagingDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StagingAreaTest {
    private static final long NOW_SECONDS = 1_795_000_000;
    private static final long DEADLINE_SECONDS = NOW_SECONDS + 10;
    private static final Optional<String> ID = Optional.of("2e52ce90e54c11f199539ddbc8d5a59d");
    private static final UUID RUN = new UUID(0, 1);
    private static final UUID OTHER_RUN = new UUID(2, 2);

    @TempDir
    private Path directory;

    private long nowSeconds = NOW_SECONDS;

    private StagingArea open(Path place) throws IOException {
        return StagingArea.open(place, "n1 /mnt/n1", () -> Instant.ofEpochSecond(nowSeconds));
    }

    private static Receiving start(StagingArea staging, UUID run) {
        return start(staging, run, DEADLINE_SECONDS);
    }

    private static Receiving start(StagingArea staging, UUID run, long deadlineSeconds) {
        return staging.start(run, SCHEMA, ID, deadlineSeconds, SSTableWriterConfig.defaults(10));
    }

    private static List<Descriptor> write(Receiving run) throws IOException {
        try (StagedWriter writer = run.newWriter();
                FragmentCursor rows = Sessions.rows(KEYS.get(0), 2).cursor()) {
            writer.append(rows);
            return writer.finish();
        }
    }

    private static List<Descriptor> writeWhole(StagingArea staging, UUID id) throws IOException {
        try (Receiving run = start(staging, id)) {
            List<Descriptor> written = write(run);
            run.complete();
            return written;
        }
    }

    private static void writeForeign(Path place) throws IOException {
        try (StagingDirectory foreign = StagingDirectory.open(place);
                StagedWriter writer =
                        new StagedWriter(foreign.target(SCHEMA), SSTableWriterConfig.defaults(10), Long.MAX_VALUE);
                FragmentCursor rows = Sessions.rows(KEYS.get(1), 1).cursor()) {
            writer.append(rows);
            writer.finish();
        }
    }

    /** What a crash would leave of a directory that is in use. */
    private Path asAfterCrash() throws IOException {
        Path copy = directory.resolve("crashed");
        try (Stream<Path> files = Files.walk(directory.resolve("staging"))) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.resolve(directory.resolve("staging").relativize(file)));
            }
        }
        return copy;
    }

    private static List<String> names(Path place) throws IOException {
        Path table = place.resolve("ks").resolve("t");
        if (!Files.isDirectory(table)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(table)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void shouldRemoveWhatAnUnfinishedRunLeftAndNothingElseAfterACrash() throws IOException {
        Path place = directory.resolve("staging");
        writeForeign(place);
        List<String> foreign = names(place);
        Path crashed;
        try (StagingArea staging = open(place);
                Receiving run = start(staging, RUN);
                StagedWriter unfinished = run.newWriter();
                FragmentCursor rows = Sessions.rows(KEYS.get(0), 2).cursor()) {
            write(run);
            unfinished.append(rows);
            crashed = asAfterCrash();
            assertThat(names(crashed)).anyMatch(name -> name.startsWith(".")).contains("nb-2-big-Data.db");
        }
        assertThat(names(place)).isEqualTo(foreign);

        try (StagingArea staging = open(crashed)) {
            assertThat(names(crashed)).isEqualTo(foreign);
            assertThatThrownBy(() -> staging.sstables(SCHEMA, ID, RUN))
                    .isInstanceOf(ReplicaException.class)
                    .hasMessageContaining("no such run finished here");
        }
    }

    @Test
    void shouldKeepWhatAFinishedRunWroteAfterACrash() throws IOException {
        List<Descriptor> written;
        try (StagingArea staging = open(directory.resolve("staging"))) {
            written = writeWhole(staging, RUN);
            asAfterCrash();
        }
        try (StagingArea staging = open(directory.resolve("crashed"))) {
            assertThat(staging.sstables(SCHEMA, ID, RUN))
                    .extracting(Descriptor::baseName)
                    .containsExactly(written.get(0).baseName());
        }
    }

    @Test
    void shouldCountAnSSTableThatTheRunRemovedAsOneThatNeverWas() throws IOException {
        Path place = directory.resolve("staging");
        try (StagingArea staging = open(place)) {
            List<Descriptor> kept;
            try (Receiving run = start(staging, RUN)) {
                Descriptor unwanted = write(run).get(0);
                kept = write(run);
                run.remove(unwanted);
                run.complete();
            }

            assertThat(staging.sstables(SCHEMA, ID, RUN)).isEqualTo(kept);
            assertThat(names(place)).allMatch(name -> name.startsWith("nb-2-"));
        }
    }

    @Test
    void shouldKeepNothingOfARunThatIsClosedBeforeItsEnd() throws IOException {
        Path place = directory.resolve("staging");
        try (StagingArea staging = open(place)) {
            try (Receiving run = start(staging, RUN)) {
                assertThat(write(run)).hasSize(1);
            }
            assertThat(names(place)).isEmpty();
            assertThat(writeWhole(staging, RUN)).hasSize(1);
        }
    }

    /** Operators remove what they imported, and the node goes on running. */
    @Test
    void shouldStageAgainWhenTheTablesDirectoryWasRemovedMeanwhile() throws IOException {
        Path place = directory.resolve("staging");
        try (StagingArea staging = open(place)) {
            writeWhole(staging, RUN);
            Directories.deleteTree(place.resolve("ks"));
            List<Descriptor> written = writeWhole(staging, OTHER_RUN);
            assertThat(staging.sstables(SCHEMA, ID, OTHER_RUN)).isEqualTo(written);
            assertThat(names(place)).anyMatch(name -> name.endsWith("-TOC.txt"));

            Directories.deleteTree(place.resolve("ks"));
            UUID kept = new UUID(3, 3);
            try (Receiving run = staging.startKept(
                    kept,
                    NOW_SECONDS + 1,
                    kept,
                    SCHEMA,
                    ID,
                    DEADLINE_SECONDS,
                    SSTableWriterConfig.defaults(10),
                    List.of())) {
                write(run);
                run.complete();
            }
            assertThat(staging.sstables(SCHEMA, ID, kept)).hasSize(1);
        }
    }

    @Test
    void shouldReceiveBesideARunThatIsPuttingItsSSTableInPlace() throws IOException {
        Path place = directory.resolve("staging");
        try (StagingArea staging = open(place);
                Receiving run = start(staging, RUN)) {
            write(run);
            // As long as the list of components is not there, which comes last.
            Files.delete(place.resolve("ks").resolve("t").resolve("nb-1-big-TOC.txt"));

            staging.checkReceiving(SCHEMA, ID);
        }
        assertThat(names(place)).isEmpty();
    }

    @Test
    void shouldKnowARunThatWroteNothing() throws IOException {
        try (StagingArea staging = open(directory)) {
            try (Receiving run = start(staging, RUN)) {
                run.complete();
            }
            assertThat(staging.sstables(SCHEMA, ID, RUN)).isEmpty();
            try (Receiving again = start(staging, RUN)) {
                assertThatThrownBy(again::complete)
                        .isInstanceOf(ReplicaException.class)
                        .hasMessageContaining("run=" + RUN);
            }
            assertThat(staging.sstables(SCHEMA, ID, RUN)).isEmpty();
        }
    }

    @Test
    void shouldForgetTheOldestOfManyRunsThatWroteNothing() throws IOException {
        try (StagingArea staging = open(directory)) {
            writeWhole(staging, RUN);
            for (int i = 0; i < 301; i++) {
                try (Receiving run = start(staging, new UUID(10 + i, i))) {
                    run.complete();
                }
            }
            assertThat(staging.sstables(SCHEMA, ID, new UUID(310, 300))).isEmpty();
            assertThat(staging.sstables(SCHEMA, ID, new UUID(11, 1))).isEmpty();
            assertThatThrownBy(() -> staging.sstables(SCHEMA, ID, new UUID(10, 0)))
                    .hasMessageContaining("no such run finished here");
            assertThat(staging.sstables(SCHEMA, ID, RUN)).hasSize(1);
        }
    }

    /** A repair of many ranges at once has a session for each. */
    @Test
    void shouldCountAllSessionsOfARun() throws IOException {
        UUID second = new UUID(RUN.getMostSignificantBits(), 77);
        UUID third = new UUID(RUN.getMostSignificantBits(), 78);
        try (StagingArea staging = open(directory)) {
            List<Descriptor> all = new ArrayList<>(writeWhole(staging, RUN));
            writeWhole(staging, OTHER_RUN);
            all.addAll(writeWhole(staging, second));
            try (Receiving empty = start(staging, third)) {
                empty.complete();
            }

            assertThat(staging.sstables(SCHEMA, ID, third)).isEqualTo(all);
            assertThat(staging.sstables(SCHEMA, ID, RUN)).isEqualTo(all);
        }
    }

    @Test
    void shouldCountTheMergeOfARunsSessionsForAllOfThemAndUntilTheEarliestDeadline() throws IOException {
        UUID second = new UUID(RUN.getMostSignificantBits(), 77);
        UUID third = new UUID(RUN.getMostSignificantBits(), 78);
        try (StagingArea staging = open(directory)) {
            writeWhole(staging, RUN);
            List<Descriptor> other = writeWhole(staging, OTHER_RUN);
            try (Receiving run = start(staging, second, DEADLINE_SECONDS - 5)) {
                write(run);
                run.complete();
            }
            try (Receiving empty = start(staging, third)) {
                empty.complete();
            }

            staging.compact(SCHEMA, List.of());

            List<Descriptor> merged = staging.sstables(SCHEMA, ID, RUN);
            assertThat(merged).extracting(Descriptor::baseName).containsExactly("nb-4-big");
            assertThat(staging.sstables(SCHEMA, ID, second)).isEqualTo(merged);
            assertThat(staging.sstables(SCHEMA, ID, third)).isEqualTo(merged);
            assertThat(staging.sstables(SCHEMA, ID, OTHER_RUN)).isEqualTo(other);
            assertThat(names(directory)).allMatch(name -> name.startsWith("nb-2-") || name.startsWith("nb-4-"));
            staging.checkReceiving(SCHEMA, ID);
        }
        try (StagingArea staging = open(directory)) {
            assertThat(staging.sstables(SCHEMA, ID, RUN)).hasSize(1);
            writeWhole(staging, new UUID(RUN.getMostSignificantBits(), 79));
            nowSeconds = DEADLINE_SECONDS - 4;
            assertThatThrownBy(() -> staging.sstables(SCHEMA, ID, RUN)).hasMessageContaining("import-deadline=");
            assertThat(staging.sstables(SCHEMA, ID, OTHER_RUN)).hasSize(1);
        }
    }

    @Test
    void shouldNotMergeWhatARunStagedOfWhichSomeIsImported() throws IOException {
        try (StagingArea staging = open(directory)) {
            List<Descriptor> first;
            try (Receiving run = start(staging, RUN)) {
                first = List.of(write(run).get(0), write(run).get(0));
                run.complete();
            }
            List<Descriptor> second = writeWhole(staging, new UUID(RUN.getMostSignificantBits(), 77));
            first.get(0).delete();

            staging.compact(SCHEMA, List.of());

            assertThat(names(directory))
                    .anyMatch(name -> name.startsWith(first.get(1).baseName()));
            assertThat(names(directory))
                    .anyMatch(name -> name.startsWith(second.get(0).baseName()));
        }
    }

    @Test
    void shouldTellRunsApartAndSayWhatWasImported() throws IOException {
        List<Descriptor> first;
        try (StagingArea staging = open(directory)) {
            first = writeWhole(staging, RUN);
            List<Descriptor> second = writeWhole(staging, OTHER_RUN);
            staging.checkReceiving(SCHEMA, ID);
            assertThat(staging.sstables(SCHEMA, ID, OTHER_RUN)).isEqualTo(second);

            first.get(0).delete();
            assertGone(staging, first.get(0));
            assertThat(staging.sstables(SCHEMA, ID, OTHER_RUN)).isEqualTo(second);
        }
        try (StagingArea staging = open(directory)) {
            assertGone(staging, first.get(0));
        }
        writeForeignNamed("nb-1-big");
        try (StagingArea staging = open(directory)) {
            assertThatThrownBy(() -> staging.checkReceiving(SCHEMA, ID))
                    .isInstanceOf(ReplicaException.class)
                    .hasMessageContainingAll("no run of a repair wrote it", "nb-1-big");
        }
    }

    private static void assertGone(StagingArea staging, Descriptor sstable) {
        assertThatThrownBy(() -> staging.sstables(SCHEMA, ID, RUN))
                .isInstanceOf(ReplicaException.class)
                .hasMessageContainingAll("gone", "run=" + RUN, sstable.toString());
    }

    /** Another SSTable under a name that was free again. */
    private void writeForeignNamed(String baseName) throws IOException {
        Path table = directory.resolve("ks").resolve("t");
        Path elsewhere = directory.resolve("elsewhere");
        writeForeign(elsewhere);
        for (String name : names(elsewhere)) {
            Files.copy(elsewhere.resolve("ks").resolve("t").resolve(name), table.resolve(name));
            assertThat(name).startsWith(baseName);
        }
    }

    @Test
    void shouldRefuseWhenDeadlineHasPassedOrTableWasMadeAgain() throws IOException {
        try (StagingArea staging = open(directory)) {
            Descriptor written = writeWhole(staging, RUN).get(0);
            nowSeconds = DEADLINE_SECONDS;
            staging.checkReceiving(SCHEMA, ID);

            Optional<String> another = Optional.of("2e6ce640e54c11f199539ddbc8d5a59d");
            assertThatThrownBy(() -> staging.checkReceiving(SCHEMA, another))
                    .isInstanceOf(ReplicaException.class)
                    .hasMessageContainingAll("dropped and made again", written.toString(), ID.get(), another.get());
            assertThatThrownBy(() -> staging.sstables(SCHEMA, another, RUN))
                    .isInstanceOf(ReplicaException.class)
                    .hasMessageContainingAll("dropped and made again", "run=" + RUN);

            nowSeconds = DEADLINE_SECONDS + 1;
            assertThatThrownBy(() -> staging.checkReceiving(SCHEMA, ID))
                    .isInstanceOf(ReplicaException.class)
                    .hasMessageContainingAll("import-deadline=", written.toString());
            assertThatThrownBy(() -> staging.sstables(SCHEMA, ID, RUN))
                    .isInstanceOf(ReplicaException.class)
                    .hasMessageContainingAll("import-deadline=", "run=" + RUN);
        }
    }

    @Test
    void shouldRefuseAnotherOwner() throws IOException {
        try (StagingArea staging = open(directory)) {
            writeWhole(staging, RUN);
        }
        for (int attempt = 0; attempt < 2; attempt++) {
            assertThatThrownBy(() -> StagingArea.open(directory, "n1 /mnt/rack\n2/n1", () -> Instant.EPOCH))
                    .isInstanceOf(ReplicaException.class)
                    .hasMessageContainingAll("owner=n1 /mnt/n1,", "replica=n1 /mnt/rack 2/n1");
        }
    }

    @Test
    void shouldRefuseAFileThatIsWrongAndOneOfAnotherRelease() throws IOException {
        try (StagingArea staging = open(directory)) {
            writeWhole(staging, RUN);
        }
        Path file = directory.resolve(".anneal.runs");
        String text = Files.readString(file);
        String[] wrong = {
            "",
            "something else\n",
            text.replace("complete", "writing"),
            text.substring(0, text.length() - 1),
            text.substring(0, text.length() / 2),
            text + "\n"
        };
        for (String content : wrong) {
            Files.writeString(file, content);
            assertThatThrownBy(() -> open(directory))
                    .as(content)
                    .isInstanceOf(ReplicaException.class)
                    .hasMessageContaining("file=" + file.toRealPath());
        }
        Files.writeString(file, text.replace("anneal-staging 1", "anneal-staging 2"));
        assertThatThrownBy(() -> open(directory)).isInstanceOf(UnsupportedVersionException.class);

        Files.writeString(file, text);
        open(directory).close();
    }
}
