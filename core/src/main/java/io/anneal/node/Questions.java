package io.anneal.node;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.net.Connection;
import io.anneal.net.Message;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerException;
import io.anneal.net.PeerStream;
import io.anneal.net.RequestException;
import io.anneal.net.Verb;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The asking side of a stream on which {@link Answers} answers. A question may be asked before the one before is answered;
 * answers come in the order of the questions. One thread asks.
 */
public final class Questions {
    private final Verb verb;
    private final String peer;
    private final MessageStream messages;
    /** Done when the answer to the question asked last is there: the next one comes after it. */
    private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

    /**
     * Opens a stream on the connection.
     *
     * @param peer whom errors name
     */
    public Questions(Connection connection, Verb verb, String peer) {
        this.verb = verb;
        this.peer = peer;
        messages = connection.open(verb).messages();
    }

    /** Bytes of all questions, with their headers. */
    public long bytesSent() {
        return messages.bytesSent();
    }

    /** Bytes of all answers, with their headers. */
    public long bytesReceived() {
        return messages.bytesReceived();
    }

    public PeerStream stream() {
        return messages.stream();
    }

    /** @param answer reads the answer, which must be wholly right */
    public <T> CompletableFuture<T> ask(int kind, Consumer<ByteWriter> question, Function<ByteReader, T> answer) {
        ByteWriter out = new ByteWriter(64);
        question.accept(out);
        return ask(kind, ByteBuffer.wrap(out.array(), 0, out.lengthBytes()), answer);
    }

    /**
     * @param question its remaining bytes, which must not change before the answer is there
     * @param answer reads the answer, which must be wholly right
     */
    public <T> CompletableFuture<T> ask(int kind, ByteBuffer question, Function<ByteReader, T> answer) {
        return ask(kind, question).thenApply(message -> read(kind, message, answer));
    }

    /**
     * @param question its remaining bytes, which must not change before the answer is there
     * @return the answer, which the caller closes
     */
    public CompletableFuture<Message> ask(int kind, ByteBuffer question) {
        messages.write(kind, question);
        CompletableFuture<Message> answer = readNext().thenApply(message -> requireAnswer(kind, message));
        last = answer.handle((message, failure) -> null);
        return answer;
    }

    /**
     * Asks no more: the stream is over once the peer has ended its direction. What comes behind the last answer is malformed, and
     * resets it.
     */
    public void end() {
        stream().end();
        last.whenComplete((done, failure) -> stream().read(Questions::refuse));
    }

    private static void refuse(ByteBuffer piece) throws RequestException {
        throw new RequestException(PeerException.MALFORMED, "bytes stand behind the last answer");
    }

    private CompletableFuture<Optional<Message>> readNext() {
        return last.isDone()
                ? messages.read()
                : last.handle((done, failure) -> messages.read()).thenCompose(reading -> reading);
    }

    private Message requireAnswer(int kind, Optional<Message> answer) {
        Message message = answer.orElseThrow(() -> wrong(kind, "the peer ended the stream", null));
        if (message.kind() != kind) {
            message.close();
            throw wrong(kind, "answer is of another step, kind=" + message.kind(), null);
        }
        return message;
    }

    private <T> T read(int kind, Message message, Function<ByteReader, T> answer) {
        try (message) {
            ByteReader in = new ByteReader().wrap(message.content());
            T content = answer.apply(in);
            if (in.remainingBytes() > 0) {
                throw new IllegalArgumentException("bytes stand behind it, count=" + in.remainingBytes());
            }
            return content;
        } catch (ByteUnderflowException | IllegalArgumentException e) {
            throw wrong(kind, "answer is malformed, cause=" + e.getMessage(), e);
        }
    }

    private CompletionException wrong(int kind, String reason, Throwable cause) {
        return new CompletionException(
                new PeerException(peer, verb.name() + " " + kind, PeerException.MALFORMED, reason, cause));
    }
}
