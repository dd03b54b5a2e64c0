package io.anneal.sstable.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.ByteWriter;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChunkChecksumsTest {
    private static final int CHUNK_LENGTH_BYTES = 16;

    @TempDir
    private Path directory;

    @Test
    void shouldAcceptUpToTwoChecksumsBehindTheDataAsCompactionsLeaveThem() throws IOException {
        assertThat(checksums(33, 3).checksums()).hasSize(3);
        assertThat(checksums(32, 3).checksums()).hasSize(3);
        assertThat(checksums(16, 3).checksums()).hasSize(3);
    }

    @Test
    void shouldRefuseANumberOfChecksumsThatDoesNotFitTheData() {
        assertThatThrownBy(() -> checksums(49, 3))
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("found=3, expected=4");
        assertThatThrownBy(() -> checksums(16, 4))
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("found=4, expected=1");
    }

    private ChunkChecksums checksums(long dataLengthBytes, int count) throws IOException {
        ByteWriter out = new ByteWriter(64);
        out.writeInt(CHUNK_LENGTH_BYTES);
        for (int i = 0; i < count; i++) {
            out.writeInt(0);
        }
        Descriptor descriptor =
                Descriptor.of(directory.resolve("nb-1-big-Data.db")).orElseThrow();
        Files.write(descriptor.file(Component.CRC), out.toByteArray());
        return ChunkChecksums.read(descriptor, dataLengthBytes);
    }
}
