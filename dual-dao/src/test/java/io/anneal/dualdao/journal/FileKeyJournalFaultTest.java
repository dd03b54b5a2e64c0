package io.anneal.dualdao.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.dualdao.phase.Side;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A journal on a disk that is full or broken. */
final class FileKeyJournalFaultTest {
    private final FaultyFiles files = new FaultyFiles();

    @TempDir
    Path directory;

    private FileKeyJournal journal;

    @BeforeEach
    void openJournal() {
        journal = open(Durability.PROCESS_KILL, 1 << 20);
    }

    @AfterEach
    void closeJournal() {
        journal.close();
    }

    private FileKeyJournal open(Durability durability, long rewriteBytes) {
        return FileKeyJournal.open(directory, durability, () -> "id", rewriteBytes, files);
    }

    private void reopen(Durability durability) {
        journal.close();
        journal = open(durability, 1 << 20);
    }

    private List<String> keys() {
        return KeyJournalContract.keys(journal, Side.TARGET);
    }

    private void assertRefused(String key) {
        assertThatThrownBy(() -> journal.add(Side.TARGET, key, "r"))
                .isInstanceOf(JournalException.class)
                .hasMessageContaining("file=" + directory.resolve("journal"));
    }

    @Test
    void shouldRefuseKeysWhileTheDiskIsFullAndTakeThemAgainAfterwards() {
        for (long room = 0; room < 25; room++) {
            String key = "k" + room;
            journal.add(Side.TARGET, key, "r");
            files.roomBytes = room % 22;
            assertRefused("refused");
            assertThat(journal.contains(Side.TARGET, "refused")).isFalse();
            files.heal();
        }
        int added = keys().size();
        journal.add(Side.TARGET, "last", "r");

        reopen(Durability.PROCESS_KILL);

        assertThat(keys())
                .hasSize(added + 1)
                .startsWith("k0", "k1")
                .endsWith("last")
                .doesNotContain("refused");
    }

    @Test
    void shouldRewriteTheFileWhenAHalfLineCouldNotBeCutOff() {
        journal.add(Side.TARGET, "a", "r");
        files.roomBytes = 10;
        files.truncateFails = true;
        assertRefused("b");

        files.truncateFails = false;
        assertRefused("c");
        files.heal();
        journal.add(Side.TARGET, "d", "r");

        assertThat(keys()).containsExactly("a", "d");
        reopen(Durability.PROCESS_KILL);
        assertThat(keys()).containsExactly("a", "d");
    }

    @Test
    void shouldLoseNothingWhenTheProcessEndsWithAHalfLineAtTheEnd() {
        journal.add(Side.TARGET, "a", "r");
        files.roomBytes = 10;
        files.truncateFails = true;
        assertRefused("b");
        files.heal();

        reopen(Durability.PROCESS_KILL);

        assertThat(keys()).containsExactly("a");
    }

    @Test
    void shouldTakeKeysOutWhileTheDiskIsFull() {
        long stamp = journal.add(Side.TARGET, "a", "r");
        journal.add(Side.TARGET, "b", "r");
        files.roomBytes = 0;

        journal.remove(Side.TARGET, "a", stamp);

        assertThat(keys()).containsExactly("b");
        files.heal();
        journal.add(Side.TARGET, "c", "r");
        reopen(Durability.PROCESS_KILL);
        assertThat(keys()).containsExactly("b", "c");
    }

    @Test
    void shouldTakeManyKeysOutWhileTheDiskIsFull() {
        String tail = "x".repeat(1_000);
        for (int i = 0; i < 200; i++) {
            journal.add(Side.TARGET, i + tail, "r");
        }
        files.roomBytes = 0;
        files.truncateFails = true;
        journal.entries(Side.TARGET, 199).forEach(entry -> journal.remove(Side.TARGET, entry.key(), entry.stamp()));
        assertRefused("b");

        files.heal();
        journal.add(Side.TARGET, "c", "r");
        assertThat(keys()).containsExactly("199" + tail, "c");
        reopen(Durability.PROCESS_KILL);
        assertThat(keys()).containsExactly("199" + tail, "c");
    }

    @Test
    void shouldGoOnWithTheOldFileWhenItCanNotBeRewritten() {
        journal.close();
        journal = open(Durability.PROCESS_KILL, 100);
        files.syncFails = true;
        for (int i = 0; i < 50; i++) {
            long stamp = journal.add(Side.TARGET, "k", "r");
            journal.remove(Side.TARGET, "k", stamp);
        }
        journal.add(Side.TARGET, "last", "r");

        files.heal();
        reopen(Durability.PROCESS_KILL);

        assertThat(keys()).containsExactly("last");
    }

    @Test
    void shouldSyncEveryKeyWhenAskedFor() {
        reopen(Durability.POWER_CUT);
        int before = files.syncCount;

        journal.add(Side.TARGET, "a", "r");
        journal.add(Side.TARGET, "b", "r");
        journal.add(Side.TARGET, "b", "r");

        assertThat(files.syncCount).isEqualTo(before + 2);
    }

    @Test
    void shouldNotHoldAKeyThatTheDiskDidNotSync() {
        reopen(Durability.POWER_CUT);
        journal.add(Side.TARGET, "a", "r");
        files.syncFails = true;

        assertRefused("b");

        assertThat(journal.contains(Side.TARGET, "b")).isFalse();
        assertThat(journal.contains(Side.TARGET, "a")).isTrue();
        assertRefused("b");
        files.heal();
        int before = files.syncCount;
        journal.add(Side.TARGET, "c", "r");
        // The whole file anew and then the key: a disk that says yes the next time may have forgotten what it refused.
        assertThat(files.syncCount).isEqualTo(before + 2);
        assertThat(journal.contains(Side.TARGET, "c")).isTrue();
        reopen(Durability.POWER_CUT);
        assertThat(keys()).contains("a", "c");
    }

    @Test
    void shouldRefuseToOpenWithoutRoomAndGiveTheDirectoryBack() {
        Path empty = directory.resolve("empty");
        files.roomBytes = 0;

        assertThatThrownBy(() -> FileKeyJournal.open(empty, Durability.PROCESS_KILL, () -> "id", 1 << 20, files))
                .isInstanceOf(JournalException.class)
                .hasMessageContaining("file=" + empty.resolve("journal"));

        files.heal();
        FileKeyJournal.open(empty, Durability.PROCESS_KILL, () -> "id", 1 << 20, files)
                .close();
    }
}
