package io.anneal.node;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.net.Message;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerAddress;
import io.anneal.net.PeerException;
import io.anneal.net.PeerStream;
import io.anneal.net.RequestException;
import io.anneal.net.Waiting;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work of this node that a peer asked for: tells the peer how it is doing, and stops when the peer resets the stream or is lost.
 * Runs on a thread of its own, which it blocks. {@link PeerRun} is the peer's side.
 */
public final class ServedRun implements Runnable {
    /** Kind of the question, and of each status. */
    static final int STATUS = 1;
    /** Kind of the answer to each status but the last: empty, or a word to the work. */
    static final int HEARD = 2;

    private static final Logger LOG = LoggerFactory.getLogger(ServedRun.class);
    private static final long STATUS_PERIOD_MS = 100;
    private static final long WAITING_PERIOD_MS = 1_000;
    /** With so many not heard it waits: a second is longer than any way there and back. */
    private static final int UNHEARD_MAX = 10;

    /** What is to be done. One thread. */
    public interface Work {
        /** For the log, as {@code shop.orders}. */
        String table();

        /** Does it, and returns the last word. */
        Consumer<ByteWriter> run(Listener listener) throws IOException;

        /** Returns the last word after a failure, which may stand in the log already. */
        Consumer<ByteWriter> failed(Throwable failure, String reason);

        /** Takes a message of the peer while the work runs; called on its thread, where it reports its progress. */
        default void receive(ByteReader word) {
            throw new IllegalArgumentException("this work takes no word of its peer");
        }

        /** Whether there was no room for it, so that the peer should come again. */
        boolean isBusy(Throwable failure);

        /** Gives back what it holds, whether it ran or not. */
        void end();
    }

    /** Takes the progress of the work, for the peer. */
    public interface Listener {
        /** Waits while the peer has not answered several: so a peer paces or pauses the work. */
        void progress(Consumer<ByteWriter> status) throws IOException;

        /**
         * The work waits for another peer: repeats its status now and then, so that this peer does not count it as lost before the
         * other one is. Does not wait.
         */
        void waits(Consumer<ByteWriter> status) throws IOException;

        /** Returns once the peer has answered it. */
        void heard(Consumer<ByteWriter> status) throws IOException;
    }

    /** Reads what is asked for, and takes the room for it. */
    public interface Asked {
        /** @throws RequestException when it is refused */
        Work work(ByteReader question) throws RequestException;
    }

    private final MessageStream messages;
    private final Work work;
    private final InstantSource clock;

    private CompletableFuture<Void> told = CompletableFuture.completedFuture(null);
    private CompletableFuture<Optional<Message>> heard;
    private int unheard;
    private long toldMs;
    private boolean saidLast;

    /** Guarded by this. */
    private Thread thread;

    private boolean aborted;

    private ServedRun(MessageStream messages, Work work, InstantSource clock) {
        this.messages = messages;
        this.work = work;
        this.clock = clock;
    }

    /**
     * Reads the question and does the work.
     *
     * @param runs has a thread for it, which waits for peers: none of those that their answers need here; what it does not take
     *     is refused as busy
     */
    public static void serve(PeerStream stream, Executor runs, InstantSource clock, Asked asked) {
        MessageStream messages = stream.messages();
        messages.read().whenComplete((message, failure) -> {
            if (failure != null) {
                return; // It has ended the stream.
            }
            try {
                start(messages, work(message, asked), runs, clock);
            } catch (RequestException refused) {
                stream.reset(refused.code(), refused.getMessage());
            } catch (RejectedExecutionException full) {
                stream.reset(PeerException.BUSY, "no thread for another run, try again later");
            } catch (RuntimeException | Error failed) {
                LOG.error(
                        "run was not begun, verb={}, peer={}",
                        stream.verb().name(),
                        PeerAddress.text(stream.connection().address()),
                        failed);
                stream.reset(PeerException.INTERNAL, "run was not begun, error=" + failed);
            }
        });
    }

    private static Work work(Optional<Message> question, Asked asked) throws RequestException {
        try (Message message = question.orElseThrow(() ->
                new RequestException(PeerException.MALFORMED, "the stream of a run ended before it was asked for"))) {
            return asked.work(new ByteReader().wrap(message.content()));
        } catch (ByteUnderflowException | IllegalArgumentException malformed) {
            throw new RequestException(
                    PeerException.MALFORMED, "request is malformed, cause=" + malformed.getMessage());
        }
    }

    private static void start(MessageStream messages, Work work, Executor runs, InstantSource clock) {
        boolean started = false;
        try {
            ServedRun run = new ServedRun(messages, work, clock);
            messages.stream().closed().whenComplete((done, failure) -> {
                if (failure != null) {
                    run.abort();
                }
            });
            runs.execute(run);
            started = true;
        } finally {
            if (!started) {
                work.end();
            }
        }
    }

    @Override
    public void run() {
        if (!begin()) {
            work.end();
            return;
        }
        try {
            tellLast(work.run(new Telling()));
        } catch (IOException | RuntimeException | Error failure) {
            failed(failure);
        } finally {
            work.end();
            end();
            if (!saidLast) {
                // Even telling the failure failed, as without memory it may: whoever waits must not wait for ever.
                messages.stream()
                        .reset(PeerException.INTERNAL, "run was stopped by an error, see the log of this server");
            }
        }
    }

    private synchronized boolean begin() {
        thread = Thread.currentThread();
        return !aborted;
    }

    /** The thread is its executor's again, without an interrupt that was meant for the work. */
    private synchronized void end() {
        thread = null;
        if (aborted) {
            Thread.interrupted();
        }
    }

    /** Nobody waits for the report any more. */
    private synchronized void abort() {
        aborted = true;
        if (thread != null) {
            thread.interrupt();
        }
    }

    private void failed(Throwable failure) {
        String reason = failure instanceof Error
                ? "run was stopped by an error, see the log of this server, error=" + failure
                : FailureText.of(failure);
        String verb = messages.stream().verb().name();
        if (work.isBusy(failure)) {
            LOG.debug("run has no room yet, verb={}, table={}, cause={}", verb, work.table(), reason);
            saidLast = true;
            messages.stream().reset(PeerException.BUSY, reason);
            return;
        }
        if (failure instanceof Error || !FailureText.isRefusal(failure)) {
            LOG.error("run failed, verb={}, table={}", verb, work.table(), failure);
        } else {
            LOG.warn("run failed, verb={}, table={}, cause={}", verb, work.table(), reason);
            LOG.debug("run failed, verb={}, table={}", verb, work.table(), failure);
        }
        tellLast(work.failed(failure, reason));
    }

    private final class Telling implements Listener {
        @Override
        public void progress(Consumer<ByteWriter> status) throws IOException {
            long nowMs = clock.millis();
            if (told.isDone() && Math.abs(nowMs - toldMs) >= STATUS_PERIOD_MS) {
                toldMs = nowMs;
                tell(status);
                unheard++;
                awaitHearing(UNHEARD_MAX);
            }
        }

        @Override
        public void waits(Consumer<ByteWriter> status) throws IOException {
            awaitHearing(UNHEARD_MAX);
            if (Math.abs(clock.millis() - toldMs) >= WAITING_PERIOD_MS && unheard < UNHEARD_MAX - 1) {
                progress(status);
            }
        }

        @Override
        public void heard(Consumer<ByteWriter> status) throws IOException {
            tell(status);
            unheard++;
            awaitHearing(1);
        }
    }

    private void awaitHearing(int unheardMax) throws IOException {
        while (unheard > 0 && (unheard >= unheardMax || heard().isDone())) {
            try (Message word = Waiting.result(heard())
                    .orElseThrow(() -> new InterruptedIOException("nobody hears how the run is doing"))) {
                heard = null;
                unheard--;
                ByteReader in = new ByteReader().wrap(word.content());
                if (in.remainingBytes() > 0) {
                    receive(in);
                }
            }
        }
    }

    private void receive(ByteReader word) throws IOException {
        try {
            work.receive(word);
        } catch (ByteUnderflowException | IllegalArgumentException malformed) {
            throw new ReplicaException("what the peer told the run is malformed, cause=" + malformed.getMessage());
        }
    }

    private CompletableFuture<Optional<Message>> heard() {
        if (heard == null) {
            heard = messages.read();
        }
        return heard;
    }

    private void tell(Consumer<ByteWriter> status) {
        ByteWriter out = new ByteWriter(256);
        status.accept(out);
        told = messages.write(STATUS, ByteBuffer.wrap(out.array(), 0, out.lengthBytes()));
    }

    private void tellLast(Consumer<ByteWriter> status) {
        tell(status);
        saidLast = true;
        messages.stream().end();
        passOver();
    }

    /** Answers that come after the last word. */
    private void passOver() {
        heard().whenComplete((message, failure) -> {
            heard = null;
            if (failure == null && message.isPresent()) {
                message.get().close();
                passOver();
            }
        });
    }
}
