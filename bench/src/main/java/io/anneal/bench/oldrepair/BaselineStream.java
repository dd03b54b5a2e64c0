package io.anneal.bench.oldrepair;

import io.anneal.io.ByteWriter;
import io.anneal.net.Connection;
import io.anneal.net.MessageStream;
import io.anneal.net.Verb;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Consumer;

/** The asker's side of one step at one peer. Closing it before {@link #end()} ends the step there, and what it took is removed. One thread. */
final class BaselineStream implements Closeable {
    private final MessageStream messages;
    private boolean ended;

    /** Opens the replica at the peer. */
    BaselineStream(Connection peer, Verb verb, Consumer<ByteWriter> opening) {
        messages = peer.open(verb).messages();
        write(BaselineService.OPEN, opening);
    }

    MessageStream messages() {
        return messages;
    }

    /** Asks something, and does not wait. */
    void write(int kind, Consumer<ByteWriter> content) {
        ByteWriter out = new ByteWriter(64);
        content.accept(out);
        messages.write(kind, ByteBuffer.wrap(out.array(), 0, out.lengthBytes()));
    }

    /** Waits for the next answer, which is of this kind. */
    byte[] read(int kind) throws IOException {
        return BaselineService.read(messages, kind, kind).orElseThrow();
    }

    /** The rows up to the next END. */
    Optional<byte[]> readRows() throws IOException {
        return BaselineService.read(messages, BaselineService.ROWS, BaselineService.END);
    }

    /** Waits until the peer has ended its side, after this one. */
    void end() throws IOException {
        messages.stream().end();
        BaselineService.requireEnd(messages);
        ended = true;
    }

    @Override
    public void close() {
        if (!ended) {
            messages.stream().reset("bench-aborted", "the asker has given up");
        }
    }
}
