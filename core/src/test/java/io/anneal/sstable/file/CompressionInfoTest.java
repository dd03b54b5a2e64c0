package io.anneal.sstable.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.ByteWriter;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompressionInfoTest {
    private static final int CHUNK_LENGTH_BYTES = 16;
    private static final int STORED_LENGTH_BYTES = 10;

    @TempDir
    private Path directory;

    @ParameterizedTest(name = "dataLengthBytes={0}")
    @ValueSource(longs = {1, 16, 17, 32, 33, 48})
    void shouldAcceptUpToTwoChunksBehindTheDataAsCompactionsLeaveThem(long dataLengthBytes) throws IOException {
        CompressionInfo info = info(dataLengthBytes, 3);

        assertThat(info.dataLengthBytes()).isEqualTo(dataLengthBytes);
        assertThat(info.offsets()).hasSize(3);
        assertThat(info.storedLengthBytes(2)).isEqualTo(STORED_LENGTH_BYTES - CompressionInfo.CHECKSUM_LENGTH_BYTES);
    }

    @Test
    void shouldRefuseChunksBehindTheDataThatHoldSomething() throws IOException {
        CompressionInfo info = info(32, 3);
        Path file = directory.resolve("nb-1-big-CompressionInfo.db");
        int storedLengthBytes = info.storedLengthBytes(2);

        info.refuseDataBehindTheEnd(file, storedLengthBytes);
        assertThatThrownBy(() -> info.refuseDataBehindTheEnd(file, storedLengthBytes - 1))
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("dataLengthBytes=32, chunk=2");
        info(33, 3).refuseDataBehindTheEnd(file, storedLengthBytes - 1);
    }

    @Test
    void shouldRefuseADataLengthThatDoesNotFitTheChunks() {
        assertThatThrownBy(() -> info(49, 3))
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("dataLengthBytes=49, chunks=3");
        assertThatThrownBy(() -> info(16, 4))
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("dataLengthBytes=16, chunks=4");
    }

    private CompressionInfo info(long dataLengthBytes, int chunkCount) throws IOException {
        ByteWriter out = new ByteWriter(128);
        out.writeShort("LZ4Compressor".length());
        out.writeBytes("LZ4Compressor".getBytes(StandardCharsets.US_ASCII));
        out.writeInt(0);
        out.writeInt(CHUNK_LENGTH_BYTES);
        out.writeInt(Integer.MAX_VALUE);
        out.writeLong(dataLengthBytes);
        out.writeInt(chunkCount);
        for (int i = 0; i < chunkCount; i++) {
            out.writeLong((long) i * STORED_LENGTH_BYTES);
        }
        Descriptor descriptor =
                Descriptor.of(directory.resolve("nb-1-big-Data.db")).orElseThrow();
        Files.write(descriptor.file(Component.COMPRESSION_INFO), out.toByteArray());
        return CompressionInfo.read(descriptor, SSTableVersion.NB, (long) chunkCount * STORED_LENGTH_BYTES);
    }
}
