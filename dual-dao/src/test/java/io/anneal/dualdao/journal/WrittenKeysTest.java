package io.anneal.dualdao.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WrittenKeysTest {
    private static final int SEGMENT_KEYS = 10;

    @TempDir
    Path directory;

    private final FaultyFiles files = new FaultyFiles();
    private WrittenKeys written;

    @BeforeEach
    void open() {
        written = WrittenKeys.open(directory, files, Durability.PROCESS_KILL, SEGMENT_KEYS);
    }

    @AfterEach
    void close() {
        written.close();
    }

    private List<String> takeAll() {
        List<String> all = new ArrayList<>();
        for (int taken = 1; taken > 0; ) {
            taken = written.take(all::add);
        }
        return all;
    }

    private int segments() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return (int) all.count();
        }
    }

    @Test
    void shouldGiveEveryKeyOutAndForgetIt() throws IOException {
        for (int i = 0; i < 25; i++) {
            written.add("k" + i);
        }
        assertThat(written.size()).isEqualTo(25);

        List<String> first = new ArrayList<>();
        assertThat(written.take(first::add)).isEqualTo(SEGMENT_KEYS);
        assertThat(first).contains("k0", "k9").doesNotContain("k10");
        assertThat(written.size()).isEqualTo(15);
        assertThat(takeAll()).hasSize(15).contains("k24");

        assertThat(written.size()).isZero();
        assertThat(segments()).isZero();
        written.add("again");
        assertThat(takeAll()).containsExactly("again");
    }

    @Test
    void shouldKeepASegmentThatWasNotTakenToItsEnd() {
        written.add("a");
        written.add("b");

        assertThatThrownBy(() -> written.take(key -> {
                    throw new JournalException("full", null);
                }))
                .isInstanceOf(JournalException.class);

        assertThat(takeAll()).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void shouldKnowThemAfterTheProcessDied() throws IOException {
        for (int i = 0; i < 13; i++) {
            written.add("k" + i);
        }
        // killed: nothing is closed, and files of work that was not done are left
        Files.writeString(directory.resolve("3.tmp"), "half");

        open();

        assertThat(written.size()).isEqualTo(13);
        written.add("later");
        assertThat(takeAll()).hasSize(14).contains("k0", "k12", "later");
        assertThat(directory.resolve("3.tmp")).doesNotExist();
    }

    @Test
    void shouldNameWhatIsNoSegmentAndLoseNothing() throws IOException {
        written.add("k");
        written.close();
        Path stray = Files.createFile(directory.resolve(".DS_Store"));

        assertThatThrownBy(this::open)
                .isInstanceOf(JournalException.class)
                .hasMessageContaining("no segment")
                .hasMessageContaining(stray.toString());

        Files.delete(stray);
        open();
        assertThat(takeAll()).containsExactly("k");
    }

    @Test
    void shouldHoldAKeyOnceHoweverOftenItIsWritten() throws IOException {
        for (int round = 0; round < 50; round++) {
            for (int i = 0; i < 2 * SEGMENT_KEYS; i++) {
                written.add("k" + i);
                written.add("k" + i);
            }
            written.compact();
            assertThat(segments()).as("round %d", round).isLessThan(20);
        }

        assertThat(written.size()).isLessThan(300);
        assertThat(new HashSet<>(takeAll())).hasSize(2 * SEGMENT_KEYS);
    }

    @Test
    void shouldLoseNoneWhateverTheOrder() {
        long seed = Long.getLong("anneal.seed", 20261128);
        Random random = new Random(seed);
        Set<String> known = new HashSet<>();
        for (int i = 0; i < 3_000; i++) {
            int dice = random.nextInt(100);
            if (dice < 90) {
                String key = "k\t\n" + random.nextInt(400);
                written.add(key);
                known.add(key);
            } else if (dice < 96) {
                written.compact();
            } else if (dice < 98) {
                written.take(known::remove);
                // Those of other segments are there still.
                Set<String> left = new HashSet<>(takeAll());
                left.forEach(written::add);
                known.addAll(left);
            } else {
                close();
                open();
            }
        }

        assertThat(new HashSet<>(takeAll())).as("seed=%d", seed).isEqualTo(known);
    }

    @Test
    void shouldTakeAKeyAfterTheDiskHadRoomAgain() {
        written.add("a");
        files.roomBytes = 3;
        assertThatThrownBy(() -> written.add("b")).isInstanceOf(JournalException.class);
        files.heal();

        written.add("b");

        assertThat(takeAll()).containsExactlyInAnyOrder("a", "b");
    }
}
