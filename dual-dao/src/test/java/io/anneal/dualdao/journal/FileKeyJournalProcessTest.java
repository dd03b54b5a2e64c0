package io.anneal.dualdao.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.dualdao.phase.Side;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Another process that has a journal open, and is killed. */
final class FileKeyJournalProcessTest {
    @TempDir
    Path directory;

    /** Adds keys without end and prints each once it was added. */
    static final class Adder {
        private Adder() {}

        public static void main(String[] arguments) {
            FileKeyJournal journal = FileKeyJournal.open(Path.of(arguments[0]), Durability.PROCESS_KILL, () -> "id");
            for (int i = 0; ; i++) {
                journal.add(Side.TARGET, "key" + i, "in flight");
                System.out.println(i);
            }
        }
    }

    @Test
    void shouldHoldEveryKeyThatAKilledProcessAdded() throws Exception {
        Process adder = adder();
        int last;
        try (BufferedReader printed =
                new BufferedReader(new InputStreamReader(adder.getInputStream(), StandardCharsets.UTF_8))) {
            last = readUntil(printed, 1_000);
            assertInUse(adder.pid());
            // Through the handle, since the process itself would close what there is still to read.
            adder.toHandle().destroyForcibly();
            last = Math.max(last, readUntil(printed, Integer.MAX_VALUE));
        } finally {
            adder.destroyForcibly();
        }
        adder.waitFor();

        try (FileKeyJournal journal = FileKeyJournal.open(directory, Durability.PROCESS_KILL, () -> "id")) {
            for (int i = 0; i <= last; i++) {
                assertThat(journal.contains(Side.TARGET, "key" + i))
                        .as("key %s", i)
                        .isTrue();
            }
        }
    }

    private Process adder() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Adder.class.getName(),
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    @Test
    void shouldKeepOtherProcessesOffAfterARefusalInThisOne() throws Exception {
        try (FileKeyJournal held = FileKeyJournal.open(directory, Durability.PROCESS_KILL, () -> "id")) {
            assertInUse(ProcessHandle.current().pid());

            Process adder = adder();
            try (BufferedReader printed =
                    new BufferedReader(new InputStreamReader(adder.getInputStream(), StandardCharsets.UTF_8))) {
                assertThat(printed.readLine())
                        .as("key added by another process")
                        .isNull();
            } finally {
                adder.destroyForcibly();
            }
            held.add(Side.TARGET, "k", "");
        }
        FileKeyJournal.open(directory, Durability.PROCESS_KILL, () -> "id").close();
    }

    private static int readUntil(BufferedReader printed, int last) throws IOException {
        int read = -1;
        while (read < last) {
            String line = printed.readLine();
            if (line == null) {
                return read;
            }
            // The last line may be cut off, and then is a smaller number.
            read = Math.max(read, Integer.parseInt(line));
        }
        return read;
    }

    private void assertInUse(long pid) {
        assertThatThrownBy(() -> FileKeyJournal.open(directory, Durability.PROCESS_KILL, () -> "id"))
                .isInstanceOf(JournalException.class)
                .hasMessageContaining("in use")
                .hasMessageContaining("process=" + pid);
    }
}
