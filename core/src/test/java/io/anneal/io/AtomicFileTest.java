package io.anneal.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicFileTest {
    @TempDir
    private Path directory;

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void shouldReplaceAFileOnAThreadThatIsInterrupted() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "old");
        Thread.currentThread().interrupt();

        AtomicFile.replace(file, bytes("new"), OutputFile.CREATE_NEW);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(file).hasContent("new");
        assertThat(AtomicFile.temporary(file)).doesNotExist();
    }

    @Test
    void shouldBeginAgainWhenTheInterruptionComesMeanwhile() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "old");
        AtomicInteger opened = new AtomicInteger();

        AtomicFile.replace(file, bytes("new"), temporary -> {
            if (opened.incrementAndGet() <= 2) {
                Thread.currentThread().interrupt();
            }
            return OutputFile.CREATE_NEW.open(temporary);
        });

        assertThat(Thread.interrupted()).isTrue();
        assertThat(opened).hasValue(3);
        assertThat(file).hasContent("new");
    }

    @Test
    void shouldKeepTheOldFormWhenTheDiskFails() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "old");

        assertThatThrownBy(() -> AtomicFile.replace(file, bytes("new"), temporary -> {
                    throw new IOException("no space left");
                }))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining(".file.new")
                .hasMessageContaining("no space left");

        assertThat(file).hasContent("old");
    }

    @Test
    void shouldLeaveNothingBesideTheOldFormWhenTheDiskIsFull() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "old");

        assertThatThrownBy(() -> AtomicFile.replace(file, bytes("new"), temporary -> {
                    OutputFile.CREATE_NEW.open(temporary).close();
                    throw new IOException("no space left");
                }))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("no space left");

        assertThat(file).hasContent("old");
        assertThat(AtomicFile.temporary(file)).doesNotExist();
    }

    @Test
    void shouldLeaveNothingBesideWhatCannotBeReplaced() throws IOException {
        Path file = Files.createDirectories(directory.resolve("file/inner")).getParent();

        assertThatThrownBy(() -> AtomicFile.replace(file, bytes("new"), OutputFile.CREATE_NEW))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("rename");

        assertThat(AtomicFile.temporary(file)).doesNotExist();
    }
}
