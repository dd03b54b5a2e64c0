package io.anneal.commitlog;

import static io.anneal.commitlog.LogFixture.SMALL;
import static io.anneal.commitlog.LogFixture.TABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.commitlog.LogFixture.Entry;
import io.anneal.io.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Disks that fail, and machines that lose what was not synced. */
final class CommitLogFaultsTest {
    private static final int SECTOR_BYTES = 64;

    @TempDir
    private Path directory;

    private final Random random = new Random(5);
    private final FailingChannel.Disk disk = new FailingChannel.Disk();

    private CommitLog open() throws IOException {
        return CommitLog.open(directory, SMALL, 0, disk::open);
    }

    private Entry append(CommitLog log, int bodyBytes) throws IOException {
        return LogFixture.append(log, TABLE, 0, LogFixture.mutation(random, bodyBytes));
    }

    private void assertThatLogIsGivenUp(CommitLog log, String reason) {
        List<ThrowingCallable> calls = List.of(
                () -> append(log, 10),
                log::write,
                log::sync,
                () -> log.release(TABLE, 0, CommitLogPosition.NONE),
                () -> log.releaseTable(TABLE),
                log::releaseReplayed);
        for (ThrowingCallable call : calls) {
            assertThatThrownBy(call)
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("after a failure")
                    .hasMessageContaining(reason);
        }
        assertThatCode(log::close).doesNotThrowAnyException();
    }

    @Test
    void shouldWriteEverythingWhenTheFileTakesFewBytesAtATime() throws IOException {
        disk.writeMaxBytes = 3;
        List<Entry> entries = new ArrayList<>();
        try (CommitLog log = open()) {
            for (int i = 0; i < 100; i++) {
                entries.add(append(log, random.nextInt(300)));
            }
            entries.add(append(log, 10_000));
        }
        assertThat(LogFixture.replay(directory)).isEqualTo(entries);
    }

    @Test
    void shouldTakeNothingMoreWhenAWriteFailed() throws IOException {
        CommitLog log = open();
        Entry safe = append(log, 100);
        log.sync();
        append(log, 100);
        disk.freeBytes = 50;
        assertThatThrownBy(log::write)
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("action=write")
                .hasMessageContaining("disk is full");
        disk.freeBytes = Long.MAX_VALUE;
        assertThatLogIsGivenUp(log, "disk is full");
        assertThat(LogFixture.replay(directory)).containsExactly(safe);
    }

    @Test
    void shouldTakeNothingMoreWhenASyncFailed() throws IOException {
        CommitLog log = open();
        append(log, 100);
        disk.syncFails = true;
        assertThatThrownBy(log::sync)
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("action=sync")
                .hasMessageContaining("disk is broken");
        disk.syncFails = false;
        assertThat(log.syncedPosition()).isEqualTo(CommitLogPosition.NONE);
        assertThatLogIsGivenUp(log, "disk is broken");
    }

    @Test
    void shouldTakeNothingMoreWhenAFullSectionOrANewSegmentCannotBeWritten() throws IOException {
        CommitLog log = open();
        disk.freeBytes = 0;
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 20; i++) {
                        append(log, 100);
                    }
                })
                .isInstanceOf(StorageException.class);
        assertThatLogIsGivenUp(log, "disk is full");

        assertThatThrownBy(this::open).isInstanceOf(StorageException.class);
        disk.freeBytes = Long.MAX_VALUE;
        CommitLog next = open();
        for (int i = 0; i < 3; i++) {
            append(next, 900);
        }
        next.write();
        // As if somebody else made the next segment.
        Path inTheWay = directory.resolve("CommitLog-1-" + (next.position().segmentId() + 1) + ".log");
        Files.createDirectory(inTheWay);
        assertThatThrownBy(() -> {
                    append(next, 900);
                    append(next, 900);
                })
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("action=create");
        assertThatLogIsGivenUp(next, inTheWay.getFileName().toString());
    }

    @Test
    void shouldTakeNothingMoreWhenPartOfALargeMutationWasWritten() throws IOException {
        CommitLog log = open();
        Entry safe = append(log, 100);
        log.sync();
        disk.freeBytes = 5000;
        assertThatThrownBy(() -> append(log, 20_000)).isInstanceOf(StorageException.class);
        assertThatLogIsGivenUp(log, "disk is full");
        assertThat(LogFixture.replay(directory)).containsExactly(safe);
    }

    @Test
    void shouldNotWaitForAFileThatTakesNothing() throws IOException {
        CommitLog log = open();
        append(log, 100);
        disk.takesNothing = true;
        assertThatThrownBy(log::write).isInstanceOf(StorageException.class).hasMessageContaining("takes no more");
    }

    @Test
    void shouldSayWhenClosingCouldNotSync() throws IOException {
        CommitLog log = open();
        append(log, 100);
        disk.syncFails = true;
        assertThatThrownBy(log::close).isInstanceOf(StorageException.class);
        assertThatCode(log::close).doesNotThrowAnyException();
    }

    @Test
    void shouldSyncEverySegmentThatHasUnsyncedBytesAndOnlyThose() throws IOException {
        CommitLog log = open();
        while (log.position().segmentId() < 2) {
            append(log, 500);
        }
        assertThat(disk.syncs).isZero();
        log.sync();
        assertThat(disk.syncs).isEqualTo(2);
        log.sync();
        assertThat(disk.syncs).isEqualTo(2);
        append(log, 10);
        log.sync();
        assertThat(disk.syncs).isEqualTo(3);
    }

    @Test
    void shouldNotLetMoreThanTwoSegmentsWaitForASync() throws IOException {
        CommitLog log = open();
        while (log.position().segmentId() < 6) {
            append(log, 500);
        }
        assertThat(disk.syncs).isEqualTo(4);
        // Not all that a sync does, so nothing is promised yet.
        assertThat(log.syncedPosition()).isEqualTo(CommitLogPosition.NONE);
        log.sync();
        assertThat(disk.syncs).isEqualTo(6);
    }

    /**
     * Machines that stop: of each file every sector is as it was at the last sync, or as it was written since. Several lives
     * one behind the other, none of which releases what it found.
     */
    @ParameterizedTest
    @MethodSource("seeds")
    void shouldLoseNothingSyncedWhenTheMachineStops(long seed) throws IOException {
        Random draws = new Random(seed);
        CommitLogConfig config = SMALL.withCompression(draws.nextBoolean());
        List<Entry> appended = new ArrayList<>();
        List<Entry> safe = new ArrayList<>();
        for (int life = 0; life < 5; life++) {
            CommitLog log = CommitLog.open(directory, config, 0);
            Map<Path, byte[]> onDisk = contents();
            int syncedCount = appended.size();
            for (int i = draws.nextInt(150); i > 0; i--) {
                int bodyBytes = draws.nextInt(30) == 0 ? 6000 : draws.nextInt(300);
                appended.add(LogFixture.append(log, TABLE, 0, LogFixture.mutation(draws, bodyBytes)));
                if (draws.nextInt(5) == 0) {
                    log.write();
                }
                if (draws.nextInt(20) == 0) {
                    log.sync();
                    onDisk = contents();
                    safe.addAll(appended.subList(syncedCount, appended.size()));
                    syncedCount = appended.size();
                }
            }
            log.write();
            stop(onDisk, draws);

            List<Entry> replayed = LogFixture.replay(directory);
            assertThat(replayed).as("seed=%d, life=%d", seed, life).containsAll(safe);
            assertThat(appended).as("seed=%d, life=%d", seed, life).containsAll(replayed);
            assertThat(replayed).extracting(Entry::position).isSorted().doesNotHaveDuplicates();
        }
    }

    private Map<Path, byte[]> contents() throws IOException {
        Map<Path, byte[]> contents = new HashMap<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                contents.put(file, Files.readAllBytes(file));
            }
        }
        return contents;
    }

    private void stop(Map<Path, byte[]> onDisk, Random draws) throws IOException {
        for (Map.Entry<Path, byte[]> file : contents().entrySet()) {
            byte[] now = file.getValue();
            byte[] before = onDisk.getOrDefault(file.getKey(), new byte[0]);
            // The size may be as before, or what lies behind it zeros.
            int length = draws.nextBoolean() ? now.length : before.length;
            byte[] found = new byte[length];
            double kept = draws.nextDouble();
            for (int sector = 0; sector < length; sector += SECTOR_BYTES) {
                byte[] source = draws.nextDouble() < kept ? now : before;
                int end = Math.min(Math.min(source.length, length), sector + SECTOR_BYTES);
                if (end > sector) {
                    System.arraycopy(source, sector, found, sector, end - sector);
                }
            }
            Files.write(file.getKey(), found);
        }
    }

    private static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 1);
        return LongStream.range(first, first + 20);
    }
}
