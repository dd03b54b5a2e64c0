package io.anneal.commitlog;

import static io.anneal.commitlog.LogFixture.OTHER_TABLE;
import static io.anneal.commitlog.LogFixture.SMALL;
import static io.anneal.commitlog.LogFixture.TABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.anneal.commitlog.CommitLogReplay.Report;
import io.anneal.commitlog.LogFixture.Entry;
import io.anneal.fragment.Mutation;
import io.anneal.io.UnsupportedVersionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Logs that are torn, damaged, or not there. */
final class CommitLogReplayTest {
    @TempDir
    private Path directory;

    private final FileSystem memory = Jimfs.newFileSystem(Configuration.unix());
    private final Random random = new Random(3);
    private final List<Entry> entries = new ArrayList<>();

    @AfterEach
    void closeMemory() throws IOException {
        memory.close();
    }

    private Path segment(long id) {
        return directory.resolve("CommitLog-1-" + id + ".log");
    }

    private Entry append(CommitLog log, int bodyBytes) throws IOException {
        Entry entry = LogFixture.append(log, TABLE, 0, LogFixture.mutation(random, bodyBytes));
        entries.add(entry);
        return entry;
    }

    private Report replay(boolean skipCorrupt, List<Entry> replayed) throws IOException {
        return LogFixture.replay(directory, skipCorrupt, replayed);
    }

    @Test
    void shouldFindNothingWhenThereIsNothing() throws IOException {
        for (Path empty : List.of(directory, directory.resolve("missing"))) {
            List<Entry> replayed = new ArrayList<>();
            Report report = LogFixture.replay(empty, false, replayed);
            assertThat(replayed).isEmpty();
            assertThat(report).isEqualTo(new Report(0, 0, CommitLogPosition.NONE, List.of(), List.of()));
        }
    }

    @Test
    void shouldLeaveOtherFilesAlone() throws IOException {
        Files.writeString(directory.resolve("Recycled-1.log"), "old");
        Files.writeString(directory.resolve("CommitLog-1-x.log"), "not ours");
        Files.createFile(directory.resolve("lost+found"));
        assertThat(LogFixture.replay(directory)).isEmpty();
    }

    @Test
    void shouldRefuseSegmentsOfALaterVersion() throws IOException {
        CommitLog.open(directory, SMALL, 0).close();
        byte[] bytes = Files.readAllBytes(segment(1));
        ByteBuffer header = ByteBuffer.wrap(bytes);
        header.putInt(SegmentLayout.VERSION_OFFSET, 2);
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, SegmentLayout.HEADER_CHECKSUM_OFFSET);
        header.putInt(SegmentLayout.HEADER_CHECKSUM_OFFSET, (int) crc.getValue());
        Files.write(segment(1), bytes);
        assertThatThrownBy(() -> replay(true, entries))
                .isInstanceOf(UnsupportedVersionException.class)
                .hasMessageContaining("CommitLog-1-1.log")
                .hasMessageContaining("found=2");

        Files.move(segment(1), directory.resolve("CommitLog-2-1.log"));
        assertThatThrownBy(() -> replay(true, entries)).isInstanceOf(UnsupportedVersionException.class);
        assertThatThrownBy(() -> CommitLog.open(directory, SMALL, 0)).isInstanceOf(UnsupportedVersionException.class);
    }

    @Test
    void shouldHandOnWhatTheHandlerThrows() throws IOException {
        try (CommitLog log = CommitLog.open(directory, SMALL, 0)) {
            append(log, 10);
        }
        IOException thrown = new IOException("no");
        assertThatThrownBy(() -> CommitLogReplay.replay(
                        directory,
                        (position, table, mutation) -> {
                            throw thrown;
                        },
                        true))
                .isSameAs(thrown);
    }

    /** Cut off, zeros, or what an earlier life of the file left, from each byte of the last section on. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLeaveOutATornTail(boolean compression) throws IOException {
        CommitLog log = CommitLog.open(directory, SMALL.withCompression(compression), 0);
        append(log, 100);
        log.sync();
        append(log, 100);
        log.write();
        List<Entry> before = List.copyOf(entries);
        int begin = written(segment(1)).length;
        for (int i = 0; i < 5; i++) {
            append(log, 50);
        }
        log.write();
        byte[] whole = written(segment(1));
        byte[] old = Arrays.copyOf(whole, whole.length);
        random.nextBytes(old);
        assertThat(LogFixture.replay(directory)).isEqualTo(entries);

        moveToMemory();
        for (int torn = begin; torn < whole.length; torn++) {
            byte[] zeros = Arrays.copyOf(Arrays.copyOf(whole, torn), whole.length + 200);
            byte[] mixed = Arrays.copyOf(whole, whole.length);
            System.arraycopy(old, torn, mixed, torn, whole.length - torn);
            for (byte[] found : List.of(Arrays.copyOf(whole, torn), zeros, mixed)) {
                Files.write(segment(1), found);
                List<Entry> replayed = new ArrayList<>();
                Report report = replay(false, replayed);
                assertThat(replayed).as("torn=%d", torn).startsWith(before.toArray(Entry[]::new));
                assertThat(entries).startsWith(replayed.toArray(Entry[]::new));
                if (torn >= begin + SegmentLayout.SECTION_HEADER_BYTES && replayed.size() < entries.size()) {
                    assertThat(report.tornTails()).hasSize(1);
                    assertThat(report.tornTails().get(0).file()).isEqualTo(segment(1));
                }
                assertThat(report.losses()).isEmpty();
            }
        }
    }

    @Test
    void shouldLeaveOutWhatFollowsATornSectionOfTheSameProcess() throws IOException {
        CommitLog log = CommitLog.open(directory, SMALL, 0);
        Entry synced = append(log, 100);
        log.sync();
        int begin = written(segment(1)).length;
        append(log, 100);
        log.write();
        while (log.position().segmentId() < 3) {
            append(log, 500);
        }
        log.write();
        flip(segment(1), begin + 20, 1);
        // The next process' segments are not meant.
        CommitLog next = CommitLog.open(directory, SMALL, 0);
        Entry later = append(next, 100);
        next.sync();
        append(next, 100);
        next.sync();

        List<Entry> replayed = new ArrayList<>();
        Report report = replay(false, replayed);

        assertThat(replayed).containsExactly(synced, later, entries.get(entries.size() - 1));
        assertThat(report.tornTails()).hasSize(1);
        assertThat(report.end()).isEqualTo(next.position());
    }

    @Test
    void shouldReportCorruptionBelowWhatIsKnownSynced() throws IOException {
        CommitLog log = CommitLog.open(directory, SMALL, 0);
        append(log, 100);
        log.sync();
        int begin = written(segment(1)).length;
        append(log, 100);
        log.sync();
        flip(segment(1), begin + 20, 1);
        // Nobody says yet that it had been synced.
        assertThat(LogFixture.replay(directory)).hasSize(1);

        append(log, 100);
        log.write();
        assertThatThrownBy(() -> replay(false, new ArrayList<>()))
                .isInstanceOfSatisfying(CorruptCommitLogException.class, e -> {
                    assertThat(e.file()).isEqualTo(segment(1));
                    assertThat(e.position()).isEqualTo(begin);
                })
                .hasMessageContaining("file=" + segment(1))
                .hasMessageContaining("position=" + begin);
        List<Entry> replayed = new ArrayList<>();
        Report report = replay(true, replayed);
        assertThat(replayed).containsExactly(entries.get(0), entries.get(2));
        assertThat(report.losses()).hasSize(1);
        assertThat(report.losses().get(0).position()).isEqualTo(begin);
    }

    @Test
    void shouldReportCorruptionAcrossSegmentsAndAfterClosing() throws IOException {
        try (CommitLog log = CommitLog.open(directory, SMALL, 0)) {
            while (log.position().segmentId() < 3) {
                append(log, 300);
            }
        }
        byte[] second = written(segment(2));
        flip(segment(2), second.length / 2, 4);
        assertThatThrownBy(() -> replay(false, new ArrayList<>())).isInstanceOf(CorruptCommitLogException.class);
        // A file that has lost its end, or everything.
        for (int length : new int[] {second.length - 1, 40, 31, 0}) {
            Files.write(segment(2), Arrays.copyOf(second, length));
            assertThatThrownBy(() -> replay(false, new ArrayList<>()))
                    .as("lengthBytes=%d", length)
                    .isInstanceOf(CorruptCommitLogException.class);
            List<Entry> replayed = new ArrayList<>();
            assertThat(replay(true, replayed).losses()).isNotEmpty();
            assertThat(replayed)
                    .containsAll(entries.stream()
                            .filter(entry -> entry.position().segmentId() != 2)
                            .toList());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNeverGiveAWrongMutationWhenABitIsFlipped(boolean compression) throws IOException {
        CommitLogConfig config = SMALL.withCompression(compression);
        // What sections say of synced positions, by the first segment of the process that wrote them.
        Map<Long, CommitLogPosition> knownSynced = new TreeMap<>();
        for (int life = 0; life < 3; life++) {
            CommitLog log = CommitLog.open(directory, config, 0);
            long sessionId = log.position().segmentId();
            for (int i = 0; i < 24; i++) {
                knownSynced.put(sessionId, log.syncedPosition());
                append(log, random.nextInt(i == 20 ? 1500 : 150));
                if (i % 3 == 0) {
                    log.write();
                }
                if (i % 7 == 0) {
                    log.sync();
                }
            }
            log.write();
            if (life == 1) {
                log.close();
                knownSynced.put(sessionId, log.syncedPosition());
            }
        }
        assertThat(LogFixture.replay(directory)).isEqualTo(entries);
        long segmentCount = entries.get(entries.size() - 1).position().segmentId();
        assertThat(segmentCount).isGreaterThan(3);

        moveToMemory();
        Map<CommitLogPosition, Entry> byPosition = new HashMap<>();
        entries.forEach(entry -> byPosition.put(entry.position(), entry));
        int errors = 0;
        for (long id = 1; id <= segmentCount; id++) {
            byte[] bytes = Files.readAllBytes(segment(id));
            int writtenBytes = written(segment(id)).length;
            // Every byte, and some of the zeros behind.
            for (int i = 0; i < bytes.length; i += i < writtenBytes ? 1 : 61) {
                byte right = bytes[i];
                bytes[i] ^= (byte) (1 << random.nextInt(Byte.SIZE));
                Files.write(segment(id), bytes);
                bytes[i] = right;
                List<Entry> replayed = new ArrayList<>();
                try {
                    replay(false, replayed);
                    assertThatOnlyATailIsMissing(replayedOnce(replayed, byPosition), knownSynced);
                } catch (CorruptCommitLogException e) {
                    errors++;
                    assertThat(entries.subList(0, replayed.size()))
                            .as("segment=%d, offset=%d", id, i)
                            .isEqualTo(replayed);
                }
                replayed.clear();
                Report report = replay(true, replayed);
                replayedOnce(replayed, byPosition);
                if (!report.losses().isEmpty()
                        && !compression
                        && report.losses().get(0).reason().contains("record")) {
                    assertThat(replayed).hasSize(entries.size() - 1);
                }
            }
            Files.write(segment(id), bytes);
        }
        assertThat(errors).isGreaterThan(100);
    }

    /** Returns where they stand, once each is one that was written, and none came twice. Assertions of lists are slow here. */
    private static Set<CommitLogPosition> replayedOnce(List<Entry> replayed, Map<CommitLogPosition, Entry> byPosition) {
        Set<CommitLogPosition> positions = new HashSet<>();
        for (Entry entry : replayed) {
            if (!entry.equals(byPosition.get(entry.position())) || !positions.add(entry.position())) {
                throw new AssertionError("not written, or written once and replayed twice, entry=" + entry);
            }
        }
        return positions;
    }

    private void assertThatOnlyATailIsMissing(Set<CommitLogPosition> found, Map<Long, CommitLogPosition> knownSynced) {
        List<Long> sessionIds = List.copyOf(knownSynced.keySet());
        for (int session = 0; session < sessionIds.size(); session++) {
            long begin = sessionIds.get(session);
            long end = session + 1 < sessionIds.size() ? sessionIds.get(session + 1) : Long.MAX_VALUE;
            boolean missing = false;
            for (Entry entry : entries) {
                if (entry.position().segmentId() >= begin && entry.position().segmentId() < end) {
                    boolean isFound = found.contains(entry.position());
                    missing |= !isFound;
                    if (isFound == missing || missing && entry.position().compareTo(knownSynced.get(begin)) <= 0) {
                        throw new AssertionError(
                                "a tail is not all that is missing, entry=" + entry + ", found=" + isFound);
                    }
                }
            }
        }
    }

    @Test
    void shouldGoOnAtTheNextRecordThatCanBeRead() throws IOException {
        try (CommitLog log = CommitLog.open(directory, SMALL, 0)) {
            for (int i = 0; i < 5; i++) {
                append(log, 100);
            }
        }
        int second = entries.get(0).position().position();
        for (int offset : new int[] {0, SegmentLayout.RECORD_LENGTH_OFFSET, SegmentLayout.RECORD_HEADER_BYTES + 9}) {
            flip(segment(1), second + offset, 0x10);
            List<Entry> replayed = new ArrayList<>();
            Report report = replay(true, replayed);
            assertThat(replayed).containsExactly(entries.get(0), entries.get(2), entries.get(3), entries.get(4));
            assertThat(report.losses()).hasSize(1);
            assertThat(report.losses().get(0).position()).isEqualTo(second);
            assertThat(report.losses().get(0).lengthBytes())
                    .isEqualTo(entries.get(1).position().position() - second);
            flip(segment(1), second + offset, 0x10);
        }
    }

    @Test
    void shouldNotTakeWhatAnEarlierLifeLeftInTheFile() throws IOException {
        CommitLog log = CommitLog.open(directory, SMALL, 0);
        Random same = new Random(1);
        for (int life = 0; life < 5; life++) {
            long id = log.position().segmentId();
            while (log.position().segmentId() == id) {
                // The same lengths each time, so that old records stand where new ones might.
                log.append(TABLE, 0, LogFixture.mutation(same, 200));
                log.write();
            }
            log.release(TABLE, 0, new CommitLogPosition(id, Integer.MAX_VALUE));
        }
        List<Entry> replayed = LogFixture.replay(directory);
        assertThat(replayed).hasSize(1);
        assertThat(replayed.get(0).position()).isEqualTo(log.position());
    }

    /** Bytes of a log inside of a mutation are content and nothing else. */
    @Test
    void shouldNotTakeALogInsideOfAMutationForItsOwn() throws IOException {
        Path inner = directory.resolve("inner");
        try (CommitLog log = CommitLog.open(inner, SMALL, 0)) {
            for (int i = 0; i < 8; i++) {
                log.append(OTHER_TABLE, 0, LogFixture.mutation(random, 100));
            }
        }
        byte[] content = written(inner.resolve("CommitLog-1-1.log"));
        CommitLog log = CommitLog.open(directory, SMALL, 0);
        ByteBuffer items = ByteBuffer.allocate(7 + content.length);
        items.put((byte) 3).putInt(items.capacity()).putShort((short) 0).put(content);
        append(log, 10);
        log.append(TABLE, 0, Mutation.of(items.array()));
        append(log, 10);
        log.sync();
        append(log, 10);
        log.sync();
        flip(segment(1), written(segment(1)).length / 2, 1);

        List<Entry> replayed = new ArrayList<>();
        replay(true, replayed);
        assertThat(replayed).isEqualTo(entries);
    }

    /** Without the zeros behind the end; nothing here ends with one. */
    private static byte[] written(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int length = bytes.length;
        while (bytes[length - 1] == 0) {
            length--;
        }
        return Arrays.copyOf(bytes, length);
    }

    /** Tens of thousands of replays would wear out a disk. */
    private void moveToMemory() throws IOException {
        Path target = memory.getPath("/log");
        Files.createDirectory(target);
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.copy(file, target.resolve(file.getFileName().toString()));
            }
        }
        directory = target;
    }

    private static void flip(Path file, int offset, int bits) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[offset] ^= (byte) bits;
        Files.write(file, bytes);
    }
}
