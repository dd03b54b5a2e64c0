package io.anneal.node;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.net.Connection;
import io.anneal.net.Message;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerException;
import io.anneal.net.PeerStream;
import io.anneal.net.Verb;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;

/** The asking side of a stream on which {@link Answers} answers: one question at a time. */
public final class Questions {
    private final Verb verb;
    private final String peer;
    private final MessageStream messages;

    /** Opens a stream on the connection. */
    public Questions(Connection connection, Verb verb) {
        this.verb = verb;
        peer = connection.address().toString();
        messages = connection.open(verb).messages();
    }

    public PeerStream stream() {
        return messages.stream();
    }

    /** @param answer reads the answer, which must be wholly right */
    public <T> CompletableFuture<T> ask(int kind, Consumer<ByteWriter> question, Function<ByteReader, T> answer) {
        ByteWriter out = new ByteWriter(64);
        question.accept(out);
        messages.write(kind, ByteBuffer.wrap(out.array(), 0, out.lengthBytes()));
        return messages.read().thenApply(message -> read(kind, message, answer));
    }

    private <T> T read(int kind, Optional<Message> answered, Function<ByteReader, T> answer) {
        try (Message message = answered.orElseThrow(() -> wrong(kind, "the peer ended the stream", null))) {
            if (message.kind() != kind) {
                throw wrong(kind, "answer is of another step, kind=" + message.kind(), null);
            }
            return answer.apply(new ByteReader().wrap(message.content()));
        } catch (ByteUnderflowException | IllegalArgumentException e) {
            throw wrong(kind, "answer is malformed, cause=" + e.getMessage(), e);
        }
    }

    private CompletionException wrong(int kind, String reason, Throwable cause) {
        return new CompletionException(
                new PeerException(peer, verb.name() + " " + kind, PeerException.MALFORMED, reason, cause));
    }
}
