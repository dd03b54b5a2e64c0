package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.commitlog.CommitLogPosition;
import io.anneal.io.Directories;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import io.anneal.key.ShardRule;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.directory.Formats;
import io.anneal.table.ListedSSTable;
import io.anneal.table.ManifestContent;
import io.anneal.table.SSTableFormats;
import io.anneal.table.TableCatalogue;
import io.anneal.table.TableDirectory;
import io.anneal.testkit.Fault;
import io.anneal.testkit.Fault.Operation;
import io.anneal.testkit.FaultyDirectory;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The life of a table's directory, from its making to its dropping, stopped at every single thing that is done to the disk: by
 * a loss of power, or by an operation that fails and a loss of power after it. What is found is what there was before or after
 * the step that was stopped, whole, and nothing beside it.
 */
final class TableDirectoryFaultsTest {
    private static final TableSchema SCHEMA = HandMadeTable.schema(0).withId("2d987f40-e54c-11f1-9953-9ddbc8d5a59d");
    private static final ShardRule RULE = new ShardRule(2, 12);
    private static final SSTableFormats FORMATS = new SSTableFormats() {
        @Override
        public void requireWritable(TableOptions options) {}

        @Override
        public SSTableReader open(Descriptor descriptor) throws IOException {
            return Formats.open(descriptor);
        }

        @Override
        public FragmentWriter write(Path directory, String generation, TableSchema schema, SSTableWriterConfig config)
                throws IOException {
            return Formats.write(directory, generation, schema, config);
        }
    };

    private static final Operation[] WITHOUT_READ =
            EnumSet.complementOf(EnumSet.of(Operation.READ)).toArray(Operation[]::new);

    /** Far behind the last thing that is done. */
    private static final int STEPS_MAX = 5_000;

    @TempDir
    private Path elsewhere;

    /** What can be seen of a table: empty when it is not there. */
    private record State(Set<Long> timestampsMicros, CommitLogPosition flushed) {
        static final Optional<State> NONE = Optional.empty();
    }

    /** Lives a table's life and knows what its directory has to hold before and after the step under way. */
    private static final class Life {
        private final Path data;
        private final Descriptor foreign;

        private Optional<State> before = State.NONE;
        private Optional<State> after = State.NONE;
        private TableDirectory table;
        /** From then on it is there for ever. */
        private Optional<String> snapshot = Optional.empty();

        Life(Path data, Descriptor foreign) {
            this.data = data;
            this.foreign = foreign;
        }

        private void next(Optional<State> state) {
            before = after;
            after = state;
        }

        private void next(CommitLogPosition flushed, Long... timestampsMicros) {
            next(Optional.of(new State(Set.of(timestampsMicros), flushed)));
        }

        void live() throws IOException {
            CommitLogPosition made = new CommitLogPosition(1, 32);
            CommitLogPosition first = new CommitLogPosition(1, 100);
            CommitLogPosition second = new CommitLogPosition(1, 200);
            next(made);
            table = TableDirectory.create(data, SCHEMA, RULE, made, FORMATS, OutputFile.CREATE_NEW);

            next(made);
            Descriptor one = write(10);
            next(first, 10L);
            table.update(c -> c.withSSTables(listed(one), List.of()).withFlushed(0, first));

            next(first, 10L);
            Descriptor two = write(20);
            next(second, 10L, 20L);
            table.update(c -> c.withSSTables(listed(two), List.of()).withFlushed(0, second));

            next(second, 10L, 20L);
            Descriptor compacted = write(30);
            next(second, 30L);
            table.update(c -> c.withSSTables(listed(compacted), generations(one, two)));
            next(second, 30L);
            table.delete(one);
            table.delete(two);

            snapshot = Optional.of(data.relativize(table.snapshot("s", List.of(compacted), Instant.EPOCH))
                    .toString());

            List<Descriptor> linked = table.link(List.of(foreign));
            next(second, 30L, 99L);
            table.update(c -> c.withSSTables(listed(linked.get(0)), List.of()));
            next(second, 30L, 99L);

            next(second);
            table.update(c -> c.truncated(second, 1));
            next(second);
            table.delete(compacted);
            table.delete(linked.get(0));

            next(State.NONE);
            table.drop();

            // Of the same id: the snapshot is its own, whatever stops it.
            next(second);
            table = TableDirectory.create(data, SCHEMA, RULE, second, FORMATS, OutputFile.CREATE_NEW);
            next(State.NONE);
            table.drop();
            next(State.NONE);
        }

        private Descriptor write(long timestampMicros) throws IOException {
            return TableDirectoryFaultsTest.write(
                    table.target(SCHEMA).start(SSTableWriterConfig.defaults(1)), timestampMicros);
        }

        private static List<ListedSSTable> listed(Descriptor descriptor) {
            return List.of(new ListedSSTable(descriptor.generation(), 0));
        }

        private static List<String> generations(Descriptor... descriptors) {
            return List.of(descriptors).stream().map(Descriptor::generation).toList();
        }
    }

    private static Descriptor write(FragmentWriter started, long timestampMicros) throws IOException {
        try (FragmentWriter writer = started) {
            writer.append(FragmentList.builder(SCHEMA)
                    .partition(HandMadeTable.keys(1).get(0))
                    .row(HandMadeTable.row(1, 1).live(timestampMicros).build())
                    .end()
                    .build()
                    .cursor());
            return writer.finish();
        }
    }

    private Descriptor foreign() throws IOException {
        Path directory = Files.createDirectories(elsewhere.resolve("foreign"));
        return write(Formats.write(directory, "7", SCHEMA, SSTableWriterConfig.defaults(1)), 99);
    }

    /** Opens what is there, and looks at every file. */
    private static Optional<State> reopen(Path data) throws IOException {
        TableCatalogue.sweep(data);
        List<Path> tables = TableCatalogue.list(data);
        if (tables.isEmpty()) {
            return State.NONE;
        }
        assertThat(tables).hasSize(1);
        TableDirectory table = TableDirectory.open(tables.get(0), FORMATS, OutputFile.CREATE_NEW);
        ManifestContent content = table.content();
        assertThat(content.writing()).isEmpty();
        assertThat(content.obsolete()).isEmpty();
        Set<Long> timestamps = new TreeSet<>();
        Set<String> known = new TreeSet<>(List.of("MANIFEST", "schema.cql", "snapshots"));
        for (Descriptor descriptor : table.sstables().values()) {
            try (SSTableReader reader = table.openReader(descriptor)) {
                reader.verify();
                timestamps.add(reader.statistics().minTimestampMicros());
            }
            known.add(descriptor.baseName());
        }
        for (Path file : Directories.list(table.directory())) {
            assertThat(known)
                    .contains(Descriptor.of(file)
                            .map(Descriptor::baseName)
                            .orElse(file.getFileName().toString()));
        }
        snapshot(table.directory().resolve("snapshots"));
        return Optional.of(new State(timestamps, content.flushed(0)));
    }

    private static void snapshot(Path snapshots) throws IOException {
        if (!Files.exists(snapshots)) {
            return;
        }
        for (Path snapshot : Directories.list(snapshots)) {
            assertThat(snapshot.getFileName()).hasToString("s");
            List<Descriptor> found = new ArrayList<>();
            for (Path file : Directories.list(snapshot)) {
                Descriptor.of(file).filter(d -> !found.contains(d)).ifPresent(found::add);
            }
            assertThat(found).hasSize(1);
            try (SSTableReader reader = Formats.open(found.get(0))) {
                reader.verify();
            }
            assertThat(snapshot.resolve("schema.cql")).isNotEmptyFile();
            assertThat(snapshot.resolve("manifest.json")).isNotEmptyFile();
        }
    }

    private static void assertBeforeOrAfter(Life life, FaultyDirectory disk, String stopped) throws IOException {
        Optional<State> found = reopen(disk.path().resolve("data"));
        assertThat(List.of(life.before, life.after)).as(stopped).contains(found);
        life.snapshot.ifPresent(taken -> assertThat(disk.path().resolve("data").resolve(taken))
                .as(stopped)
                .isDirectory());
        // What was found stays, however often the power fails now.
        disk.crash();
        assertThat(reopen(disk.path().resolve("data"))).as("again, " + stopped).isEqualTo(found);
    }

    /** @param seed 0 for a crash that leaves as little as it may, at every step; others take every third */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void shouldBeWholeWhenPowerFails(int seed) throws IOException {
        Descriptor foreign = foreign();
        for (int step = seed; step < STEPS_MAX; step += seed == 0 ? 1 : 3) {
            try (FaultyDirectory disk = FaultyDirectory.create(elsewhere)) {
                Life life = new Life(disk.path().resolve("data"), foreign);
                disk.inject(Fault.on(Operation.CREATE, WITHOUT_READ)
                        .after(step)
                        .times(1)
                        .cuttingPower((long) seed * STEPS_MAX + step));
                boolean stopped = stops(life);
                disk.heal();
                if (seed == 0) {
                    disk.crash();
                }
                assertBeforeOrAfter(life, disk, "seed=" + seed + ", step=" + step);
                if (!stopped) {
                    assertThat(step).isGreaterThan(100);
                    return;
                }
            }
        }
        throw new AssertionError("life does not end");
    }

    @ParameterizedTest
    @EnumSource(
            value = Operation.class,
            names = {"CREATE", "WRITE", "FORCE", "RENAME", "DELETE"})
    void shouldBeWholeWhenAnOperationFails(Operation operation) throws IOException {
        Descriptor foreign = foreign();
        for (int step = 0; step < STEPS_MAX; step++) {
            try (FaultyDirectory disk = FaultyDirectory.create(elsewhere)) {
                Life life = new Life(disk.path().resolve("data"), foreign);
                disk.inject(Fault.on(operation).after(step).times(1));
                boolean stopped = stops(life);
                disk.heal();
                disk.crash(step);
                assertBeforeOrAfter(life, disk, "operation=" + operation + ", step=" + step);
                if (!stopped) {
                    assertThat(step).isGreaterThan(3);
                    return;
                }
            }
        }
        throw new AssertionError("life does not end");
    }

    /** Thrown where the process is killed, which no disk would do. */
    private static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** What a killed process did and did not sync is there for the next one, whose work must not hang on it. */
    @Test
    void shouldBeWholeWhenTheProcessIsKilledAndPowerFailsLater() throws IOException {
        Descriptor foreign = foreign();
        for (int step = 0; step < STEPS_MAX; step++) {
            try (FaultyDirectory disk = FaultyDirectory.create(elsewhere)) {
                Life life = new Life(disk.path().resolve("data"), foreign);
                AtomicInteger left = new AtomicInteger(step);
                disk.inject(Fault.on(Operation.CREATE, WITHOUT_READ).named(name -> {
                    if (left.getAndDecrement() == 0) {
                        throw new Killed();
                    }
                    return false;
                }));
                boolean killed = false;
                try {
                    life.live();
                } catch (Killed e) {
                    killed = true;
                }
                disk.heal();
                disk.kill();
                assertBeforeOrAfter(life, disk, "step=" + step);
                if (!killed) {
                    assertThat(step).isGreaterThan(100);
                    return;
                }
            }
        }
        throw new AssertionError("life does not end");
    }

    /** Whether something stopped it; then by an error that names a file. */
    private static boolean stops(Life life) {
        try {
            life.live();
            return false;
        } catch (StorageException e) {
            assertThat(e.file()).isNotNull();
            return true;
        } catch (IOException e) {
            throw new AssertionError("disk's failure has no file of its own", e);
        }
    }
}
