package io.anneal.net;

import io.anneal.io.ByteBudget;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A stream that carries messages, one behind the other, each way. A message is 4 bytes of length, 1 byte of kind, and its
 * content. Memory for a message is reserved before it is allocated; while there is none the message waits where it is, and
 * its sender with it. One writer and one reader at a time, each of any thread.
 */
public final class MessageStream {
    static final int HEADER_BYTES = Integer.BYTES + Byte.BYTES;

    /** Shorter messages are sent as one piece with their header. */
    private static final int SMALL_BYTES = 16 << 10;

    private static final long WAIT_MIN_MS = 5;
    private static final long WAIT_MAX_MS = 200;

    private final PeerStream stream;
    private final Session session;
    private final ByteBudget budget;
    private final ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);

    private MessageBuffer incoming;
    private int missingBytes;
    private boolean isFull;

    private volatile long bytesSent;
    private volatile long bytesReceived;

    MessageStream(PeerStream stream, Session session, ByteBudget budget) {
        this.stream = stream;
        this.session = session;
        this.budget = budget;
    }

    public PeerStream stream() {
        return stream;
    }

    /** Bytes of all messages that were sent, with their headers. */
    public long bytesSent() {
        return bytesSent;
    }

    /** Bytes of all messages that have come, with their headers. */
    public long bytesReceived() {
        return bytesReceived;
    }

    /**
     * Sends a message.
     *
     * @param kind    from 0 to 255
     * @param content its remaining bytes, which must not change before the future is done
     */
    public CompletableFuture<Void> write(int kind, ByteBuffer content) {
        int lengthBytes = content.remaining();
        boolean isSmall = lengthBytes <= SMALL_BYTES;
        ByteBuffer out = ByteBuffer.allocate(HEADER_BYTES + (isSmall ? lengthBytes : 0));
        out.putInt(lengthBytes).put((byte) kind);
        bytesSent += HEADER_BYTES + lengthBytes;
        if (isSmall) {
            return stream.write(out.put(content.duplicate()).flip());
        }
        stream.write(out.flip());
        return stream.write(content);
    }

    /**
     * The next message, or nothing at the end of the peer's direction. One that is too long, or cut short, resets the stream.
     * Whoever gets it closes it.
     */
    public CompletableFuture<Optional<Message>> read() {
        CompletableFuture<Optional<Message>> result = session.newFuture();
        readOn(result, WAIT_MIN_MS);
        return result;
    }

    private void readOn(CompletableFuture<Optional<Message>> result, long waitMs) {
        boolean goesOn = true;
        while (goesOn) {
            CompletableFuture<Boolean> piece = stream.read(this::take);
            if (!piece.isDone()) {
                piece.whenComplete((more, failed) -> {
                    if (goesOn(result, more, failed, waitMs)) {
                        readOn(result, waitMs);
                    }
                });
                return;
            }
            goesOn = goesOn(result, piece, waitMs);
        }
    }

    private boolean goesOn(CompletableFuture<Optional<Message>> result, CompletableFuture<Boolean> piece, long waitMs) {
        try {
            return goesOn(result, piece.join(), null, waitMs);
        } catch (CompletionException failed) {
            return goesOn(result, null, failed, waitMs);
        }
    }

    /** Whether more is to be read for this message now. */
    private boolean goesOn(CompletableFuture<Optional<Message>> result, Boolean more, Throwable failed, long waitMs) {
        if (failed != null) {
            drop();
            result.completeExceptionally(session.peerFailure(stream.verb(), failed));
        } else if (!more) {
            end(result);
        } else if (isFull) {
            isFull = false;
            if (!session.runLater(() -> readOn(result, Math.min(2 * waitMs, WAIT_MAX_MS)), waitMs)) {
                drop();
                result.completeExceptionally(
                        session.lost("stream " + stream.verb().name(), null));
            }
        } else if (incoming != null && missingBytes == 0) {
            Message message = new Message(Byte.toUnsignedInt(header.get(Integer.BYTES)), incoming);
            incoming = null;
            header.clear();
            result.complete(Optional.of(message));
        } else {
            return true;
        }
        return false;
    }

    private void end(CompletableFuture<Optional<Message>> result) {
        if (header.position() == 0) {
            result.complete(Optional.empty());
            return;
        }
        drop();
        String reason = "message is cut short, missingBytes=" + missingBytes;
        stream.reset(PeerException.MALFORMED, reason);
        result.completeExceptionally(
                session.peerFailure(stream.verb(), new RequestException(PeerException.MALFORMED, reason)));
    }

    private void drop() {
        if (incoming != null) {
            incoming.release();
            incoming = null;
        }
    }

    private void take(ByteBuffer piece) throws RequestException {
        if (incoming == null) {
            int length = Math.min(header.remaining(), piece.remaining());
            header.put(piece.slice(piece.position(), length));
            piece.position(piece.position() + length);
            bytesReceived += length;
            if (header.hasRemaining()) {
                return;
            }
            start();
        }
        int length = Math.min(missingBytes, piece.remaining());
        if (length == 0) {
            return;
        }
        try {
            incoming.accept(piece.slice(piece.position(), length));
        } catch (RequestException refused) {
            if (!refused.code().equals(PeerException.BUSY)) {
                throw refused;
            }
            isFull = true;
            return;
        }
        piece.position(piece.position() + length);
        missingBytes -= length;
        bytesReceived += length;
    }

    private void start() throws RequestException {
        int lengthBytes = header.getInt(0);
        int maxBytes = session.limits().messageBytesMax();
        if (lengthBytes < 0 || lengthBytes > maxBytes) {
            throw new RequestException(
                    PeerException.MESSAGE_TOO_LARGE,
                    "message is longer than is taken, lengthBytes=" + Integer.toUnsignedString(lengthBytes)
                            + ", maxBytes=" + maxBytes);
        }
        missingBytes = lengthBytes;
        incoming = new MessageBuffer(budget, maxBytes, session.limits().initialCreditBytes(), () -> lengthBytes);
    }
}
