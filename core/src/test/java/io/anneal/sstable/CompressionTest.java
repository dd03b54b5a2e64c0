package io.anneal.sstable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.schema.TableOptions;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CompressionTest {
    private static Compression of(Map<String, String> options) {
        TableOptions unknown = TableOptions.UNKNOWN;
        return Compression.of(new TableOptions(
                unknown.gcGraceSeconds(),
                unknown.bloomFilterFpChance(),
                unknown.minIndexInterval(),
                options,
                Map.of(),
                false,
                Map.of()));
    }

    @Test
    void shouldReadWhatASchemaAsksFor() {
        assertThat(of(Map.of())).isEqualTo(Compression.LZ4);
        assertThat(of(Map.of("enabled", "false"))).isEqualTo(Compression.NONE);
        assertThat(of(Map.of("sstable_compression", ""))).isEqualTo(Compression.NONE);
        assertThat(of(Map.of(
                        "class",
                        "org.apache.cassandra.io.compress.ZstdCompressor",
                        "chunk_length_in_kb",
                        "4",
                        "min_compress_ratio",
                        "1.5",
                        "compression_level",
                        "7")))
                .isEqualTo(Compression.of(Compressor.ZSTD)
                        .withChunkLengthBytes(4096)
                        .withMaxCompressedLengthBytes(2731)
                        .withOption("compression_level", "7"));
    }

    @Test
    void shouldRefuseWhatCannotBe() {
        assertThatThrownBy(() -> of(Map.of("class", "NoSuchCompressor")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("class=NoSuchCompressor");
        assertThatThrownBy(() -> of(Map.of("chunk_length_in_kb", "x")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("value=x");
        assertThatThrownBy(() -> of(Map.of("chunk_length_in_kb", "3")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("option=chunk_length_in_kb, value=3");
        assertThatThrownBy(() -> of(Map.of("class", "ZstdCompressor", "lz4_compressor_type", "fast")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("option=lz4_compressor_type, value=fast, class=ZstdCompressor");
        assertThatThrownBy(() -> of(Map.of("class", "LZ4Compressor", "min_compress_ratio", "NaN")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("option=min_compress_ratio, value=NaN");
        assertThat(of(Map.of("enabled", "FALSE"))).isEqualTo(Compression.NONE);
        assertThatThrownBy(() -> Compression.LZ4.withMaxCompressedLengthBytes(20_000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxCompressedLengthBytes=20000");
    }
}
