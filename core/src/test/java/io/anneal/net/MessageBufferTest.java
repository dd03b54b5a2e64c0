package io.anneal.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.anneal.io.ByteBudget;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class MessageBufferTest {
    private final ByteBudget budget = ByteBudget.of(1_000);

    @Test
    void shouldJoinPiecesAndGiveBackWhatItReserved() throws RequestException {
        MessageBuffer message = new MessageBuffer(budget, 500);
        for (int i = 0; i < 50; i++) {
            message.accept(ByteBuffer.allocate(10).putInt(0, i));
            assertThat(budget.reservedBytes()).isBetween(10L * (i + 1), 500L);
        }
        assertThat(message.content().remaining()).isEqualTo(500);
        assertThat(message.content().getInt(490)).isEqualTo(49);

        message.release();
        message.release();

        assertThat(budget.reservedBytes()).isZero();
    }

    @Test
    void shouldRefuseAMessageBeyondItsBoundBeforeItIsAllocated() throws RequestException {
        MessageBuffer message = new MessageBuffer(budget, 500);
        message.accept(ByteBuffer.allocate(400));

        assertThatThrownBy(() -> message.accept(ByteBuffer.allocate(101)))
                .asInstanceOf(type(RequestException.class))
                .extracting(RequestException::code)
                .isEqualTo(PeerException.MESSAGE_TOO_LARGE);
        message.release();
        assertThat(budget.reservedBytes()).isZero();
    }

    @Test
    void shouldLetOneMessageAloneGoBeyondTheBudget() throws RequestException {
        MessageBuffer large = new MessageBuffer(budget, 10_000);
        MessageBuffer other = new MessageBuffer(budget, 10_000);
        large.accept(ByteBuffer.allocate(5_000));

        assertThatThrownBy(() -> other.accept(ByteBuffer.allocate(2_000)))
                .asInstanceOf(type(RequestException.class))
                .extracting(RequestException::code)
                .isEqualTo(PeerException.BUSY);
        large.accept(ByteBuffer.allocate(5_000));
        other.release();
        large.release();

        other.accept(ByteBuffer.allocate(2_000));
        assertThat(budget.reservedBytes()).isZero();
        other.release();
        assertThat(budget.tryGoBeyond()).isTrue();
    }
}
