package io.anneal.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What becomes of the buffers of a stream, with the work of the executor done when the test says so. */
class InboxTest {
    private final Deque<Runnable> aside = new ArrayDeque<>();
    private final Deque<Runnable> later = new ArrayDeque<>();
    private final List<Exception> failures = new ArrayList<>();
    private final List<ByteBuf> buffers = new ArrayList<>();
    private int consumedBytes;
    private final Inbox inbox = new Inbox(new Inbox.Owner() {
        @Override
        public void consumed(int bytes) {
            consumedBytes += bytes;
        }

        @Override
        public void consumerFailed(Exception failure) {
            failures.add(failure);
        }

        @Override
        public void runAside(Runnable work) {
            aside.add(work);
        }

        @Override
        public void runAsideLater(Runnable work) {
            runAside(work);
        }

        @Override
        public void runLater(Runnable work) {
            later.add(work);
        }

        @Override
        public ByteBuf plain(ByteBuf block) throws CorruptFrameException {
            throw new CorruptFrameException("peer", 0, "not a block");
        }

        @Override
        public <T> CompletableFuture<T> newFuture() {
            return new CompletableFuture<>();
        }
    });

    private void add(int lengthBytes, boolean compressed, boolean last) {
        ByteBuf buffer = Unpooled.buffer().writeZero(lengthBytes);
        buffers.add(buffer);
        inbox.add(buffer, compressed, last);
    }

    private void runAside() {
        while (!aside.isEmpty()) {
            aside.remove().run();
        }
    }

    private void assertAllReleased() {
        assertThat(buffers).allMatch(buffer -> buffer.refCnt() == 0);
    }

    /** So that it is not woken for each piece, and by nobody but the network. */
    @Test
    void shouldWakeWhoeverWaitsForAPieceOnceAllThatThereIsWasRead() {
        CompletableFuture<Void> arrival = inbox.arrival();
        add(10, false, false);
        add(20, false, false);

        assertThat(arrival).isNotDone();
        later.forEach(Runnable::run);
        assertThat(arrival).isDone();
        assertThat(aside).isEmpty();
        assertThat(inbox.arrival()).isDone();
        List<Integer> lengths = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            assertThat(inbox.read(
                            piece -> {
                                lengths.add(piece.remaining());
                                piece.position(piece.limit());
                            },
                            false,
                            false))
                    .isCompletedWithValue(true);
        }
        assertThat(lengths).containsExactly(10, 20);
        assertThat(inbox.arrival()).isNotDone();
        assertAllReleased();
    }

    @Test
    void shouldWakeWhoeverWaitsForAPieceWhenTheStreamEndsOrFails() {
        CompletableFuture<Void> failed = inbox.arrival();
        inbox.fail(new IOException("lost"));
        assertThat(failed).isDone();
        assertThat(inbox.arrival()).isDone();
        assertThat(inbox.read(piece -> {}, false, false)).isCompletedExceptionally();
    }

    @Test
    void shouldReleaseWhatAReaderOfOnePieceLeavesWhenTheStreamIsLostAtItsEnd() {
        CompletableFuture<Boolean> read = inbox.read(piece -> piece.position(piece.limit()), false, false);
        add(10, false, false);
        add(10, false, true);

        inbox.fail(new IOException("lost"));
        runAside();

        assertThat(read).isCompletedExceptionally();
        assertAllReleased();
    }

    @Test
    void shouldReadToTheEndWhatHasComeWholeBeforeTheStreamIsLost() {
        CompletableFuture<Boolean> read = inbox.read(piece -> piece.position(piece.limit()), true, true);
        add(10, false, false);
        add(10, false, true);

        inbox.fail(new IOException("lost"));
        runAside();

        assertThat(read).isCompletedWithValue(false);
        assertThat(consumedBytes).isEqualTo(2 * FrameDescriptor.costBytes(10));
        assertAllReleased();
    }

    @Test
    void shouldReleaseWhatIsLeftWhenTheReaderFails() {
        CompletableFuture<Boolean> read = inbox.read(
                piece -> {
                    throw new IOException("disk is full");
                },
                true,
                true);
        for (int i = 0; i < 5; i++) {
            add(10, false, i == 4);
        }
        inbox.fail(new IOException("lost, too"));
        runAside();

        assertThatThrownBy(read::join).hasRootCauseMessage("disk is full");
        assertThat(failures).hasSize(1);
        assertAllReleased();
        assertThatThrownBy(() -> inbox.read(piece -> {}, false, false).join()).hasRootCauseMessage("disk is full");
    }

    @Test
    void shouldNameTheErrorThatStopsTheReader() {
        CompletableFuture<Boolean> read = inbox.read(
                piece -> {
                    throw new OutOfMemoryError("Java heap space");
                },
                false,
                false);
        add(10, false, false);

        assertThatThrownBy(this::runAside).isInstanceOf(OutOfMemoryError.class);

        assertThatThrownBy(read::join)
                .hasRootCauseInstanceOf(OutOfMemoryError.class)
                .hasMessageContaining("OutOfMemoryError: Java heap space");
        assertThat(failures)
                .singleElement()
                .satisfies(failure -> assertThat(failure).hasMessageContaining("Java heap space"));
        assertAllReleased();
    }

    @Test
    void shouldReleaseAPieceThatIsNoBlock() {
        CompletableFuture<Boolean> read = inbox.read(piece -> {}, false, false);
        add(10, true, false);
        add(10, false, false);
        runAside();

        assertThatThrownBy(read::join).hasCauseInstanceOf(CorruptFrameException.class);
        assertAllReleased();
    }

    @Test
    void shouldReleaseWhatComesAfterTheFailure() {
        inbox.fail(new IOException("lost"));
        add(10, false, false);

        assertAllReleased();
    }
}
