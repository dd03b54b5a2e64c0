package io.anneal.dualdao.order;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class KeyHashTest {
    @Test
    void shouldNeverChangeSinceInstancesOfSeveralVersionsShareAPhase() {
        assertThat(KeyHash.of("")).isEqualTo(0xefd01f60ba992926L);
        assertThat(KeyHash.of("42")).isEqualTo(0x98c41d364bd62e4fL);
        assertThat(KeyHash.of("käse")).isEqualTo(0x9eac17015fa00ae6L);
    }

    @Test
    void shouldKeepAKeyInEveryLargerShare() {
        for (int i = 0; i < 1000; i++) {
            String key = "key" + i;
            for (int percent = 0; percent < 100; percent++) {
                if (KeyHash.inShare(key, percent)) {
                    assertThat(KeyHash.inShare(key, percent + 1)).isTrue();
                }
            }
            assertThat(KeyHash.inShare(key, 0)).isFalse();
            assertThat(KeyHash.inShare(key, 100)).isTrue();
        }
    }
}
