package io.anneal.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FrameWriterTest {
    private final FrameWriter writer = new FrameWriter("peer", new Traffic(), NetFixture.config());
    private final EmbeddedChannel channel = new EmbeddedChannel(writer);
    private final List<String> sent = new ArrayList<>();

    /** Sends so many pieces; the channel is not writable before all have queued up. */
    private final class Pieces implements FrameWriter.Sender {
        private final String name;
        private final boolean little;
        private int left;

        Pieces(String name, boolean little, int count) {
            this.name = name;
            this.little = little;
            this.left = count;
        }

        @Override
        public boolean sendPiece(FrameWriter to) {
            sent.add(name);
            to.send(Unpooled.EMPTY_BUFFER);
            return --left > 0;
        }

        @Override
        public boolean hasSentLittle() {
            return little;
        }
    }

    private void stop() {
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
    }

    private void go() {
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
        channel.runPendingTasks();
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    @Test
    void shouldSendInTurnAndOneOfTheOthersAfterEightOfThoseThatHaveSentLittle() {
        stop();
        writer.ready(new Pieces("a", false, 3));
        writer.ready(new Pieces("b", false, 3));
        writer.ready(new Pieces("x", true, 10));
        writer.ready(new Pieces("y", true, 10));
        assertThat(sent).isEmpty();
        go();

        assertThat(String.join("", sent)).isEqualTo("xyxyxyxya" + "xyxyxyxyb" + "xyxy" + "abab");
    }

    @Test
    void shouldSendFramesOfTheConnectionFirst() {
        stop();
        writer.ready(new Pieces("a", true, 1));
        writer.control(FrameKind.PING, 0, 0, ByteBuffer.allocate(0));
        go();

        ByteBuf first = channel.readOutbound();
        assertThat(first.getByte(FrameDescriptor.KIND_OFFSET)).isEqualTo((byte) FrameKind.PING.code());
        first.release();
        assertThat(sent).containsExactly("a");
    }

    @Test
    void shouldGoOnAfterASenderThatFails() {
        try {
            writer.ready(new FrameWriter.Sender() {
                @Override
                public boolean sendPiece(FrameWriter to) {
                    throw new IllegalStateException("broken");
                }

                @Override
                public boolean hasSentLittle() {
                    return true;
                }
            });
        } catch (IllegalStateException broken) {
            sent.add(broken.getMessage());
        }
        writer.ready(new Pieces("a", true, 2));

        assertThat(sent).containsExactly("broken", "a", "a");
    }

    @Test
    void shouldNotReadAPeerThatAsksForMuchAndTakesNothing() {
        stop();
        for (int i = 0; i < 4095; i++) {
            writer.control(FrameKind.PONG, 0, 0, ByteBuffer.allocate(0));
        }
        assertThat(channel.config().isAutoRead()).isTrue();
        writer.control(FrameKind.PONG, 0, 0, ByteBuffer.allocate(0));
        assertThat(channel.config().isAutoRead()).isFalse();
        go();
        assertThat(channel.config().isAutoRead()).isTrue();
    }
}
