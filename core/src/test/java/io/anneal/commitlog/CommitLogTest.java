package io.anneal.commitlog;

import static io.anneal.commitlog.LogFixture.OTHER_TABLE;
import static io.anneal.commitlog.LogFixture.SMALL;
import static io.anneal.commitlog.LogFixture.TABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.commitlog.CommitLog.Dirty;
import io.anneal.commitlog.LogFixture.Entry;
import io.anneal.fragment.Mutation;
import io.anneal.key.DecoratedKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CommitLogTest {
    @TempDir
    private Path directory;

    private final Random random = new Random(7);

    private CommitLog open(CommitLogConfig config) throws IOException {
        return CommitLog.open(directory, config, 0);
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private Entry append(CommitLog log, int shard, int bodyBytes) throws IOException {
        return LogFixture.append(log, TABLE, shard, LogFixture.mutation(random, bodyBytes));
    }

    private static long appendUntilSegment(CommitLog log, long segmentId, UUID table, int shard) throws IOException {
        Random random = new Random(11);
        while (log.position().segmentId() < segmentId) {
            log.append(table, shard, LogFixture.mutation(random, 300));
        }
        return log.position().segmentId();
    }

    @ParameterizedTest
    @CsvSource({"1,false", "2,true", "3,false", "4,true"})
    void shouldGiveBackWhatWasAppendedInOrder(long seed, boolean compression) throws IOException {
        Random draws = new Random(seed);
        List<Entry> entries = new ArrayList<>();
        // Several lives of the log, each behind the one before; some end without closing.
        for (int life = 0; life < 4; life++) {
            CommitLog log = open(SMALL.withCompression(compression));
            for (int i = draws.nextInt(200); i > 0; i--) {
                UUID table = draws.nextBoolean() ? TABLE : OTHER_TABLE;
                int bodyBytes = draws.nextInt(20) == 0 ? draws.nextInt(9000) : draws.nextInt(300);
                entries.add(LogFixture.append(log, table, draws.nextInt(3), LogFixture.mutation(draws, bodyBytes)));
                switch (draws.nextInt(6)) {
                    case 0 -> log.write();
                    case 1 -> log.sync();
                    default ->
                        assertThat(log.position())
                                .isEqualTo(entries.get(entries.size() - 1).position());
                }
            }
            if (draws.nextBoolean()) {
                log.close();
            } else {
                log.write();
            }
        }

        List<Entry> replayed = new ArrayList<>();
        CommitLogReplay.Report report = LogFixture.replay(directory, false, replayed);

        assertThat(replayed).as("seed=%d", seed).isEqualTo(entries);
        assertThat(report.mutations()).isEqualTo(entries.size());
        assertThat(report.tornTails()).isEmpty();
        assertThat(report.losses()).isEmpty();
        assertThat(replayed).extracting(Entry::position).isSorted();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldGiveBackWhatIsNotReleasedOutOfRecycledFiles(long seed) throws IOException {
        Random draws = new Random(seed);
        CommitLogConfig config = SMALL.withCompression(seed % 2 == 0);
        List<Entry> entries = new ArrayList<>();
        List<Integer> shards = new ArrayList<>();
        CommitLogPosition[] released = {CommitLogPosition.NONE, CommitLogPosition.NONE};
        try (CommitLog log = open(config)) {
            for (int i = 0; i < 2000; i++) {
                int shard = draws.nextInt(2);
                entries.add(LogFixture.append(log, TABLE, shard, LogFixture.mutation(draws, draws.nextInt(200))));
                shards.add(shard);
                if (draws.nextInt(20) == 0) {
                    CommitLogPosition upTo = entries.get(
                                    entries.size() - 1 - draws.nextInt(Math.min(entries.size(), 30)))
                            .position();
                    log.release(TABLE, shard, upTo);
                    // What was released once stays so: a later release may end before it.
                    released[shard] = upTo.compareTo(released[shard]) > 0 ? upTo : released[shard];
                }
                if (draws.nextInt(10) == 0) {
                    log.sync();
                }
            }
        }

        List<Entry> replayed = LogFixture.replay(directory);

        // Segments go as a whole, so more may come than is needed; nothing that is needed is missing.
        assertThat(entries).as("seed=%d", seed).containsAll(replayed);
        for (int i = 0; i < entries.size(); i++) {
            if (entries.get(i).position().compareTo(released[shards.get(i)]) > 0) {
                assertThat(replayed).as("seed=%d, entry=%d", seed, i).contains(entries.get(i));
            }
        }
        assertThat(replayed.size()).isLessThan(entries.size() / 2);
        assertThat(names().size()).isLessThan(20);
    }

    @Test
    void shouldKeepASegmentUntilEveryTableAndShardHasReleasedIt() throws IOException {
        try (CommitLog log = open(SMALL)) {
            CommitLogPosition first = append(log, 0, 100).position();
            CommitLogPosition second = append(log, 1, 100).position();
            log.append(OTHER_TABLE, 0, LogFixture.mutation(random, 100));
            appendUntilSegment(log, 2, TABLE, 5);
            CommitLogPosition end = log.position();
            log.release(TABLE, 5, end);

            assertThat(log.oldestDirty())
                    .containsExactlyInAnyOrder(new Dirty(TABLE, 0), new Dirty(TABLE, 1), new Dirty(OTHER_TABLE, 0));
            log.release(TABLE, 0, new CommitLogPosition(first.segmentId(), first.position() - 1));
            log.release(TABLE, 1, CommitLogPosition.NONE);
            assertThat(log.oldestDirty()).hasSize(3);
            log.release(TABLE, 0, first);
            log.release(TABLE, 1, second);
            log.release(OTHER_TABLE, 1, end);
            assertThat(log.oldestDirty()).containsExactly(new Dirty(OTHER_TABLE, 0));
            assertThat(names()).containsExactly("CommitLog-1-1.log", "CommitLog-1-2.log");

            log.releaseTable(OTHER_TABLE);
            assertThat(log.oldestDirty()).isEmpty();
            assertThat(names()).containsExactly("CommitLog-1-2.log", "Recycled-1.log");
        }
    }

    @Test
    void shouldReleaseASegmentFilledByWhatWasReleasedAlready() throws IOException {
        try (CommitLog log = open(SMALL)) {
            log.release(TABLE, 0, append(log, 0, 100).position());
            assertThat(log.oldestDirty()).isEmpty();
            log.append(OTHER_TABLE, 0, LogFixture.mutation(random, 900));
            log.releaseTable(OTHER_TABLE);
            // Not even begun, so nobody holds the first segment when it is left.
            log.append(TABLE, 0, LogFixture.mutation(random, 3500));

            assertThat(log.position().segmentId()).isEqualTo(2);
            assertThat(names()).containsExactly("CommitLog-1-2.log", "Recycled-1.log");
        }
    }

    @Test
    void shouldUseReleasedFilesAgainAndDeleteTheRest() throws IOException {
        try (CommitLog log = open(SMALL)) {
            appendUntilSegment(log, 5, TABLE, 0);
            log.release(TABLE, 0, new CommitLogPosition(4, Integer.MAX_VALUE));
            assertThat(names()).containsExactly("CommitLog-1-5.log", "Recycled-1.log", "Recycled-2.log");

            // Their old names may come back until the directory is synced.
            appendUntilSegment(log, 6, TABLE, 0);
            assertThat(names())
                    .containsExactly("CommitLog-1-5.log", "CommitLog-1-6.log", "Recycled-1.log", "Recycled-2.log");
            log.sync();
            appendUntilSegment(log, 7, TABLE, 0);
            assertThat(names())
                    .containsExactly("CommitLog-1-5.log", "CommitLog-1-6.log", "CommitLog-1-7.log", "Recycled-2.log");
        }
        try (CommitLog log = open(SMALL)) {
            assertThat(names())
                    .containsExactly(
                            "CommitLog-1-5.log", "CommitLog-1-6.log", "CommitLog-1-7.log", "CommitLog-1-8.log");
            log.releaseReplayed();
            // Whether another process could sync its files nobody knows: they are not used again.
            assertThat(names()).containsExactly("CommitLog-1-8.log");
        }
        open(SMALL.withRecycledSegmentsMax(0)).close();
        assertThat(names()).containsExactly("CommitLog-1-8.log", "CommitLog-1-9.log");
    }

    @Test
    void shouldCountWhatIsNotReleased() throws IOException {
        try (CommitLog log = open(SMALL)) {
            assertThat(log.lengthBytes()).isEqualTo(SegmentLayout.HEADER_BYTES);
            append(log, 0, 1000);
            log.write();
            assertThat(log.lengthBytes()).isBetween(1000L, 1200L);
            appendUntilSegment(log, 3, TABLE, 0);
            assertThat(log.lengthBytes()).isBetween(6000L, 3L * 4096);
            assertThat(log.segmentCount()).isEqualTo(3);
            log.release(TABLE, 0, log.position());
            assertThat(log.lengthBytes()).isLessThan(4096);
            assertThat(log.segmentCount()).isEqualTo(1);
        }
        try (CommitLog log = open(SMALL)) {
            assertThat(log.lengthBytes()).isGreaterThan(SegmentLayout.HEADER_BYTES);
            assertThat(log.segmentCount()).isEqualTo(2);
            log.releaseReplayed();
            assertThat(log.lengthBytes()).isLessThan(200);
            assertThat(log.segmentCount()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldTakeAMutationLargerThanASegment(boolean compression) throws IOException {
        List<Entry> entries = new ArrayList<>();
        try (CommitLog log = open(SMALL.withCompression(compression))) {
            entries.add(append(log, 0, 10));
            entries.add(append(log, 0, 50_000));
            entries.add(append(log, 0, 10));
            entries.add(append(log, 0, 2000));
            entries.add(append(log, 0, 4096));
            log.sync();
            assertThat(LogFixture.replay(directory)).isEqualTo(entries);
            log.release(TABLE, 0, log.position());
            // Too large to be used again.
            assertThat(names()).noneMatch(name -> name.equals("Recycled-2.log"));
        }
        assertThat(LogFixture.replay(directory)).isEmpty();
    }

    @Test
    void shouldLeaveNoRecordOfAMutationWithoutContent() throws IOException {
        try (CommitLog log = open(SMALL)) {
            CommitLogPosition before = append(log, 0, 10).position();
            assertThat(log.append(TABLE, 1, new Mutation(DecoratedKey.of(new byte[1]), new byte[0])))
                    .isEqualTo(before);
            assertThat(log.oldestDirty()).containsExactly(new Dirty(TABLE, 0));
        }
        assertThat(LogFixture.replay(directory)).hasSize(1);
    }

    @Test
    void shouldKnowWhatIsSynced() throws IOException {
        try (CommitLog log = open(SMALL)) {
            assertThat(log.syncedPosition()).isEqualTo(CommitLogPosition.NONE);
            CommitLogPosition first = append(log, 0, 10).position();
            log.write();
            assertThat(log.syncedPosition()).isLessThan(first);
            log.sync();
            assertThat(log.syncedPosition()).isEqualTo(first);
            CommitLogPosition second = append(log, 0, 10).position();
            assertThat(log.syncedPosition()).isEqualTo(first);
            assertThat(log.position()).isEqualTo(second);
        }
    }

    @Test
    void shouldRememberTheClock() throws IOException {
        try (CommitLog log = open(SMALL)) {
            append(log, 0, 10);
        }
        assertThat(LogFixture.clocks(directory)).isEmpty();
        CommitLog killed = open(SMALL);
        killed.clockMicros(1000);
        append(killed, 0, 10);
        killed.write();
        // A clock that was wrong is right again.
        killed.clockMicros(900);
        append(killed, 0, 10);
        killed.write();
        assertThat(LogFixture.clocks(directory)).containsExactly(1000L, 900L);
        CommitLog next = open(SMALL);
        next.clockMicros(1234);
        // No segment of before is left, and the process is killed.
        next.releaseReplayed();
        assertThat(names()).contains("CommitLog-1-3.log").doesNotContain("CommitLog-1-1.log", "CommitLog-1-2.log");
        assertThat(LogFixture.clocks(directory)).contains(1234L).allMatch(micros -> micros == 1234L);
    }

    @Test
    void shouldNeverUseASegmentIdTwice() throws IOException {
        try (CommitLog log = CommitLog.open(directory, SMALL, 41)) {
            assertThat(log.position().segmentId()).isEqualTo(42);
        }
        Files.move(directory.resolve("CommitLog-1-42.log"), directory.resolve("Recycled-50.log"));
        try (CommitLog log = CommitLog.open(directory, SMALL, -1)) {
            assertThat(log.position().segmentId()).isEqualTo(51);
        }
    }

    @Test
    void shouldRefuseWhatMakesNoSense() throws IOException {
        assertThatThrownBy(() -> SMALL.withSectionSizeBytes(100)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> SMALL.withSectionSizeBytes(4096)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> SMALL.withRecycledSegmentsMax(-1)).isInstanceOf(IllegalArgumentException.class);
        CommitLog log = open(SMALL);
        assertThatThrownBy(() -> append(log, -1, 10)).isInstanceOf(IllegalArgumentException.class);
        log.close();
        log.close();
        assertThatThrownBy(() -> append(log, 0, 10)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(log::sync).isInstanceOf(IllegalStateException.class);
    }

    private static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 1);
        return LongStream.range(first, first + 6);
    }
}
