package io.anneal.net;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * The pieces of a stream that have come and are not read yet, and the one reader. The event loop puts pieces in; whoever
 * drains hands them to the reader's consumer, outside the lock and one at a time.
 */
final class Inbox {
    /** What becomes of the stream as it is read; called by the draining thread. */
    interface Owner {
        /** So many bytes occupy no memory of the stream any more. */
        void consumed(int bytes);

        /** The consumer failed. */
        void consumerFailed(Exception failure);

        /** Runs work outside the event loop. */
        void runAside(Runnable work);

        /** The same, once the event loop has read what there is: more pieces may come with the next bytes. */
        void runAsideLater(Runnable work);

        /** Runs work on the event loop, once that has read what there is. */
        void runLater(Runnable work);

        ByteBuf plain(ByteBuf block) throws CorruptFrameException;

        <T> CompletableFuture<T> newFuture();
    }

    private record Piece(ByteBuf bytes, boolean compressed, int creditBytes) {}

    private record Reader(PieceConsumer consumer, boolean toTheEnd, CompletableFuture<Boolean> future) {}

    private final Owner owner;
    private final Object lock = new Object();
    private final Deque<Piece> pieces = new ArrayDeque<>();
    private boolean ended;
    private IOException failure;
    private Reader reader;
    private boolean draining;
    /** Of whoever waits for something to read; not done. */
    private CompletableFuture<Void> arrival;

    Inbox(Owner owner) {
        this.owner = owner;
    }

    /** Takes over the buffer. */
    void add(ByteBuf bytes, boolean compressed, boolean last) {
        boolean drain;
        CompletableFuture<Void> arrived;
        synchronized (lock) {
            if (failure != null) {
                bytes.release();
                return;
            }
            if (bytes.isReadable()) {
                pieces.add(new Piece(bytes, compressed, FrameDescriptor.costBytes(bytes.readableBytes())));
            } else {
                bytes.release();
            }
            ended = last;
            drain = startDraining();
            arrived = takeArrival();
        }
        if (drain) {
            owner.runAsideLater(this::drain);
        }
        if (arrived != null) {
            owner.runLater(() -> arrived.complete(null));
        }
    }

    /** Done as soon as a read finds a piece, the end or a failure; for one thread at a time. */
    CompletableFuture<Void> arrival() {
        synchronized (lock) {
            if (hasArrived()) {
                CompletableFuture<Void> done = owner.newFuture();
                done.complete(null);
                return done;
            }
            if (arrival == null) {
                arrival = owner.newFuture();
            }
            return arrival;
        }
    }

    private boolean hasArrived() {
        return !pieces.isEmpty() || ended || failure != null;
    }

    private CompletableFuture<Void> takeArrival() {
        CompletableFuture<Void> taken = hasArrived() ? arrival : null;
        arrival = taken == null ? arrival : null;
        return taken;
    }

    /** Whether the last piece is here, read or not. */
    boolean hasEnd() {
        synchronized (lock) {
            return ended;
        }
    }

    /** What was not read is dropped and the reader fails, unless everything has come and is being read. */
    void fail(IOException cause) {
        boolean drain;
        CompletableFuture<Void> arrived;
        synchronized (lock) {
            if (failure != null || ended && (pieces.isEmpty() || reader != null && reader.toTheEnd())) {
                return;
            }
            drop(cause);
            drain = startDraining();
            arrived = takeArrival();
        }
        if (drain) {
            owner.runAside(this::drain);
        }
        if (arrived != null) {
            arrived.complete(null);
        }
    }

    private void drop(IOException cause) {
        failure = cause;
        pieces.forEach(piece -> piece.bytes().release());
        pieces.clear();
    }

    /** @param aside whether even pieces that wait already are handed over on the executor */
    CompletableFuture<Boolean> read(PieceConsumer consumer, boolean toTheEnd, boolean aside) {
        Objects.requireNonNull(consumer, "consumer");
        CompletableFuture<Boolean> future = owner.newFuture();
        boolean drain;
        synchronized (lock) {
            if (reader != null) {
                future.completeExceptionally(new IllegalStateException("the stream has a reader already"));
                return future;
            }
            reader = new Reader(consumer, toTheEnd, future);
            drain = startDraining();
        }
        if (drain && aside) {
            owner.runAside(this::drain);
        } else if (drain) {
            drain();
        }
        return future;
    }

    private boolean startDraining() {
        boolean start = !draining && reader != null && hasArrived();
        draining |= start;
        return start;
    }

    private void drain() {
        while (true) {
            Reader current;
            Piece piece;
            IOException cause;
            synchronized (lock) {
                if (reader == null || !hasArrived()) {
                    draining = false;
                    return;
                }
                current = reader;
                piece = pieces.poll();
                cause = failure;
                if (piece == null) {
                    reader = null;
                    draining = false;
                }
            }
            if (piece != null) {
                consume(current, piece);
            } else if (cause != null) {
                current.future().completeExceptionally(cause);
                return;
            } else {
                current.future().complete(false);
                return;
            }
        }
    }

    private void consume(Reader current, Piece piece) {
        Piece left = piece;
        try {
            if (piece.compressed()) {
                ByteBuf plain = owner.plain(piece.bytes());
                piece.bytes().release();
                left = new Piece(plain, false, piece.creditBytes());
            }
            ByteBuf bytes = left.bytes();
            ByteBuffer view = bytes.nioBuffer();
            current.consumer().accept(view);
            if (current.toTheEnd() && view.position() == 0) {
                throw new IllegalStateException("the reader of a whole stream takes nothing of a piece");
            }
            bytes.skipBytes(view.position());
        } catch (IOException | RuntimeException failed) {
            consumerFailed(current, left, failed);
            return;
        } catch (Error error) {
            // It goes on to the executor, but whoever waits for the stream must not wait for ever.
            consumerFailed(
                    current,
                    left,
                    new IOException("the consumer of the stream was stopped by an error, error=" + error, error));
            synchronized (lock) {
                draining = false;
            }
            throw error;
        }
        int consumedBytes = putBack(left) ? 0 : left.creditBytes();
        boolean done = !current.toTheEnd();
        if (done) {
            forget(current);
        }
        if (consumedBytes > 0) {
            owner.consumed(consumedBytes);
        }
        if (done) {
            current.future().complete(true);
        }
    }

    private void consumerFailed(Reader current, Piece piece, Exception failed) {
        piece.bytes().release();
        owner.consumed(piece.creditBytes());
        synchronized (lock) {
            // Nobody reads what is left: the stream is reset, or is over already.
            drop(failed instanceof IOException io ? io : new IOException("the reader of the stream failed", failed));
        }
        forget(current);
        owner.consumerFailed(failed);
        current.future().completeExceptionally(failed);
    }

    private void forget(Reader current) {
        synchronized (lock) {
            if (reader == current) {
                reader = null;
            }
        }
    }

    /** True if a part of the piece is left and comes again; otherwise the piece is released. */
    private boolean putBack(Piece piece) {
        synchronized (lock) {
            if (piece.bytes().isReadable() && failure == null) {
                pieces.addFirst(piece);
                return true;
            }
        }
        piece.bytes().release();
        return false;
    }
}
