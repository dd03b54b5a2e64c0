package io.anneal.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class CountedTest {
    @Test
    void shouldSayOneOfOneThingAlone() {
        assertThat(Counted.of(0, "row")).isEqualTo("0 rows");
        assertThat(Counted.of(1, "row")).isEqualTo("1 row");
        assertThat(Counted.of(1_234, "row")).isEqualTo("1,234 rows");
        assertThat(Counted.of(1, "hash", "hashes")).isEqualTo("1 hash");
        assertThat(Counted.of(2, "hash", "hashes")).isEqualTo("2 hashes");
    }
}
