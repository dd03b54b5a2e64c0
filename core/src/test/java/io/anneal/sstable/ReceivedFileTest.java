package io.anneal.sstable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.OutputFile;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReceivedFileTest {
    @TempDir
    private Path directory;

    @Test
    void shouldNotBlameTheDiskWhenItIsInterrupted() throws IOException {
        Path path = directory.resolve("data");
        try (ReceivedFile file = ReceivedFile.create(path, new FileContent(4, 0), OutputFile.CREATE_NEW)) {
            Thread.currentThread().interrupt();

            assertThatThrownBy(() -> file.append(ByteBuffer.allocate(4)))
                    .isInstanceOf(InterruptedIOException.class)
                    .hasMessageContaining(path.toString());

            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }
    }
}
