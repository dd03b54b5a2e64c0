package io.anneal.sstable.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.anneal.io.ByteWriter;
import io.anneal.io.OutputFile;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BloomFilterBuilderTest {
    private static final int KEYS = 20_000;

    @TempDir
    private Path directory;

    private static KeyView key(int number) {
        ByteWriter bytes = new ByteWriter(8);
        bytes.writeInt(number * 0x9E3779B9);
        bytes.writeShort(number);
        return new KeyView().wrap(DecoratedKey.of(bytes.toByteArray()));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.5, 0.1, 0.01, 0.001})
    void shouldContainEveryKeyAndFewOthers(double chance) throws IOException {
        assertThat(falsePositives(filter(KEYS, KEYS, chance), KEYS)).isCloseTo(chance, slightlyBetter(chance));
    }

    /** Whole bits a key make the filter at most a little better than asked for. */
    private static Offset<Double> slightlyBetter(double chance) {
        return within(chance * 0.6 + 0.001);
    }

    private BloomFilter filter(int keys, long expectedKeys, double chance) throws IOException {
        BloomFilterBuilder builder = new BloomFilterBuilder(expectedKeys, chance);
        for (int i = 0; i < keys; i++) {
            builder.add(key(i));
        }
        Descriptor descriptor = new Descriptor(directory, "nb", "1", "big");
        builder.write(descriptor.file(Component.FILTER), OutputFile.CREATE_NEW);
        return BloomFilter.read(descriptor, SSTableVersion.NB);
    }

    private static double falsePositives(BloomFilter filter, int keys) {
        int others = 0;
        for (int i = 0; i < keys; i++) {
            assertThat(filter.mayContain(key(i))).isTrue();
            others += filter.mayContain(key(keys + i)) ? 1 : 0;
        }
        return (double) others / keys;
    }

    /** What a repair writes is mostly a thousandth of what its table has. */
    @Test
    void shouldTakeNoMoreRoomThanItsKeysNeed() throws IOException {
        BloomFilter filter = filter(1_000, 100_000_000, 0.01);

        assertThat(Files.size(directory.resolve("nb-1-big-Filter.db"))).isBetween(1_000L, 1_500L);
        assertThat(falsePositives(filter, 1_000)).isCloseTo(0.01, slightlyBetter(0.01));
    }

    @Test
    void shouldContainEveryKeyWhenThereAreMoreThanItKeeps() throws IOException {
        int keys = BloomFilterBuilder.KEPT_KEYS_MAX + 1;

        assertThat(falsePositives(filter(keys, keys, 0.01), keys)).isLessThan(0.02);
    }

    @Test
    void shouldRefuseAFilterThatIsTooLarge() {
        assertThatThrownBy(() -> new BloomFilterBuilder(Long.MAX_VALUE, 0.01))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expectedKeys=" + Long.MAX_VALUE);
    }
}
