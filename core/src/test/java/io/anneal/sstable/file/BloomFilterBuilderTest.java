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
import java.nio.file.Path;
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
        BloomFilterBuilder builder = new BloomFilterBuilder(KEYS, chance);
        for (int i = 0; i < KEYS; i++) {
            builder.add(key(i));
        }
        Descriptor descriptor = new Descriptor(directory, "nb", "1", "big");
        builder.write(descriptor.file(Component.FILTER), OutputFile.CREATE_NEW);

        BloomFilter filter = BloomFilter.read(descriptor, SSTableVersion.NB);
        int others = 0;
        for (int i = 0; i < KEYS; i++) {
            assertThat(filter.mayContain(key(i))).isTrue();
            others += filter.mayContain(key(KEYS + i)) ? 1 : 0;
        }
        // Whole bits a key make the filter at most a little better than asked for.
        assertThat((double) others / KEYS).isCloseTo(chance, within(chance * 0.6 + 0.001));
    }

    @Test
    void shouldRefuseAFilterThatIsTooLarge() {
        assertThatThrownBy(() -> new BloomFilterBuilder(Long.MAX_VALUE, 0.01))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expectedKeys=" + Long.MAX_VALUE);
    }
}
