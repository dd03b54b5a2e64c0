package io.anneal.commitlog;

import static io.anneal.commitlog.LogFixture.OTHER_TABLE;
import static io.anneal.commitlog.LogFixture.SMALL;
import static io.anneal.commitlog.LogFixture.TABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.commitlog.CommitLog.Append;
import io.anneal.commitlog.LogFixture.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Mutations that are appended together, and the log cut off anywhere in them. */
final class BatchRecordTest {
    @TempDir
    private Path directory;

    private final Random random = new Random(17);

    private List<Append> batch(int bodyBytes) {
        return List.of(
                new Append(TABLE, 0, LogFixture.mutation(random, bodyBytes)),
                new Append(OTHER_TABLE, 1, LogFixture.mutation(random, bodyBytes / 2)),
                new Append(TABLE, 1, LogFixture.mutation(random, bodyBytes)));
    }

    private static List<Entry> entries(CommitLogPosition position, List<Append> batch) {
        return batch.stream()
                .map(append -> new Entry(position, append.table(), append.mutation()))
                .toList();
    }

    private Path onlySegment() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().startsWith("CommitLog"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Body bytes: of what fits the section, and of what has one of its own. */
    @ParameterizedTest
    @CsvSource({"60,false", "60,true", "700,false", "700,true"})
    void shouldReplayAllOrNothingWhereverTheLogIsCut(int bodyBytes, boolean compression) throws IOException {
        List<Entry> expected = new ArrayList<>();
        List<Append> batch = batch(bodyBytes);
        CommitLog log = CommitLog.open(directory, SMALL.withCompression(compression), 0);
        expected.add(LogFixture.append(log, TABLE, 0, LogFixture.mutation(random, 30)));
        log.write();
        long before = log.lengthBytes();
        expected.addAll(entries(log.appendTogether(BatchRecord.of(batch)), batch));
        log.write();
        long after = log.lengthBytes();
        byte[] whole = Files.readAllBytes(onlySegment());
        assertThat(LogFixture.replay(directory)).isEqualTo(expected);

        for (int cut = (int) before; cut < after; cut++) {
            byte[] torn = whole.clone();
            Arrays.fill(torn, cut, torn.length, (byte) 0);
            Files.write(onlySegment(), torn);
            // The last bytes may be zeros anyway.
            int count = Arrays.equals(torn, whole) ? expected.size() : 1;
            assertThat(LogFixture.replay(directory)).as("cut=%d", cut).isEqualTo(expected.subList(0, count));

            Files.write(onlySegment(), Arrays.copyOf(whole, cut));
            assertThat(LogFixture.replay(directory)).as("cut=%d", cut).isEqualTo(expected.subList(0, 1));
        }
    }

    @Test
    void shouldKeepWhatOneTableStillNeedsOfABatch() throws IOException {
        CommitLog log = CommitLog.open(directory, SMALL, 0);
        List<Append> batch = batch(100);
        CommitLogPosition position = log.appendTogether(BatchRecord.of(batch));
        assertThat(log.position()).isEqualTo(position);
        while (log.position().segmentId() == position.segmentId()) {
            log.append(OTHER_TABLE, 3, LogFixture.mutation(random, 300));
        }
        log.release(OTHER_TABLE, 1, position);
        log.release(OTHER_TABLE, 3, log.position());
        log.release(TABLE, 0, position);
        log.sync();
        assertThat(log.oldestDirty()).containsExactly(new CommitLog.Dirty(TABLE, 1));
        assertThat(LogFixture.replay(directory).subList(0, 3)).isEqualTo(entries(position, batch));
        log.releaseTable(TABLE);
        assertThat(log.oldestDirty()).isEmpty();
    }
}
