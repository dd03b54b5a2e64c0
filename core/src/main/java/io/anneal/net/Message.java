package io.anneal.net;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/** A message of a {@link MessageStream}. Its memory counts as occupied until it is closed. */
public final class Message implements AutoCloseable {
    private final int kind;
    private final MessageBuffer buffer;
    private final AtomicBoolean closed = new AtomicBoolean();

    Message(int kind, MessageBuffer buffer) {
        this.kind = kind;
        this.buffer = buffer;
    }

    /** What the sender gave it, from 0 to 255. */
    public int kind() {
        return kind;
    }

    public ByteBuffer content() {
        return buffer.content();
    }

    /** The content in an array of its own length, without a copy where there is one. */
    public byte[] bytes() {
        return buffer.bytes();
    }

    @Override
    public void close() {
        if (!closed.getAndSet(true)) {
            buffer.release();
        }
    }
}
