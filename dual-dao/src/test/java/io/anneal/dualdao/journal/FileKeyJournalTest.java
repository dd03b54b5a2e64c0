package io.anneal.dualdao.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.dualdao.phase.Side;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FileKeyJournalTest extends KeyJournalContract {
    @TempDir
    Path directory;

    @Override
    KeyJournal open() {
        return FileKeyJournal.open(
                directory, Durability.PROCESS_KILL, () -> "id", FileKeyJournal.REWRITE_BYTES, new FaultyFiles());
    }

    private void reopen() {
        journal.close();
        journal = open();
    }

    private Path file() {
        return directory.resolve("journal");
    }

    @Test
    void shouldKnowItsKeysWhenOpenedAgain() {
        journal.add(Side.TARGET, "a", "target failed");
        long done = journal.add(Side.TARGET, "b", "in flight");
        journal.add(Side.ORIGIN, "c", "written in phase 4");
        journal.add(Side.TARGET, "d", "in flight");
        journal.add(Side.TARGET, "a", "target failed");
        journal.remove(Side.TARGET, "b", done);

        reopen();

        assertThat(keys(journal, Side.TARGET)).containsExactlyInAnyOrder("a", "d");
        assertThat(journal.entries(Side.ORIGIN, 9)).singleElement().satisfies(entry -> {
            assertThat(entry.key()).isEqualTo("c");
            assertThat(entry.reason()).isEqualTo("written in phase 4");
        });
        assertThat(journal.persistent()).isTrue();
    }

    @Test
    void shouldSyncToARealDisk() {
        journal.close();
        journal = FileKeyJournal.open(directory, Durability.POWER_CUT, () -> "id");
        journal.add(Side.TARGET, "a", "r");
        reopen();

        assertThat(keys(journal, Side.TARGET)).containsExactly("a");
    }

    @Test
    void shouldGiveStampsThatNoEntryFromBeforeHas() {
        journal.add(Side.TARGET, "a", "r");
        long removed = journal.add(Side.TARGET, "b", "r");
        journal.remove(Side.TARGET, "b", removed);
        reopen();
        long before = journal.entries(Side.TARGET, 1).get(0).stamp();

        assertThat(journal.add(Side.TARGET, "b", "r")).isGreaterThan(before);
        long renewed = journal.add(Side.TARGET, "a", "r");
        journal.remove(Side.TARGET, "a", before);

        assertThat(journal.contains(Side.TARGET, "a")).isTrue();
        journal.remove(Side.TARGET, "a", renewed);
        assertThat(journal.contains(Side.TARGET, "a")).isFalse();
    }

    @Test
    void shouldKeepKeysOfAnyCharacters() {
        List<String> keys = List.of(
                "",
                " ",
                "a b",
                "tab\there",
                "line\nfeed",
                "\r\n",
                "back\\slash",
                "\\u0041",
                "\\n",
                "\0",
                "\u007f",
                "\u0085",
                "\u2028",
                "äöü",
                "日本",
                "😀",
                "\ud83d",
                "\ude00",
                "a\ude00\ud83d",
                "-O x\ty");
        keys.forEach(key -> journal.add(Side.TARGET, key, "why: " + key));

        reopen();

        assertThat(keys(journal, Side.TARGET)).containsExactlyElementsOf(keys);
        assertThat(journal.entries(Side.TARGET, 99))
                .allSatisfy(entry -> assertThat(entry.reason()).isEqualTo("why: " + entry.key()));
        List.copyOf(journal.entries(Side.TARGET, 99))
                .forEach(entry -> journal.remove(Side.TARGET, entry.key(), entry.stamp()));
        reopen();
        assertThat(journal.size(Side.TARGET)).isZero();
    }

    @Test
    void shouldWriteAKeyBeforeAddReturnsAndOnceOnly() throws IOException {
        journal.add(Side.TARGET, "first", "r");
        String written = Files.readString(file());
        journal.add(Side.TARGET, "first", "r");

        assertThat(written).startsWith("anneal-journal 1\n").endsWith(" +T r\tfirst\n");
        assertThat(Files.readString(file())).isEqualTo(written);
    }

    @Test
    void shouldWriteANewReasonOfAKeyThatIsThere() {
        journal.add(Side.TARGET, "k", "in flight");
        journal.add(Side.TARGET, "k", "target failed");

        reopen();

        assertThat(journal.entries(Side.TARGET, 9))
                .extracting(KeyJournal.Entry::reason)
                .containsExactly("target failed");
    }

    @Test
    void shouldHoldEveryWholeLineWhereverTheFileIsCut() throws IOException {
        byte[] whole = smallFile();
        int headerLength = "anneal-journal 1\n".length();
        for (int length = 0; length < whole.length; length++) {
            Files.write(file(), Arrays.copyOf(whole, length));
            if (length < headerLength) {
                assertThatThrownBy(this::open)
                        .isInstanceOf(JournalException.class)
                        .hasMessageContaining(file().toString());
                continue;
            }
            // A line that lacks its end alone is whole.
            String text = new String(whole, 0, length, StandardCharsets.UTF_8);
            int lines = (int) text.chars().filter(c -> c == '\n').count() - 1;
            int wholeLines = whole[length] == '\n' ? lines + 1 : lines;
            journal = open();
            List<String> all = List.of("a", "b", "c");
            assertThat(keys(journal, Side.TARGET))
                    .as("cut at %s", length)
                    .containsExactlyElementsOf(all.subList(0, wholeLines));

            // What is added behind the cut is not mixed up with what was cut off.
            journal.add(Side.TARGET, "later", "r");
            reopen();
            assertThat(keys(journal, Side.TARGET)).hasSize(wholeLines + 1).endsWith("later");
            journal.close();
        }
    }

    private byte[] smallFile() throws IOException {
        List.of("a", "b", "c").forEach(key -> journal.add(Side.TARGET, key, "r"));
        journal.close();
        return Files.readAllBytes(file());
    }

    @Test
    void shouldNoticeEveryFlippedBit() throws IOException {
        byte[] whole = smallFile();
        for (int i = 0; i < whole.length; i++) {
            for (int bit = 0; bit < 8; bit++) {
                byte[] flipped = whole.clone();
                flipped[i] ^= (byte) (1 << bit);
                Files.write(file(), flipped);
                assertThatThrownBy(this::open)
                        .as("byte %s, bit %s", i, bit)
                        .isInstanceOf(JournalException.class)
                        .hasMessageContaining("file=" + file())
                        .hasMessageContaining("offset=");
                assertThat(Files.readAllBytes(file())).isEqualTo(flipped);
            }
        }
    }

    @Test
    void shouldNameTheOffsetOfACorruptLine() throws IOException {
        byte[] whole = smallFile();
        int second = new String(whole, StandardCharsets.UTF_8).indexOf('\n', 20) + 1;
        whole[second + 12] = 'X';
        Files.write(file(), whole);

        assertThatThrownBy(this::open)
                .isInstanceOf(JournalException.class)
                .hasMessage("corrupt key journal, file=" + file() + ", offset=" + second
                        + ", reason=not a line of a journal");
    }

    @Test
    void shouldRefuseAnotherVersionOfTheFormat() throws IOException {
        journal.close();
        Files.writeString(file(), "anneal-journal 2\n");

        assertThatThrownBy(this::open)
                .isInstanceOf(JournalException.class)
                .hasMessageContaining("version that is not known");
    }

    @Test
    void shouldCutOffATornEndThatIsLong() throws IOException {
        journal.add(Side.TARGET, "a", "r");
        journal.close();
        Files.write(file(), new byte[100_000], StandardOpenOption.APPEND);

        journal = open();
        journal.add(Side.TARGET, "b", "r");
        reopen();

        assertThat(keys(journal, Side.TARGET)).containsExactly("a", "b");
        assertThat(Files.size(file())).isLessThan(200);
    }

    @Test
    void shouldReadLinesLongerThanItsBuffer() {
        String key = "k".repeat(200_000);
        journal.add(Side.TARGET, key, "r");
        journal.add(Side.TARGET, "b", "r");

        reopen();

        assertThat(keys(journal, Side.TARGET)).containsExactly(key, "b");
    }

    @Test
    void shouldRefuseADirectoryThatIsInUse() {
        assertThatThrownBy(() -> FileKeyJournal.open(directory, Durability.PROCESS_KILL, () -> "id"))
                .isInstanceOf(JournalException.class)
                .hasMessageContaining("in use")
                .hasMessageContaining("file=" + directory.resolve("journal.lock"))
                .hasMessageContaining("process=" + ProcessHandle.current().pid());
    }

    @Test
    void shouldGiveTheDirectoryBackWhenOpeningFails() throws IOException {
        journal.close();
        Files.writeString(file(), "nonsense\n");
        assertThatThrownBy(this::open).isInstanceOf(JournalException.class);
        Files.delete(file());

        journal = open();

        assertThat(journal.size(Side.TARGET)).isZero();
    }

    @Test
    void shouldRefuseADirectoryThatIsAFile() throws IOException {
        Path plain = Files.writeString(directory.resolve("plain"), "x");

        assertThatThrownBy(() -> FileKeyJournal.open(plain, Durability.PROCESS_KILL, () -> "id"))
                .isInstanceOf(JournalException.class)
                .hasMessageContaining("directory=" + plain);
    }

    @Test
    void shouldRefuseKeysOnceItIsClosedAndStillAnswer() {
        long stamp = journal.add(Side.TARGET, "a", "r");
        journal.close();
        journal.close();

        assertThatThrownBy(() -> journal.add(Side.TARGET, "b", "r"))
                .isInstanceOf(JournalException.class)
                .hasMessageContaining("closed")
                .hasMessageContaining("file=" + file());
        journal.remove(Side.TARGET, "a", stamp);
        assertThat(journal.contains(Side.TARGET, "a")).isTrue();
        reopen();
        assertThat(journal.contains(Side.TARGET, "a")).isTrue();
    }

    @Test
    void shouldGoOnWhenAThreadIsInterrupted() {
        Thread.currentThread().interrupt();
        journal.add(Side.TARGET, "a", "r");
        assertThat(Thread.interrupted()).isTrue();

        journal.add(Side.TARGET, "b", "r");
        reopen();

        assertThat(keys(journal, Side.TARGET)).containsExactly("a", "b");
    }

    @Test
    void shouldRewriteTheFileWhenMostOfItIsDone() throws IOException {
        journal.close();
        journal = FileKeyJournal.open(directory, Durability.PROCESS_KILL, () -> "id", 1_000, AppendFile::open);
        journal.add(Side.ORIGIN, "stays", "written in phase 4");
        long longest = 0;
        for (int i = 0; i < 1_000; i++) {
            long stamp = journal.add(Side.TARGET, "key" + i % 10, "in flight");
            journal.remove(Side.TARGET, "key" + i % 10, stamp);
            longest = Math.max(longest, Files.size(file()));
        }

        assertThat(longest).isLessThan(2_000);
        assertThat(directory.resolve("journal.tmp")).doesNotExist();
        reopen();
        assertThat(keys(journal, Side.ORIGIN)).containsExactly("stays");
        assertThat(journal.size(Side.TARGET)).isZero();
    }

    @Test
    void shouldNotRewriteTheFileForKeysThatAreAllAlive() throws IOException {
        journal.close();
        FaultyFiles files = new FaultyFiles();
        journal = FileKeyJournal.open(directory, Durability.PROCESS_KILL, () -> "id", 100, files);
        int atOpen = files.syncCount;
        for (int i = 0; i < 1_000; i++) {
            journal.add(Side.ORIGIN, "key" + i, "written in phase 4");
        }

        assertThat(files.syncCount).isEqualTo(atOpen);
    }

    @Test
    void shouldSweepAwayARewritingThatWasCutShort() throws IOException {
        journal.add(Side.TARGET, "a", "r");
        journal.close();
        Files.writeString(directory.resolve("journal.tmp"), "anneal-journal 1\nhalf");

        journal = open();

        assertThat(keys(journal, Side.TARGET)).containsExactly("a");
        assertThat(directory.resolve("journal.tmp")).doesNotExist();
    }

    @Test
    void shouldKeepItsNameAsLongAsItsLines() throws IOException {
        assertThat(named("first")).contains("first");
        assertThat(named("second")).as("opened again").contains("first");

        Files.delete(directory.resolve("named/journal"));
        assertThat(named("third")).as("its keys are gone").contains("third");

        Files.writeString(directory.resolve("named/journal.id"), "");
        assertThat(named("fourth")).as("a power cut emptied the name").contains("fourth");
    }

    private Optional<String> named(String newId) {
        try (FileKeyJournal opened =
                FileKeyJournal.open(directory.resolve("named"), Durability.PROCESS_KILL, () -> newId)) {
            return opened.id();
        }
    }

    @Test
    void shouldKeepWhatIsRememberedOutOfMemoryUntilItIsRecalled() {
        int keys = 70_000;
        for (int i = 0; i < keys; i++) {
            journal.remember("k" + i, "r");
            journal.remember("k" + i, "r");
        }

        assertThat(journal.size(Side.ORIGIN)).isZero();
        assertThat(journal.remembered()).isBetween((long) keys, keys + 2L);
        int recalled = journal.recall();
        assertThat(recalled).isBetween(1, keys / 2);
        assertThat(journal.size(Side.ORIGIN)).isEqualTo(recalled);
        while (journal.recall() > 0) {
            assertThat(journal.contains(Side.ORIGIN, "k0")).isTrue();
        }
        assertThat(journal.size(Side.ORIGIN)).isEqualTo(keys);
    }
}
