package io.anneal.sstable.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.data.DataCursor;
import io.anneal.sstable.data.SampleSSTables;
import io.anneal.sstable.data.SyntheticData;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DataWindowTest {
    private static final Path FILE = Path.of("window-Data.db");

    private static byte[] numbered(int length) {
        byte[] data = new byte[length];
        for (int i = 0; i < length; i++) {
            data[i] = (byte) (i * 31 + (i >> 8));
        }
        return data;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 64, 1000, 4096, 1 << 20})
    void shouldReadRowsOfEverySizeWhateverTheChunks(int chunkLengthBytes) throws IOException {
        IntUnaryOperator lengths = row -> row % 10 == 9 ? 150_000 : row * row % 300;
        byte[] data = SyntheticData.data(3, 25, lengths);
        List<String> expected;
        try (DataCursor cursor = SyntheticData.cursor(data, data.length)) {
            expected = SampleSSTables.rows(cursor);
        }
        assertThat(expected).hasSize(3 * 27);
        assertThat(expected.get(10)).hasSizeGreaterThan(300_000);

        try (DataCursor cursor = SyntheticData.cursor(data, chunkLengthBytes)) {
            assertThat(SampleSSTables.rows(cursor)).isEqualTo(expected);
        }
    }

    @Test
    void shouldHoldWhatWasReadSinceTheMarkInOnePiece() throws IOException {
        byte[] data = numbered(1 << 20);
        DataWindow window = new DataWindow(SyntheticData.chunks(data, 4096, FILE));
        long seed = Long.getLong("anneal.seed", System.nanoTime());
        Random random = new Random(seed);
        long position = 0;
        while (window.remainingBytes() > 0) {
            int wanted =
                    (int) Math.min(window.remainingBytes(), random.nextInt(20) == 0 ? 200_000 : random.nextInt(5000));
            window.mark();
            window.want(wanted);
            assertThat(window.position()).as("seed=%d", seed).isEqualTo(position);
            int from = window.in().skip(wanted);
            assertThat(window.copy(from, wanted))
                    .as("seed=%d", seed)
                    .isEqualTo(Arrays.copyOfRange(data, (int) position, (int) position + wanted));
            position += wanted;
        }
        assertThat(position).isEqualTo(data.length);
    }

    @Test
    void shouldSeekAnywhere() throws IOException {
        byte[] data = numbered(300_000);
        DataWindow window = new DataWindow(SyntheticData.chunks(data, 4096, FILE));
        Random random = new Random(7);
        for (int i = 0; i < 1000; i++) {
            int position = random.nextInt(data.length);
            window.seek(position);
            window.want(1);
            assertThat(window.in().readByte()).isEqualTo(data[position]);
        }
        window.seek(data.length);
        assertThat(window.remainingBytes()).isZero();
        assertThatThrownBy(() -> window.seek(data.length + 1))
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("position=" + (data.length + 1));
    }

    @Test
    void shouldRefuseLengthBehindTheEnd() throws IOException {
        DataWindow window = new DataWindow(SyntheticData.chunks(numbered(100), 16, FILE));
        window.want(10);
        window.in().skip(10);
        assertThat(window.checkedLength(90, "row")).isEqualTo(90);
        assertThatThrownBy(() -> window.checkedLength(91, "row"))
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("row is longer")
                .hasMessageContaining("position=10");
        assertThatThrownBy(() -> window.checkedLength(-1, "row")).isInstanceOf(CorruptSSTableException.class);
    }
}
