package io.anneal.net;

import io.anneal.io.ByteBudget;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * A stream that carries messages, one behind the other, each way. A message is 4 bytes of length, 1 byte of kind, and its
 * content. Memory for a message is reserved before it is allocated; while there is none the message waits where it is, and
 * its sender with it. One writer and one reader at a time, each of any thread.
 */
public final class MessageStream {
    static final int HEADER_BYTES = Integer.BYTES + Byte.BYTES;

    /** Shorter content is copied, so that it is one piece with what stands before and after it. */
    private static final int SMALL_BYTES = 16 << 10;

    private static final long WAIT_MIN_MS = 5;
    private static final long WAIT_MAX_MS = 200;

    private final MultiplexedStream stream;
    private final Session session;
    private final ByteBudget budget;
    private final ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);

    private MessageBuffer incoming;
    private int missingBytes;
    private boolean isFull;

    private volatile long bytesSent;
    private volatile long bytesReceived;

    MessageStream(MultiplexedStream stream, Session session, ByteBudget budget) {
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
     * A message that is to be sent.
     *
     * @param kind from 0 to 255
     * @param content the remaining bytes of each, one after the other
     */
    public record Part(int kind, List<ByteBuffer> content) {
        private int lengthBytes() {
            int lengthBytes = 0;
            for (ByteBuffer piece : content) {
                lengthBytes = Math.addExact(lengthBytes, piece.remaining());
            }
            return lengthBytes;
        }

        private long gatheredBytes() {
            long gatheredBytes = HEADER_BYTES;
            for (ByteBuffer piece : content) {
                gatheredBytes += isGathered(piece) ? piece.remaining() : 0;
            }
            return gatheredBytes;
        }

        private static boolean isGathered(ByteBuffer content) {
            return content.remaining() <= SMALL_BYTES;
        }
    }

    /**
     * Sends a message.
     *
     * @param kind    from 0 to 255
     * @param content its remaining bytes, which must not change before the future is done
     */
    public CompletableFuture<Void> write(int kind, ByteBuffer content) {
        return write(List.of(new Part(kind, List.of(content))));
    }

    /**
     * Sends messages; short ones leave together.
     *
     * @param parts one at least, whose buffers must not change before the future is done
     */
    public CompletableFuture<Void> write(List<Part> parts) {
        long gatheredBytes = 0;
        for (Part part : parts) {
            gatheredBytes += part.gatheredBytes();
        }
        Gathering out = new Gathering(gatheredBytes);
        for (Part part : parts) {
            int lengthBytes = part.lengthBytes();
            bytesSent += HEADER_BYTES + lengthBytes;
            out.room(HEADER_BYTES).putInt(lengthBytes).put((byte) part.kind());
            for (ByteBuffer content : part.content()) {
                if (Part.isGathered(content)) {
                    out.room(content.remaining()).put(content.duplicate());
                } else {
                    out.flush();
                    out.written = stream.write(content);
                }
            }
        }
        out.flush();
        return out.written;
    }

    /** Headers and short content, which leave as one with what stands before and after them. */
    private final class Gathering {
        private long leftBytes;
        private ByteBuffer pieces = ByteBuffer.allocate(0);
        private CompletableFuture<Void> written;

        Gathering(long allBytes) {
            leftBytes = allBytes;
        }

        ByteBuffer room(int lengthBytes) {
            if (pieces.remaining() < lengthBytes) {
                flush();
                pieces = ByteBuffer.allocate((int) Math.min(leftBytes, FrameDescriptor.PIECE_BYTES_MAX));
            }
            leftBytes -= lengthBytes;
            return pieces;
        }

        void flush() {
            if (pieces.position() > 0) {
                ByteBuffer rest = pieces.slice();
                written = stream.write(pieces.flip());
                pieces = rest;
            }
        }
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

    /**
     * As {@link #read}, but waits on this thread, see {@link PeerStream#readHere}, and for no longer than for the response to a
     * request: then the stream is reset.
     */
    public Optional<Message> readHere() throws IOException {
        CompletableFuture<Optional<Message>> result = session.newFuture();
        Waiting.Check inTime = inTime();
        boolean goesOn = true;
        while (goesOn) {
            boolean more = false;
            IOException failed = null;
            try {
                more = stream.readHere(this::take, inTime);
            } catch (IOException failure) {
                failed = failure;
            }
            goesOn = goesOn(result, more, failed, WAIT_MIN_MS);
        }
        try {
            return Waiting.result(result, inTime);
        } catch (IOException given) {
            result.thenAccept(late -> late.ifPresent(Message::close));
            throw given;
        }
    }

    private Waiting.Check inTime() {
        long timeoutMs = session.requestMs();
        long startNanos = session.nanoTime();
        return () -> {
            if (session.nanoTime() - startNanos >= TimeUnit.MILLISECONDS.toNanos(timeoutMs)) {
                String reason = "no message in time, timeoutMs=" + timeoutMs;
                stream.reset(PeerException.REQUEST_TIMEOUT, reason);
                throw session.failure(stream.verb(), PeerException.REQUEST_TIMEOUT, reason, null);
            }
        };
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
