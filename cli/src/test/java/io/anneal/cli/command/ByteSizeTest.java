package io.anneal.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

final class ByteSizeTest {
    @ParameterizedTest
    @CsvSource({
        "17, 17",
        "512MiB, 536870912",
        "2g, 2147483648",
        "1kb, 1024",
        "1 GiB, 1073741824",
        "1T, 1099511627776",
        "9999999999999, 9999999999999",
        "9223372036854775807, 9223372036854775807"
    })
    void shouldReadSize(String text, long bytes) {
        assertThat(new ByteSize().convert(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "1.5g", "5x", "many"})
    void shouldRefuseWhatIsNoSize(String text) {
        assertThatThrownBy(() -> new ByteSize().convert(text)).isInstanceOf(TypeConversionException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"999999999999t", "9223372036854775808", "99999999999999999999999999"})
    void shouldSayTheLargestSizeWhenOneIsTooLarge(String text) {
        assertThatThrownBy(() -> new ByteSize().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContainingAll("too large", "maxBytes=9223372036854775807");
    }

    @Test
    void shouldPrintThreeDigitsAtMost() {
        assertThat(ByteSize.text(17)).isEqualTo("17 B");
        assertThat(ByteSize.text(1536)).isEqualTo("1.5 KiB");
        assertThat(ByteSize.text(512L << 20)).isEqualTo("512 MiB");
    }
}
