package io.anneal.node;

import io.anneal.environment.FutureFailure;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.net.Message;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerException;
import io.anneal.net.PeerStream;
import io.anneal.net.RequestException;
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

    /** Answers one question. */
    @FunctionalInterface
    public interface Answerer {
        /**
         * @param question is the answerer's until the answer is there
         * @return the answer; failures, also thrown ones, go back to the peer
         */
        CompletableFuture<byte[]> answer(int kind, Message question, ByteReader content) throws IOException;
    }

    private final MessageStream messages;
    private final Answerer answerer;
    private final String protocol;
    private final String refusedCode;

    /**
     * @param protocol    what is spoken, for the log
     * @param refusedCode code of what a table or a file says against it in its own words
     */
    public Answers(PeerStream stream, Answerer answerer, String protocol, String refusedCode) {
        messages = stream.messages();
        this.answerer = answerer;
        this.protocol = protocol;
        this.refusedCode = refusedCode;
    }

    /**
     * Answers until the peer ends its direction, and then ends this one.
     *
     * @param orderly whether the peer may end now; if not, what ends the stream
     */
    public void start(Function<MessageStream, Boolean> orderly) {
        messages.read().whenComplete((message, failure) -> {
            // A failure has ended the stream.
            if (failure == null && message.isPresent()) {
                take(message.get(), orderly);
            } else if (failure == null && orderly.apply(messages)) {
                messages.stream().end();
            }
        });
    }

    private void take(Message question, Function<MessageStream, Boolean> orderly) {
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
            if (failure == null) {
                messages.write(question.kind(), ByteBuffer.wrap(answer));
                start(orderly);
            } else {
                RequestException refusal = refusal(question.kind(), failure);
                messages.stream().reset(refusal.code(), refusal.getMessage());
            }
        });
    }

    /** What the replica says of its table and its files in its own words; anything else is a bug, which the log tells. */
    private RequestException refusal(int kind, Throwable failure) {
        Throwable cause = FutureFailure.cause(failure);
        if (cause instanceof RequestException refused) {
            return refused;
        }
        if (cause instanceof RejectedExecutionException) {
            return new RequestException(PeerException.OVERLOADED, "this node takes no more work");
        }
        String text = FailureText.of(cause);
        if (FailureText.isRefusal(cause)) {
            LOG.warn("question refused, protocol={}, step={}, cause={}", protocol, kind, text);
            LOG.debug("question refused, protocol={}, step={}", protocol, kind, cause);
            return new RequestException(refusedCode, text);
        }
        LOG.error("question failed, protocol={}, step={}", protocol, kind, cause);
        return new RequestException(PeerException.INTERNAL, text);
    }
}
