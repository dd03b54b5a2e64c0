package io.anneal.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class LastingChannelTest {
    @TempDir
    private Path directory;

    private Path file() throws IOException {
        return Files.writeString(directory.resolve("file"), "0123456789");
    }

    private static String read(FileChannel channel, long position) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(5);
        buffer.position(1);
        assertThat(channel.read(buffer, position)).isEqualTo(4);
        return new String(buffer.array(), 1, 4, StandardCharsets.US_ASCII);
    }

    /** Opening one to read waits until somebody writes to it. */
    @Test
    @Timeout(60)
    void shouldOpenNoPipe() throws Exception {
        Path pipe = directory.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();

        assertThatThrownBy(() -> InputFile.open(pipe))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining(pipe.toString())
                .hasMessageContaining("is a pipe or a device");
    }

    @Test
    void shouldReadOnWhenTheReaderIsInterrupted() throws IOException {
        try (FileChannel channel = InputFile.open(file())) {
            assertThat(read(channel, 1)).isEqualTo("1234");
            Thread.currentThread().interrupt();
            assertThat(read(channel, 3)).isEqualTo("3456");
            assertThat(channel.size()).isEqualTo(10);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(read(channel, 5)).isEqualTo("5678");
            assertThat(channel.isOpen()).isTrue();
        }
    }

    @Test
    void shouldReadOnWhenAnotherReaderIsInterrupted() throws IOException {
        try (FileChannel channel = InputFile.open(file())) {
            List<CompletableFuture<Void>> readers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                boolean interrupts = i % 2 == 0;
                readers.add(CompletableFuture.runAsync(
                        () -> readOften(channel, interrupts), work -> new Thread(work).start()));
            }
            readers.forEach(CompletableFuture::join);
        }
    }

    private static void readOften(FileChannel channel, boolean interrupts) {
        try {
            for (int i = 0; i < 500; i++) {
                if (interrupts) {
                    Thread.currentThread().interrupt();
                }
                assertThat(read(channel, 2)).isEqualTo("2345");
            }
            assertThat(Thread.currentThread().isInterrupted()).isEqualTo(interrupts);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldStayClosedWhenItIsClosed() throws IOException {
        FileChannel channel = InputFile.open(file());
        channel.close();
        assertThatThrownBy(() -> read(channel, 1)).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(channel::size).isInstanceOf(ClosedChannelException.class);
    }
}
