package io.anneal.node;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.net.Connection;
import io.anneal.net.Message;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerAddress;
import io.anneal.net.PeerException;
import io.anneal.net.Verb;
import io.anneal.net.Waiting;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Work that a peer does at the request of this node, which watches it: {@link ServedRun} is the peer's side. The connection belongs
 * to the caller. Closing it before the last word aborts the work. One thread.
 */
public final class PeerRun<S> implements Closeable {
    private final Connection connection;
    private final Verb verb;
    private final Function<ByteReader, S> decoder;
    private final String abortCode;
    private final MessageStream messages;
    private boolean ended;

    /**
     * Opens a stream for it.
     *
     * @param decoder reads a status
     * @param abortCode of the reset when nobody wants it any more
     */
    public PeerRun(Connection connection, Verb verb, Function<ByteReader, S> decoder, String abortCode) {
        this.connection = connection;
        this.verb = verb;
        this.decoder = decoder;
        this.abortCode = abortCode;
        messages = connection.open(verb).messages();
    }

    /** Whether nothing more comes from the peer. For any thread. */
    public boolean isGone() {
        return messages.stream().closed().isDone();
    }

    /** Asks for it, and returns the first status. */
    public S ask(Consumer<ByteWriter> question) throws IOException {
        ByteWriter out = new ByteWriter(256);
        question.accept(out);
        messages.write(ServedRun.STATUS, ByteBuffer.wrap(out.array(), 0, out.lengthBytes()));
        return status();
    }

    /** Lets the work go on, and returns the next status. */
    public S next() throws IOException {
        return next(out -> {});
    }

    /**
     * The same, with a message to the work.
     *
     * @param word writes the message, or nothing if there is none
     */
    public S next(Consumer<ByteWriter> word) throws IOException {
        ByteWriter out = new ByteWriter(16);
        word.accept(out);
        messages.write(ServedRun.HEARD, ByteBuffer.wrap(out.array(), 0, out.lengthBytes()));
        return status();
    }

    /** The last status was the last word. */
    public void end() {
        messages.stream().end();
        ended = true;
    }

    private S status() throws IOException {
        Optional<Message> message = Waiting.result(messages.read());
        if (message.isEmpty()) {
            throw wrong("the peer ended the stream before the run", null);
        }
        try (Message present = message.get()) {
            return decoder.apply(new ByteReader().wrap(present.content()));
        } catch (ByteUnderflowException | IllegalArgumentException malformed) {
            throw wrong("status of the run is malformed, cause=" + malformed.getMessage(), malformed);
        }
    }

    private PeerException wrong(String reason, Throwable cause) {
        return new PeerException(
                PeerAddress.text(connection.address()), verb.name(), PeerException.MALFORMED, reason, cause);
    }

    @Override
    public void close() {
        if (!ended) {
            messages.stream().reset(abortCode, "the run is not wanted any more");
        }
    }
}
