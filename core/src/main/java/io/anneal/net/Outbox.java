package io.anneal.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.DefaultFileRegion;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What a stream has to send, and the credit that the peer gave for it: pieces leave one at a time, when the connection's turn
 * comes to this stream. Belongs to the event loop.
 */
final class Outbox implements FrameWriter.Sender {
    /** A stream that has sent less goes first. */
    private static final int LITTLE_BYTES = 64 << 10;
    /** Shorter data is copied rather than sent from the caller's buffer. */
    private static final int OWN_BUFFER_BYTES_MIN = 8 << 10;
    /** More credit than this nobody can use; a peer that gives more is broken. */
    private static final long CREDIT_BYTES_MAX = 1L << 31;

    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    private final Session session;
    private final Verb verb;
    private final MultiplexedStream owner;
    private final Deque<Outgoing> outgoing = new ArrayDeque<>();

    private boolean openToSend;
    private boolean isQueued;
    private boolean endWanted;
    private CompletableFuture<Void> endDone;
    private boolean endSent;
    private long creditBytes;
    private long sentBytes;
    private ChannelFuture lastWritten;
    /** Length of the message that goes out, until a frame has said it. */
    private int unsaidBytes;

    /** @param isLocal whether this side opens the stream, with its first frame */
    Outbox(Session session, Verb verb, MultiplexedStream owner, boolean isLocal) {
        this.session = session;
        this.verb = verb;
        this.owner = owner;
        this.openToSend = isLocal;
        this.creditBytes = session.agreement().peerInitialCreditBytes();
    }

    /** Whether the peer knows of the stream, as far as it depends on this side. */
    boolean isOpened() {
        return !openToSend;
    }

    boolean isEndSent() {
        return endSent;
    }

    void credited(Frame frame) throws CorruptFrameException {
        long grantBytes = Integer.toUnsignedLong(frame.argument());
        if (creditBytes + grantBytes > CREDIT_BYTES_MAX) {
            throw new CorruptFrameException(
                    session.peer(), frame.position(), "credit is out of bounds, creditBytes=" + creditBytes);
        }
        owner.moved();
        creditBytes += grantBytes;
        queueIfReady();
    }

    /** The stream has failed: nothing more leaves, and everything that waits fails. */
    void fail(IOException cause) {
        List<Outgoing> dropped = List.copyOf(outgoing);
        outgoing.clear();
        Runnable giveBack = () -> session.runAside(() -> {
            dropped.forEach(data -> data.done.completeExceptionally(cause));
            if (endDone != null) {
                endDone.completeExceptionally(cause);
            }
        });
        // The socket may still read from a buffer or a file, of which it has a piece.
        if (lastWritten == null || lastWritten.isDone()) {
            giveBack.run();
        } else {
            lastWritten.addListener(written -> giveBack.run());
        }
    }

    void add(Outgoing data) {
        if (data.sendableBytes() == 0 && data.isRead() && owner.failure() == null && !endWanted) {
            session.runAside(() -> data.done.complete(null));
        } else if (owner.failure() != null) {
            session.runAside(() -> data.done.completeExceptionally(owner.failure()));
        } else if (endWanted) {
            session.runAside(() -> data.done.completeExceptionally(
                    new IllegalStateException("this direction of the stream has ended, verb=" + verb.name())));
        } else {
            outgoing.add(data);
            queueIfReady();
        }
    }

    void end(CompletableFuture<Void> done) {
        if (owner.failure() != null) {
            session.runAside(() -> done.completeExceptionally(owner.failure()));
        } else if (endWanted) {
            session.runAside(() -> done.complete(null));
        } else {
            endWanted = true;
            endDone = done;
            queueIfReady();
        }
    }

    void queueIfReady() {
        if (!isQueued && owner.id() != 0 && isReady()) {
            isQueued = true;
            session.writer().ready(this);
        }
    }

    private boolean isReady() {
        if (owner.isFinished() || owner.failure() != null) {
            return false;
        }
        if (openToSend) {
            return true;
        }
        Outgoing head = outgoing.peek();
        if (head == null) {
            return endWanted && !endSent;
        }
        if (head.sendableBytes() == 0 && !head.isRead()) {
            readOn(head);
            return false;
        }
        return canAfford(head);
    }

    private void readOn(Outgoing head) {
        if (head.isReading) {
            return;
        }
        head.isReading = true;
        // Else it would send from the buffer that is being filled.
        head.bytes = EMPTY;
        session.runAside(() -> {
            try {
                ByteBuffer bytes = head.copy.next();
                session.runOnLoop(() -> {
                    head.isReading = false;
                    head.bytes = bytes;
                    queueIfReady();
                });
            } catch (IOException | RuntimeException | Error failed) {
                session.runOnLoop(() -> fileFailed(head, failed));
            }
        });
    }

    private void fileFailed(Outgoing head, Throwable failed) {
        session.runAside(() -> head.done.completeExceptionally(failed));
        owner.brokeOff(failed);
    }

    @Override
    public boolean hasSentLittle() {
        return sentBytes < LITTLE_BYTES;
    }

    @Override
    public boolean sendPiece(FrameWriter writer) {
        if (isReady() && hasWholeFile()) {
            sendReadyPiece(writer);
            owner.moved();
        }
        isQueued = isReady();
        boolean again = isQueued;
        owner.finishIfDone();
        return again;
    }

    /** Else the stream is reset: bytes that a frame announces and the file lacks would end the connection. */
    private boolean hasWholeFile() {
        Outgoing head = outgoing.peek();
        try {
            if (head == null || !head.isFileShorter()) {
                return true;
            }
            throw new EOFException("file has become shorter while it was sent, position=" + head.filePosition
                    + ", lacking=" + head.fileRemainingBytes);
        } catch (IOException failed) {
            fileFailed(head, failed);
            return false;
        }
    }

    private void sendReadyPiece(FrameWriter writer) {
        FrameKind kind = openToSend ? FrameKind.OPEN : FrameKind.DATA;
        Outgoing head = outgoing.peek();
        boolean canSendHead =
                head != null && head.sendableBytes() > 0 && canAfford(head) && (!openToSend || canGoWithOpening(head));
        long affordableBytes = creditBytes - FrameDescriptor.PIECE_OVERHEAD_BYTES;
        int fileFlag = canSendHead && head.file != null ? FrameDescriptor.FLAG_UNCHECKED : 0;
        int lengthBytes = canSendHead
                ? (int) Math.min(
                        Math.min(FrameDescriptor.pieceBytesMax(fileFlag), affordableBytes), head.sendableBytes())
                : 0;
        boolean takesHead = canSendHead && lengthBytes == head.sendableBytes() && head.isRead();
        boolean last = endWanted && (head == null || takesHead && outgoing.size() == 1);
        int flags = (last ? FrameDescriptor.FLAG_END : 0)
                | (canSendHead && head.compressed ? FrameDescriptor.FLAG_LZ4 : 0)
                | fileFlag;
        int argument = openToSend ? verb.number() : unsaidBytes;
        unsaidBytes = openToSend ? unsaidBytes : 0;
        ChannelFuture written;
        if (canSendHead && head.file != null) {
            written = sendFilePiece(writer, head, flags, lengthBytes);
        } else {
            written = sendBytes(writer, kind, flags, argument, canSendHead ? take(head.bytes, lengthBytes) : EMPTY);
        }
        lastWritten = written;
        openToSend = false;
        owner.metrics().sent(lengthBytes);
        creditBytes -= costBytes(lengthBytes);
        sentBytes += lengthBytes;
        if (takesHead) {
            outgoing.remove();
            whenWritten(written, head.done);
        }
        if (last) {
            endSent = true;
            whenWritten(written, endDone);
        }
    }

    /** Not before a piece is worth its cost: the peer gives new credit when half a window is read. */
    private boolean canAfford(Outgoing data) {
        return creditBytes
                >= costBytes(
                        (int) Math.min(data.sendableBytes(), session.codec().blockBytes()));
    }

    /** A message of several pieces says its length first, in a frame of its own: an OPEN has no room for it. */
    private boolean canGoWithOpening(Outgoing head) {
        long roomBytes = Math.min(FrameDescriptor.PIECE_BYTES_MAX, creditBytes - FrameDescriptor.PIECE_OVERHEAD_BYTES);
        boolean isWhole = outgoing.size() == 1 && head.sendableBytes() <= roomBytes;
        return head.file == null && (unsaidBytes == 0 || isWhole);
    }

    private static int costBytes(int lengthBytes) {
        return FrameDescriptor.costBytes(lengthBytes);
    }

    private static ByteBuffer take(ByteBuffer bytes, int lengthBytes) {
        ByteBuffer piece = bytes.slice(bytes.position(), lengthBytes);
        bytes.position(bytes.position() + lengthBytes);
        return piece;
    }

    private ChannelFuture sendBytes(FrameWriter writer, FrameKind kind, int flags, int argument, ByteBuffer piece) {
        int lengthBytes = piece.remaining();
        int checksum = FrameDescriptor.checksum(piece.duplicate());
        if (piece.isDirect() && lengthBytes >= OWN_BUFFER_BYTES_MIN && !owner.copiesContent()) {
            writer.send(writer.header(kind, flags, argument, owner.id(), lengthBytes, checksum, 0));
            return writer.send(Unpooled.wrappedBuffer(piece));
        }
        ByteBuf frame = writer.header(kind, flags, argument, owner.id(), lengthBytes, checksum, lengthBytes);
        return writer.send(frame.writeBytes(piece));
    }

    private ChannelFuture sendFilePiece(FrameWriter writer, Outgoing head, int flags, int lengthBytes) {
        writer.send(writer.header(FrameKind.DATA, flags, 0, owner.id(), lengthBytes, 0, 0));
        DefaultFileRegion region = new DefaultFileRegion(head.file, head.filePosition, lengthBytes) {
            @Override
            protected void deallocate() {
                // The file belongs to the caller, who closes it.
            }
        };
        head.filePosition += lengthBytes;
        head.fileRemainingBytes -= lengthBytes;
        long toPosition = head.filePosition;
        ChannelFuture written = writer.send(region);
        written.addListener(result -> {
            if (!result.isSuccess()) {
                fileStuck(SentFile.reasonOf(head.file, toPosition), result.cause());
            }
        });
        return written;
    }

    /** In the middle of a frame, so that the connection ends: not for the peer's sake, as it would seem otherwise. */
    private void fileStuck(Optional<String> reason, Throwable cause) {
        reason.ifPresent(text -> session.end(new PeerException(
                session.peer(),
                "stream " + verb.name(),
                PeerException.INTERNAL,
                "a file of this side could not be sent to its end, reason=" + text,
                cause)));
    }

    private void whenWritten(ChannelFuture written, CompletableFuture<Void> done) {
        written.addListener(result -> session.runAside(() -> {
            if (result.isSuccess()) {
                done.complete(null);
            } else {
                done.completeExceptionally(session.lost("stream " + verb.name(), result.cause()));
            }
        }));
    }

    /** The one message of this direction, which ends with it. */
    void content(List<PayloadCodec.Block> blocks, int lengthBytes) {
        unsaidBytes = lengthBytes;
        for (PayloadCodec.Block block : blocks) {
            if (block.bytes().hasRemaining()) {
                outgoing.add(new Outgoing(block.bytes(), block.compressed(), new CompletableFuture<>()));
            }
        }
        endWanted = true;
        endDone = new CompletableFuture<>();
    }
}
