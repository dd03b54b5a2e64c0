package io.anneal.repair.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class PartTest {
    private static final int[] LENGTHS_BYTES = {
        0,
        1,
        Part.CONTENT_MAX_BYTES - 1,
        Part.CONTENT_MAX_BYTES,
        Part.CONTENT_MAX_BYTES + 1,
        2 * Part.CONTENT_MAX_BYTES,
        3 << 20
    };

    @Test
    void shouldGiveContentBackWhenRequestIsCutIntoParts() {
        UUID id = new UUID(1, 2);
        for (int length : LENGTHS_BYTES) {
            byte[] content = random(length);
            ByteWriter all = new ByteWriter(16);
            int parts = 0;
            boolean more = true;
            for (int offset = 0; more; offset += Part.CONTENT_MAX_BYTES) {
                ByteReader in = reader(Part.request(id, content, length, offset));
                assertThat(Part.readSessionId(in)).isEqualTo(id);
                more = Part.readMore(in);
                assertThat(more).isEqualTo(!Part.isLast(length, offset));
                all.writeBytes(in.readBytes(in.remainingBytes()));
                parts++;
            }
            assertThat(all.toByteArray()).isEqualTo(content);
            assertThat(parts).isEqualTo(partsOf(length));
        }
    }

    @Test
    void shouldGiveContentBackWhenResponseIsCutIntoParts() {
        for (int length : LENGTHS_BYTES) {
            byte[] content = random(length);
            ByteWriter all = new ByteWriter(16);
            int parts = 0;
            boolean more = true;
            for (int offset = 0; more; offset += Part.CONTENT_MAX_BYTES) {
                ByteReader in = reader(Part.response(content, offset));
                more = Part.readMore(in);
                all.writeBytes(in.readBytes(in.remainingBytes()));
                parts++;
            }
            assertThat(all.toByteArray()).isEqualTo(content);
            assertThat(parts).isEqualTo(partsOf(length));
        }
    }

    private static int partsOf(int lengthBytes) {
        return Math.max(1, (lengthBytes + Part.CONTENT_MAX_BYTES - 1) / Part.CONTENT_MAX_BYTES);
    }

    private static ByteReader reader(ByteBuffer part) {
        return new ByteReader().wrap(part);
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }
}
