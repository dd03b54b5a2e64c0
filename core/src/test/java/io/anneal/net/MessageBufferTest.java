package io.anneal.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.anneal.io.ByteBudget;
import java.nio.ByteBuffer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class MessageBufferTest {
    private final ByteBudget budget = ByteBudget.of(1_000);

    private MessageBuffer growing(int bytesMax) {
        return saying(0, bytesMax);
    }

    private MessageBuffer saying(int saidBytes, int bytesMax) {
        return new MessageBuffer(budget, bytesMax, 0, () -> saidBytes);
    }

    private static void shouldFailWith(String code, ThrowingCallable step) {
        assertThatThrownBy(step)
                .asInstanceOf(type(RequestException.class))
                .extracting(RequestException::code)
                .isEqualTo(code);
    }

    @Test
    void shouldReserveOnceWhatTheMessageSays() throws RequestException {
        MessageBuffer message = saying(600, 900);
        for (int i = 0; i < 60; i++) {
            message.accept(ByteBuffer.allocate(10));
            assertThat(budget.reservedBytes()).isEqualTo(600);
        }
        message.requireWhole();
        assertThat(budget.reservedBytesMost()).isEqualTo(600);
        message.release();
        assertThat(budget.reservedBytes()).isZero();
    }

    @Test
    void shouldRefuseWhatTheMessageSaysBeforeAnythingIsReserved() {
        MessageBuffer message = saying(901, 900);

        assertThatThrownBy(() -> message.accept(ByteBuffer.allocate(1)))
                .asInstanceOf(type(RequestException.class))
                .satisfies(refused -> assertThat(refused)
                        .returns(PeerException.MESSAGE_TOO_LARGE, RequestException::code)
                        .hasMessageContaining("lengthBytes=901, maxBytes=900"));
        assertThat(budget.reservedBytesMost()).isZero();
        assertThat(budget.tryGoBeyond()).isTrue();
    }

    @Test
    void shouldRefuseAMessageThatIsNotAsLongAsItSays() throws RequestException {
        MessageBuffer longer = saying(10, 900);
        longer.accept(ByteBuffer.allocate(10));
        longer.requireWhole();
        shouldFailWith(PeerException.MALFORMED, () -> longer.accept(ByteBuffer.allocate(1)));
        longer.release();
        MessageBuffer shorter = saying(10, 900);
        shorter.accept(ByteBuffer.allocate(9));
        shouldFailWith(PeerException.MALFORMED, shorter::requireWhole);
        shorter.release();
        assertThat(budget.reservedBytes()).isZero();
    }

    @Test
    void shouldReserveNothingForWhatOthersHold() throws RequestException {
        assertThat(budget.tryReserve(1_000)).isTrue();
        assertThat(budget.tryGoBeyond()).isTrue();
        MessageBuffer covered = new MessageBuffer(budget, 900, 100, () -> 100);
        covered.accept(ByteBuffer.allocate(60));
        covered.accept(ByteBuffer.allocate(40));
        covered.requireWhole();
        MessageBuffer longer = new MessageBuffer(budget, 900, 100, () -> 101);

        shouldFailWith(PeerException.BUSY, () -> longer.accept(ByteBuffer.allocate(60)));
        covered.release();
        longer.release();
        assertThat(budget.reservedBytes()).isEqualTo(1_000);
    }

    @Test
    void shouldJoinPiecesAndGiveBackWhatItReserved() throws RequestException {
        MessageBuffer message = growing(500);
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
        MessageBuffer message = growing(500);
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
        MessageBuffer large = growing(10_000);
        MessageBuffer other = growing(10_000);
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
