package io.anneal.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.HandedFragment;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.TableSchema;
import io.anneal.testkit.HandMadeTable;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** What a source allocates for its messages. */
class FragmentEncoderTest {
    private static final TableSchema SCHEMA = HandMadeTable.schema(0);
    private static final int MESSAGE_BYTES = 100_000;

    private final FragmentEncoder encoder = new FragmentEncoder(SCHEMA, 2 * MESSAGE_BYTES);
    private final HandedFragment fragment = new HandedFragment(SCHEMA);
    private int keys;

    private void encode(int lengthBytes) {
        while (encoder.lengthBytes() < lengthBytes) {
            DecoratedKey key = DecoratedKey.of(
                    ByteBuffer.allocate(Integer.BYTES).putInt(keys++).array());
            encoder.add(fragment.start(key, new DeletionTime(keys, keys)));
        }
    }

    @Test
    void shouldUseTheMemoryOfAMessageForTheNext() {
        encode(MESSAGE_BYTES);
        byte[] memory = encoder.bytes().array();
        int lengthBytes = encoder.bytes().remaining();

        encoder.clear();
        assertThat(encoder.bytes().hasRemaining()).isFalse();
        encode(MESSAGE_BYTES);

        assertThat(encoder.bytes().array()).isSameAs(memory);
        assertThat(encoder.bytes().remaining()).isEqualTo(lengthBytes);
    }

    @Test
    void shouldGiveMemoryBackWhenARowWasHuge() {
        encode(10 * MESSAGE_BYTES);

        encoder.clear();
        encode(MESSAGE_BYTES);

        assertThat(encoder.bytes().array().length).isLessThanOrEqualTo(2 * MESSAGE_BYTES);
    }
}
