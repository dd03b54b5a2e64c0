package io.anneal.node;

import io.anneal.environment.FutureFailure;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.net.Message;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerException;
import io.anneal.net.PeerStream;
import io.anneal.net.RequestException;
import io.anneal.net.Verb;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The answering side of a stream on which a peer asks one question after the other, each a message that is answered with one
 * of the same kind. A question that fails resets the stream.
 */
public final class Answers {
    private static final Logger LOG = LoggerFactory.getLogger(Answers.class);

    /** What is answered, and how it ends. */
    public interface Answerer {
        /**
         * @param question is the answerer's until the answer is there
         * @return the answer; failures, also thrown ones, go back to the peer
         */
        CompletableFuture<byte[]> answer(int kind, Message question, ByteReader content) throws IOException;

        /** The code by which the peer hears what a table or a file says against it in its own words. */
        String refusalCode(Throwable cause);

        /** The peer asks no more, and waits for the end of this direction. */
        default void ended(PeerStream stream) {
            stream.end();
        }

        /** Done when what a failed question held is free, for the peer that comes again as soon as it hears of the failure. */
        default CompletableFuture<Void> released() {
            return CompletableFuture.completedFuture(null);
        }
    }

    private final MessageStream messages;
    private final Answerer answerer;

    public Answers(PeerStream stream, Answerer answerer) {
        messages = stream.messages();
        this.answerer = answerer;
    }

    /** Answers until the peer ends its direction, or the stream ends. */
    public void start() {
        messages.read().whenComplete((message, failure) -> {
            // A failure has ended the stream.
            if (failure == null && message.isPresent()) {
                take(message.get());
            } else if (failure == null) {
                answerer.ended(messages.stream());
            }
        });
    }

    private void take(Message question) {
        CompletableFuture<byte[]> answering;
        try {
            answering = answerer.answer(question.kind(), question, new ByteReader().wrap(question.content()));
        } catch (ByteUnderflowException | IllegalArgumentException malformed) {
            answering = CompletableFuture.failedFuture(new RequestException(
                    PeerException.MALFORMED,
                    "message is malformed, step=" + question.kind() + ", cause=" + malformed.getMessage()));
        } catch (IOException | RuntimeException | Error failure) {
            answering = CompletableFuture.failedFuture(failure);
        }
        answering.whenComplete((answer, failure) -> {
            question.close();
            if (failure != null) {
                refuse(question.kind(), failure);
                return;
            }
            try {
                messages.write(question.kind(), ByteBuffer.wrap(answer));
                start();
            } catch (RuntimeException | Error failed) {
                refuse(question.kind(), failed);
            }
        });
    }

    private void refuse(int kind, Throwable failure) {
        RequestException refusal = refusal(messages.stream().verb(), kind, failure, answerer::refusalCode);
        answerer.released().thenRun(() -> messages.stream().reset(refusal.code(), refusal.getMessage()));
    }

    /**
     * What a peer is told of a failure: what a table says of itself and its files in its own words; anything else is a bug,
     * which the log tells.
     */
    public static RequestException refusal(
            Verb verb, int step, Throwable failure, Function<Throwable, String> refusalCode) {
        Throwable cause = FutureFailure.cause(failure);
        if (cause instanceof RequestException refused) {
            return refused;
        }
        if (cause instanceof RejectedExecutionException) {
            return new RequestException(PeerException.OVERLOADED, "this node takes no more work");
        }
        String text = FailureText.of(cause);
        if (FailureText.isRefusal(cause)) {
            LOG.warn("question refused, verb={}, step={}, cause={}", verb.name(), step, text);
            LOG.debug("question refused, verb={}, step={}", verb.name(), step, cause);
            return new RequestException(refusalCode.apply(cause), text);
        }
        LOG.error("question failed, verb={}, step={}", verb.name(), step, cause);
        return new RequestException(PeerException.INTERNAL, text);
    }
}
