package io.anneal.schema;

import static io.anneal.schema.CounterContexts.context;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CounterShardsTest {
    private final CounterShards shards = new CounterShards();

    private String text(byte[] context) {
        return CounterContexts.text(context, 0, context.length);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "g1:5=10", "r1:5=10", "l1:5=-3 g2:1=9 r3:7=1 g4:-2=5", "r1:1=1 l2:2=2 r3:3=3 l4:4=4"})
    void shouldReadEachShardWithItsKind(String text) {
        byte[] context = context(text);
        assertThat(text(context)).isEqualTo(text);
        byte[] shifted = new byte[context.length + 9];
        System.arraycopy(context, 0, shifted, 4, context.length);
        assertThat(CounterContexts.text(shifted, 4, context.length)).isEqualTo(text);
        assertThat(shards.isNormal(shifted, 4, context.length)).isTrue();
        CqlTypes.COUNTER.validate(shifted, 4, context.length);
    }

    @Test
    void shouldSumWhatTheShardsCount() {
        byte[] context = context("l1:5=-3 g2:1=9 r3:7=1");
        assertThat(shards.total(context, 0, context.length)).isEqualTo(7);
        byte[] wrapping = context("g1:1=" + Long.MAX_VALUE + " g2:1=1");
        assertThat(shards.total(wrapping, 0, wrapping.length)).isEqualTo(Long.MIN_VALUE);
    }

    /** As the corpus has it: one node's global shard. */
    @Test
    void shouldReadWhatCassandraWrote() {
        byte[] context = HexFormat.of()
                .parseHex("00018000" + "00112233445566778899aabbccddeeff" + "0000000000000007" + "fffffffffffffffe");
        assertThat(shards.total(context, 0, context.length)).isEqualTo(-2);
        assertThat(shards.hasLegacyShards(context, 0, context.length)).isFalse();
        assertThat(shards.shardCount()).isEqualTo(1);
    }

    @Test
    void shouldTellLegacyShards() {
        assertThat(hasLegacy("g1:1=1 g2:1=1")).isFalse();
        assertThat(hasLegacy("")).isFalse();
        assertThat(hasLegacy("g1:1=1 r2:1=1")).isTrue();
        assertThat(hasLegacy("g1:1=1 l2:1=1")).isTrue();
    }

    private boolean hasLegacy(String text) {
        byte[] context = context(text);
        return shards.hasLegacyShards(context, 0, context.length);
    }

    @Test
    void shouldTakeLocalShardsForRemoteWhenTheyAreMarkedToBeForgotten() {
        byte[] context = context("l1:5=1 g2:1=9");
        context[0] = (byte) 0xFF;
        context[1] = (byte) 0xFE;
        assertThat(text(context)).isEqualTo("r1:5=1 g2:1=9");
        assertThat(shards.isNormal(context, 0, context.length)).isFalse();
    }

    @Test
    void shouldFindShardsOutOfOrder() {
        for (String text : new String[] {"g2:1=1 g1:1=1", "g1:1=1 g1:1=1"}) {
            byte[] context = context(text);
            assertThat(shards.isNormal(context, 0, context.length)).isFalse();
            assertThatThrownBy(() -> CqlTypes.COUNTER.validate(context, 0, context.length))
                    .isInstanceOf(InvalidValueException.class)
                    .hasMessageContaining("counter shards are out of order");
        }
        byte[] unsigned = context("g1:1=1 g-1:1=1");
        assertThat(shards.isNormal(unsigned, 0, unsigned.length)).isTrue();
    }

    @Test
    void shouldFindAnIndexWithoutAShard() {
        byte[] context = context("g1:1=1 g2:1=1");
        context[3] = 9;
        assertThat(shards.isNormal(context, 0, context.length)).isFalse();
        assertThatThrownBy(() -> CqlTypes.COUNTER.validate(context, 0, context.length))
                .isInstanceOf(InvalidValueException.class)
                .hasMessageContaining("index without a shard");
    }

    @Test
    void shouldRefuseWhatIsNoWholeContext() {
        byte[] context = context("g1:1=1 r2:1=1");
        for (int length = 1; length < context.length; length++) {
            byte[] cut = Arrays.copyOf(context, length);
            if ((context.length - length) % CounterShards.SHARD_BYTES == 0) {
                continue;
            }
            assertThatThrownBy(() -> shards.wrap(cut, 0, cut.length))
                    .isInstanceOf(InvalidValueException.class)
                    .hasMessageContaining("lengthBytes=" + length);
        }
        assertThat(shards.wrap(context, 0, 0).next()).isFalse();
    }
}
