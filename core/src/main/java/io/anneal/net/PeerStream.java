package io.anneal.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;

/**
 * Bytes in both directions between two nodes, one of many streams of a connection. Each side ends its own direction; the
 * receiver's memory bounds what the sender may send. A stream that nobody reads stops itself and no other.
 *
 * <p>Safe for any thread, but writes are sent in the order of the calls, and there is one reader at a time. Every future
 * fails with {@link PeerException} or {@link CorruptFrameException} once the stream was reset, by either side, or its
 * connection was lost.
 */
public interface PeerStream {
    Verb verb();

    Connection connection();

    /**
     * Sends the remaining bytes.
     *
     * @param data must not change before the future is done; position and limit stay as they are
     * @return done when the buffer is free again. With two writes under way the network never waits for the writer.
     */
    CompletableFuture<Void> write(ByteBuffer data);

    /**
     * Sends a part of a file. Without TLS the bytes go from the file to the socket by sendfile, if the channel is the platform's
     * or of {@link io.anneal.io.InputFile}; they carry no checksum of the wire then, so the receiver must check one of the file's
     * own.
     *
     * @param file stays open until the future is done
     */
    CompletableFuture<Void> write(FileChannel file, long position, long lengthBytes);

    /** Ends this direction; what was written before is sent first. */
    CompletableFuture<Void> end();

    /**
     * Hands the next piece to the consumer: on the caller's thread if one waits already, otherwise on the executor.
     * What the consumer leaves in the piece comes first in the next read.
     *
     * @return true after a piece, false at the end of the peer's direction
     */
    CompletableFuture<Boolean> read(PieceConsumer consumer);

    /**
     * Waits for the next piece and hands it to the consumer on this thread, which the network wakes itself: no thread of the
     * executor is needed. Not on one of its threads, nor on an event loop.
     *
     * @return as {@link #read}
     */
    boolean readHere(PieceConsumer consumer) throws IOException;

    /** Hands all pieces to the consumer, on the executor, one after the other; done at the end of the peer's direction. */
    CompletableFuture<Void> readAll(PieceConsumer consumer);

    /**
     * Reads to the end of the peer's direction into one array; a longer message resets the stream.
     *
     * @param bytesMax bound on the message
     */
    CompletableFuture<ByteBuffer> readMessage(int bytesMax);

    /** The stream as messages, one behind the other; instead of what is read and written otherwise. */
    MessageStream messages();

    /**
     * Ends both directions at once; the peer's futures fail with this code and message. Does nothing after the end.
     *
     * @param code of a-z, 0-9 and hyphens, 64 at most
     * @throws IllegalArgumentException for another code
     */
    void reset(String code, String message);

    /** For how long neither a piece nor a credit has moved on it. */
    long idleNanos();

    /** Done when both directions have ended and everything was read. */
    CompletableFuture<Void> closed();
}
