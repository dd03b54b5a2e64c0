package io.anneal.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class FrameDescriptorTest {
    @Test
    void shouldKeepTheLayoutOfVersionOne() {
        ByteBuffer payload = ByteBuffer.wrap(new byte[] {'1', '2', '3', '4', '5', '6', '7', '8', '9'});
        ByteBuffer header = ByteBuffer.allocate(FrameDescriptor.HEADER_LENGTH_BYTES);

        FrameDescriptor.putHeader(
                header, FrameKind.OPEN, 1, 0x01020304, 0x0A0B0C0D0E0FL, 9, FrameDescriptor.checksum(payload));

        // E3069283 is the published check value of CRC32C for these nine digits.
        assertThat(Text.hex(header.array(), 0, 28))
                .isEqualTo("414e4e4c" + "01" + "03" + "01" + "00" + "00000009" + "01020304" + "00000a0b0c0d0e0f"
                        + "e3069283");
        assertThat(header.getInt(FrameDescriptor.HEADER_CHECKSUM_OFFSET))
                .isEqualTo(FrameDescriptor.checksum(ByteBuffer.wrap(header.array(), 0, 28)));
    }

    @Test
    void shouldFindEachKindByItsCode() {
        for (FrameKind kind : FrameKind.values()) {
            assertThat(FrameKind.of(kind.code())).contains(kind);
        }
        assertThat(FrameKind.of(0)).isEmpty();
        assertThat(FrameKind.of(255)).isEmpty();
    }
}
