package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentCursor;
import io.anneal.io.Directories;
import io.anneal.io.OutputFile;
import io.anneal.key.TokenRange;
import io.anneal.node.NodeFile;
import io.anneal.node.Receiving;
import io.anneal.node.ReplicaException;
import io.anneal.node.StagingArea;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedSSTable;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.SSTables;
import io.anneal.store.directory.Formats;
import io.anneal.testkit.Fault;
import io.anneal.testkit.Fault.Operation;
import io.anneal.testkit.FaultyDirectory;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.RandomFragments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a staging directory, or a node's, said that it has is there after a loss of power, whatever failed before. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StagingFaultsTest {
    private static final int STEPS_MAX = 1_000;
    private static final long DEADLINE_SECONDS = 2_000_000_000;
    private static final RandomFragments FRAGMENTS = new RandomFragments(1, 3);
    private static final TableSchema SCHEMA = FRAGMENTS.schema();
    private static final FragmentList ROWS = FRAGMENTS.next(1);
    private static final int MERGED_SESSIONS = 3;
    private static final List<FragmentList> SESSION_ROWS =
            Stream.generate(() -> FRAGMENTS.next(1)).limit(MERGED_SESSIONS).toList();
    private static final Fault CHANGES = Fault.on(
            Operation.CREATE, Operation.WRITE, Operation.FORCE, Operation.RENAME, Operation.DELETE, Operation.LINK);
    private static final UUID FIRST = new UUID(0, 1);
    private static final UUID SECOND = new UUID(0, 2);

    /** Thrown where the process is killed, which no disk would do. */
    private static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @TempDir
    private Path directory;

    private static Path staging(FaultyDirectory disk) {
        return disk.path().resolve("staging");
    }

    private static StagingArea open(FaultyDirectory disk) throws IOException {
        return StagingArea.open(staging(disk), "n1", () -> Instant.ofEpochSecond(DEADLINE_SECONDS - 1));
    }

    private static Receiving start(StagingArea staging, UUID id, boolean isKept) throws IOException {
        SSTableWriterConfig config = SSTableWriterConfig.defaults(10);
        return isKept
                ? staging.startKept(
                        id, DEADLINE_SECONDS, id, SCHEMA, Optional.empty(), DEADLINE_SECONDS, config, List.of())
                : staging.start(id, SCHEMA, Optional.empty(), DEADLINE_SECONDS, config);
    }

    /** How an SSTable comes to be there. */
    private enum Way {
        WRITTEN,
        WRITTEN_WHERE_IT_IS_KEPT,
        AS_IT_IS
    }

    private void stage(StagingArea staging, UUID id, boolean isKept) throws IOException {
        stage(staging, id, isKept ? Way.WRITTEN_WHERE_IT_IS_KEPT : Way.WRITTEN);
    }

    private void stage(StagingArea staging, UUID id, Way way) throws IOException {
        try (Receiving run = start(staging, id, way == Way.WRITTEN_WHERE_IT_IS_KEPT)) {
            if (way == Way.AS_IT_IS) {
                copy(run);
            } else {
                try (StagedWriter writer = run.newWriter();
                        FragmentCursor rows = ROWS.cursor()) {
                    writer.append(rows);
                    writer.finish();
                }
            }
            run.complete();
        }
    }

    private void copy(Receiving run) throws IOException {
        Path own = Files.createTempDirectory(directory, "original");
        Descriptor original;
        try (FragmentWriter writer = Formats.write(own, "1", SCHEMA, SSTableWriterConfig.defaults(10));
                FragmentCursor rows = ROWS.cursor()) {
            writer.append(rows);
            original = writer.finish();
        }
        StagedSSTable staged = run.newSSTable(SSTableVersion.of(original).orElseThrow());
        Set<Component> components = EnumSet.allOf(Component.class);
        components.removeIf(component -> component == Component.TOC || !original.has(component));
        for (Component component : components) {
            byte[] bytes = Files.readAllBytes(original.file(component));
            try (OutputFile file = OutputFile.open(staged.file(component), OutputFile.CREATE_NEW)) {
                file.write(bytes, 0, bytes.length);
                file.sync();
            }
        }
        staged.publish(components, OutputFile.CREATE_NEW);
    }

    /** Those that count, by the directory's own word. */
    private static List<UUID> staged(StagingArea staging, int step) throws IOException {
        List<UUID> complete = new ArrayList<>();
        for (UUID id : List.of(FIRST, SECOND)) {
            try {
                List<Descriptor> sstables = staging.sstables(SCHEMA, Optional.empty(), id);
                assertThat(sstables).isNotEmpty().allMatch(sstable -> sstable.has(Component.TOC));
                complete.add(id);
            } catch (ReplicaException unknown) {
                assertThat(unknown).as("step=%d", step).hasMessageContaining("no such run finished here");
            }
        }
        return complete;
    }

    private static void losePower(FaultyDirectory disk, StagingArea open) throws IOException {
        disk.crash();
        try {
            open.close();
        } catch (IOException dead) {
            assertThat(dead).as("its machine is off").isNotNull();
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepWhatIsStagedAfterASyncOfADirectoryFailed(Way way) throws IOException {
        boolean failed = true;
        for (int step = 0; failed; step++) {
            assertThat(step).isLessThan(STEPS_MAX);
            try (FaultyDirectory disk = FaultyDirectory.create(directory)) {
                List<UUID> acknowledged = new ArrayList<>();
                StagingArea staging = open(disk);
                AtomicInteger syncs = new AtomicInteger();
                disk.inject(Fault.on(Operation.FORCE)
                        .named(name -> List.of("staging", "ks", "t").contains(name) && syncs.incrementAndGet() > 0)
                        .after(step)
                        .times(1));
                for (UUID id : List.of(FIRST, SECOND)) {
                    try {
                        stage(staging, id, way);
                        acknowledged.add(id);
                    } catch (IOException refused) {
                        assertThat(refused).hasMessageContaining("file=");
                    }
                }
                failed = syncs.get() > step;
                disk.heal();
                losePower(disk, staging);
                try (StagingArea again = open(disk)) {
                    assertThat(staged(again, step)).as("step=%d", step).containsAll(acknowledged);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldStillHoldAfterALossOfPowerWhatItShowedAfterAKill(boolean isKept) throws IOException {
        boolean killed = true;
        for (int step = 0; killed; step++) {
            assertThat(step).isLessThan(STEPS_MAX);
            try (FaultyDirectory disk = FaultyDirectory.create(directory)) {
                killed = kill(disk, step, () -> {
                    try (StagingArea staging = open(disk)) {
                        stage(staging, FIRST, isKept);
                        stage(staging, SECOND, isKept);
                    }
                });
                StagingArea next = open(disk);
                List<UUID> shown = staged(next, step);
                losePower(disk, next);
                try (StagingArea again = open(disk)) {
                    assertThat(staged(again, step)).as("step=%d", step).isEqualTo(shown);
                }
            }
        }
    }

    @Test
    void shouldKeepTheIdThatItHadAfterAKill() throws IOException {
        boolean killed = true;
        for (int step = 0; killed; step++) {
            assertThat(step).isLessThan(STEPS_MAX);
            try (FaultyDirectory disk = FaultyDirectory.create(directory)) {
                killed = kill(disk, step, () -> NodeFile.idOf(disk.path(), () -> FIRST));
                UUID shown = NodeFile.idOf(disk.path(), () -> SECOND);
                disk.crash();
                assertThat(NodeFile.idOf(disk.path(), UUID::randomUUID))
                        .as("step=%d", step)
                        .isEqualTo(shown);
            }
        }
    }

    /** Sessions of one run. */
    private static void stageSessions(StagingArea staging) throws IOException {
        for (int session = 1; session <= MERGED_SESSIONS; session++) {
            try (Receiving run = start(staging, new UUID(0, session), false);
                    StagedWriter writer = run.newWriter();
                    FragmentCursor rows = SESSION_ROWS.get(session - 1).cursor()) {
                writer.append(rows);
                writer.finish();
                run.complete();
            }
        }
    }

    /** What counts, and that nothing else lies there. */
    private static List<String> content(FaultyDirectory disk, StagingArea staging) throws IOException {
        List<Descriptor> sstables = staging.sstables(SCHEMA, Optional.empty(), FIRST);
        Set<Descriptor> lying = new HashSet<>();
        for (Path file : Directories.list(staging(disk).resolve("ks").resolve("t"))) {
            lying.add(StagedSSTable.descriptor(file).orElseThrow());
        }
        assertThat(lying)
                .extracting(Descriptor::baseName)
                .containsExactlyInAnyOrderElementsOf(
                        sstables.stream().map(Descriptor::baseName).toList());
        try (SSTables opened = SSTables.open(SCHEMA, sstables);
                FragmentCursor rows = opened.scan(TokenRange.Linear.ALL)) {
            return FragmentList.copyOf(rows).lines();
        }
    }

    private static int sstables(StagingArea staging) throws IOException {
        return staging.sstables(SCHEMA, Optional.empty(), FIRST).size();
    }

    @Test
    void shouldHoldTheSameWheneverItIsKilledWhileItMerges() throws IOException {
        Set<Integer> seen = new HashSet<>();
        boolean killed = true;
        for (int step = 0; killed; step++) {
            assertThat(step).isLessThan(STEPS_MAX);
            try (FaultyDirectory disk = FaultyDirectory.create(directory)) {
                List<String> before;
                try (StagingArea staging = open(disk)) {
                    stageSessions(staging);
                    before = content(disk, staging);
                }
                StagingArea merging = open(disk);
                killed = kill(disk, step, () -> merging.compact(SCHEMA, List.of()));
                StagingArea next = open(disk);
                int left = sstables(next);
                assertThat(content(disk, next)).as("step=%d", step).isEqualTo(before);
                losePower(disk, next);
                try (StagingArea again = open(disk)) {
                    assertThat(content(disk, again)).as("step=%d", step).isEqualTo(before);
                    assertThat(sstables(again)).as("step=%d", step).isEqualTo(left);
                    seen.add(left);
                    again.compact(SCHEMA, List.of());
                    assertThat(sstables(again)).as("step=%d", step).isEqualTo(1);
                    assertThat(content(disk, again)).as("step=%d", step).isEqualTo(before);
                }
            }
        }
        assertThat(seen).containsExactlyInAnyOrder(1, MERGED_SESSIONS);
    }

    @Test
    void shouldHoldTheSameWhenAnOperationFailsWhileItMerges() throws IOException {
        boolean failed = true;
        int refused = 0;
        for (int step = 0; failed; step++) {
            assertThat(step).isLessThan(STEPS_MAX);
            try (FaultyDirectory disk = FaultyDirectory.create(directory)) {
                AtomicInteger operations = new AtomicInteger();
                List<String> before;
                StagingArea staging = open(disk);
                stageSessions(staging);
                before = content(disk, staging);
                disk.inject(CHANGES.named(name -> operations.incrementAndGet() > 0)
                        .after(step)
                        .times(1));
                try {
                    staging.compact(SCHEMA, List.of());
                    assertThat(staging.isReceiving()).as("step=%d", step).isFalse();
                    assertThat(content(disk, staging)).as("step=%d", step).isEqualTo(before);
                } catch (IOException left) {
                    refused++;
                    assertThat(staging.isReceiving()).as("step=%d", step).isTrue();
                }
                failed = operations.get() > step;
                disk.heal();
                losePower(disk, staging);
                try (StagingArea again = open(disk)) {
                    assertThat(content(disk, again)).as("step=%d", step).isEqualTo(before);
                }
            }
        }
        assertThat(refused).as("what was begun can't be removed").isPositive();
    }

    /** Another process takes at once what is deleted. */
    @Test
    void shouldHoldTheSameAndLetItBeImportedWhereThereIsNoRoomToMergeIt() throws IOException {
        boolean isMerged = false;
        for (int roomBytes = 0; !isMerged; roomBytes += 100) {
            assertThat(roomBytes).isLessThan(STEPS_MAX * 100);
            try (FaultyDirectory disk = FaultyDirectory.create(directory);
                    StagingArea staging = open(disk)) {
                stageSessions(staging);
                List<String> before = content(disk, staging);
                disk.fillUpAfter(roomBytes);

                staging.compact(SCHEMA, List.of());

                assertThat(staging.isReceiving()).isFalse();
                assertThat(content(disk, staging)).as("room=%d", roomBytes).isEqualTo(before);
                isMerged = sstables(staging) == 1;
            }
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    /** @return whether the process came so far */
    private static boolean kill(FaultyDirectory disk, int step, Work work) throws IOException {
        AtomicInteger left = new AtomicInteger(step);
        disk.inject(CHANGES.named(name -> {
            if (left.getAndDecrement() <= 0) {
                throw new Killed();
            }
            return false;
        }));
        boolean killed = false;
        try {
            work.run();
        } catch (Killed e) {
            killed = true;
        }
        disk.heal();
        disk.kill();
        return killed;
    }
}
