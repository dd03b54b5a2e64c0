package io.anneal.net;

import io.anneal.io.ByteBudget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.DefaultFileRegion;
import io.netty.util.concurrent.Future;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One stream of a {@link Session}. Its state belongs to the event loop of the connection; the public methods hand their
 * work to it. What the peer may send ahead is reserved in the budget: at first the initial credit, then a fair window
 * that grows and shrinks with the number of streams.
 */
final class MultiplexedStream implements PeerStream, FrameWriter.Sender, Inbox.Owner {
    /** A stream that has sent less goes first. */
    private static final int LITTLE_BYTES = 64 << 10;
    /** Shorter data is copied rather than sent from the caller's buffer. */
    private static final int OWN_BUFFER_BYTES_MIN = 8 << 10;
    /** More credit than this nobody can use; a peer that gives more is broken. */
    private static final long CREDIT_BYTES_MAX = 1L << 31;

    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    /** Data on its way out: bytes, a part of a file, or a part of a file that comes through a buffer. */
    private static final class Outgoing {
        private final boolean compressed;
        private final FileChannel file;
        private final FileCopy copy;
        private final CompletableFuture<Void> done;
        private ByteBuffer bytes;
        private boolean isReading;
        private long filePosition;
        private long fileRemainingBytes;

        Outgoing(ByteBuffer bytes, boolean compressed, CompletableFuture<Void> done) {
            this(bytes, compressed, null, 0, 0, null, done);
        }

        Outgoing(FileChannel file, long position, long lengthBytes, CompletableFuture<Void> done) {
            this(EMPTY, false, file, position, lengthBytes, null, done);
        }

        Outgoing(FileCopy copy, CompletableFuture<Void> done) {
            this(EMPTY, false, null, 0, 0, copy, done);
        }

        private Outgoing(
                ByteBuffer bytes,
                boolean compressed,
                FileChannel file,
                long filePosition,
                long fileRemainingBytes,
                FileCopy copy,
                CompletableFuture<Void> done) {
            this.bytes = bytes;
            this.compressed = compressed;
            this.file = file;
            this.filePosition = filePosition;
            this.fileRemainingBytes = fileRemainingBytes;
            this.copy = copy;
            this.done = done;
        }

        /** What can be sent before more of a file is read. */
        long sendableBytes() {
            return file == null ? bytes.remaining() : fileRemainingBytes;
        }

        boolean isRead() {
            return copy == null || !isReading && copy.unreadBytes() == 0;
        }

        boolean isFileShorter() throws IOException {
            return file != null && file.size() < filePosition + fileRemainingBytes;
        }
    }

    private final Session session;
    private final Verb verb;
    private final SessionMetrics.OfVerb metrics;
    private final boolean isLocal;
    private final ByteBudget budget;
    private final int initialCreditBytes;
    private final Inbox inbox;
    private final CompletableFuture<Void> closed;
    private final Deque<Outgoing> outgoing = new ArrayDeque<>();

    private long id;
    private boolean openToSend;
    private boolean isQueued;
    private boolean endWanted;
    private CompletableFuture<Void> endDone;
    private boolean endSent;
    private long creditBytes;
    private long sentBytes;
    private ChannelFuture lastWritten;
    private boolean isRequest;
    /** Length of the message that goes out, until a frame has said it. */
    private int unsaidBytes;

    private boolean endReceived;
    private long receivedBytes;
    private long grantedBytes;
    private long consumedBytes;
    private long lastMoveNanos;

    private boolean isFinished;
    private IOException failure;
    private Future<?> deadline;

    /** Reserved in the budget; bounds what the peer may send ahead. Read by those who consume. */
    private volatile long heldBytes;

    /** Length of the peer's message as its first frame says it; 0 if it does not. */
    private volatile int saidBytes;

    private final Object consumedLock = new Object();
    private long unreportedBytes;

    /**
     * The caller has joined the budget.
     *
     * @param heldBytes the initial credit, reserved in the budget; or 0 for a stream that fails at once
     */
    MultiplexedStream(Session session, Verb verb, boolean isLocal, ByteBudget budget, int heldBytes) {
        this.session = session;
        this.verb = verb;
        this.metrics = session.metrics().ofVerb(verb);
        this.isLocal = isLocal;
        this.budget = budget;
        this.initialCreditBytes = session.limits().initialCreditBytes();
        this.heldBytes = heldBytes;
        this.grantedBytes = initialCreditBytes;
        this.creditBytes = session.agreement().peerInitialCreditBytes();
        this.inbox = new Inbox(this);
        this.closed = session.newFuture();
        this.openToSend = isLocal;
    }

    // ---- on the event loop

    long id() {
        return id;
    }

    /** Whether the initial credit could be reserved. */
    boolean hasMemory() {
        return heldBytes > 0;
    }

    SessionMetrics.OfVerb metrics() {
        return metrics;
    }

    boolean isLocal() {
        return isLocal;
    }

    /** The stream is in the table of its session. */
    void started(long streamId) {
        id = streamId;
        session.metrics().streamOpened(metrics);
        moved();
        queueIfReady();
    }

    /** One message comes, never a file. */
    void expectMessage() {
        isRequest = true;
    }

    /** The caller has it back with the answer, which may be that the time is over. */
    private boolean copiesContent() {
        return isRequest && isLocal;
    }

    void deadline(Future<?> value) {
        deadline = value;
    }

    private void moved() {
        lastMoveNanos = session.nanoTime();
    }

    long idleNanos(long nowNanos) {
        return nowNanos - lastMoveNanos;
    }

    /** Takes over the frame's payload. */
    void received(Frame frame) throws CorruptFrameException {
        int lengthBytes = frame.lengthBytes();
        boolean last = frame.has(FrameDescriptor.FLAG_END);
        String wrong = null;
        if (frame.has(FrameDescriptor.FLAG_LZ4) && !session.isCompressed()) {
            wrong = "compressed piece was not agreed";
        } else if (frame.has(FrameDescriptor.FLAG_LZ4) && lengthBytes == 0) {
            wrong = "compressed piece is empty";
        } else if (frame.has(FrameDescriptor.FLAG_UNCHECKED) && frame.has(FrameDescriptor.FLAG_LZ4)) {
            wrong = "piece of a file is compressed";
        } else if (frame.has(FrameDescriptor.FLAG_UNCHECKED) && isRequest) {
            wrong = "piece of a message has no checksum";
        } else if (endReceived) {
            wrong = "data after the end of the stream";
        } else if (lengthBytes == 0 && !last && frame.kind() == FrameKind.DATA) {
            wrong = "piece is empty";
        } else if (frame.kind() == FrameKind.DATA && frame.argument() != 0 && !canSayLength(frame)) {
            wrong = "length of a message is out of place, said=" + frame.argument();
        } else if (costBytes(lengthBytes) > grantedBytes - receivedBytes) {
            wrong = "more data than was allowed, allowedBytes=" + (grantedBytes - receivedBytes);
        }
        if (wrong != null) {
            frame.release();
            throw new CorruptFrameException(
                    session.peer(),
                    frame.position(),
                    wrong + ", lengthBytes=" + lengthBytes + ", streamId=" + id + ", verb=" + verb.name());
        }
        moved();
        if (frame.kind() == FrameKind.DATA && frame.argument() != 0) {
            saidBytes = frame.argument();
        }
        metrics.received(lengthBytes);
        receivedBytes += costBytes(lengthBytes);
        endReceived = last;
        inbox.add(frame.payload(), frame.has(FrameDescriptor.FLAG_LZ4), last);
        if (last) {
            consumedBytes += takeUnreported();
            finishIfDone();
        }
    }

    /** Only the first piece, so that the message can be refused, or gets its memory, before anything of it is kept. */
    private boolean canSayLength(Frame frame) {
        return frame.argument() > 0 && frame.lengthBytes() > 0 && receivedBytes == 0;
    }

    void credited(Frame frame) throws CorruptFrameException {
        long grantBytes = Integer.toUnsignedLong(frame.argument());
        if (creditBytes + grantBytes > CREDIT_BYTES_MAX) {
            throw new CorruptFrameException(
                    session.peer(), frame.position(), "credit is out of bounds, creditBytes=" + creditBytes);
        }
        moved();
        creditBytes += grantBytes;
        queueIfReady();
    }

    /** Ends both directions; everything that waits fails. */
    void fail(IOException cause) {
        if (isFinished) {
            return;
        }
        failure = cause;
        List<Outgoing> dropped = List.copyOf(outgoing);
        outgoing.clear();
        inbox.fail(cause);
        finish();
        session.runAside(() -> closed.completeExceptionally(cause));
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

    private void finishIfDone() {
        if (!isFinished && endSent && endReceived && consumedBytes == receivedBytes) {
            finish();
            session.runAside(() -> closed.complete(null));
        }
    }

    private void finish() {
        isFinished = true;
        budget.release(heldBytes);
        heldBytes = 0;
        budget.leave();
        if (deadline != null) {
            deadline.cancel(false);
        }
        if (id != 0) {
            session.metrics().streamEnded(metrics);
        }
        session.forget(this);
    }

    private void enqueue(Outgoing data) {
        if (data.sendableBytes() == 0 && data.isRead() && failure == null && !endWanted) {
            session.runAside(() -> data.done.complete(null));
        } else if (failure != null) {
            session.runAside(() -> data.done.completeExceptionally(failure));
        } else if (endWanted) {
            session.runAside(() -> data.done.completeExceptionally(
                    new IllegalStateException("this direction of the stream has ended, verb=" + verb.name())));
        } else {
            outgoing.add(data);
            queueIfReady();
        }
    }

    private void enqueueEnd(CompletableFuture<Void> done) {
        if (failure != null) {
            session.runAside(() -> done.completeExceptionally(failure));
        } else if (endWanted) {
            session.runAside(() -> done.complete(null));
        } else {
            endWanted = true;
            endDone = done;
            queueIfReady();
        }
    }

    private void queueIfReady() {
        if (!isQueued && id != 0 && isReady()) {
            isQueued = true;
            session.writer().ready(this);
        }
    }

    private boolean isReady() {
        if (isFinished || failure != null) {
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
        Report report = session.reportOf(verb, failed);
        resetNow(endedHere(report.code(), report.message()), report);
    }

    @Override
    public boolean hasSentLittle() {
        return sentBytes < LITTLE_BYTES;
    }

    @Override
    public boolean sendPiece(FrameWriter writer) {
        if (isReady() && hasWholeFile()) {
            sendReadyPiece(writer);
            moved();
        }
        isQueued = isReady();
        boolean again = isQueued;
        finishIfDone();
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
        int lengthBytes = canSendHead
                ? (int) Math.min(Math.min(FrameDescriptor.PIECE_BYTES_MAX, affordableBytes), head.sendableBytes())
                : 0;
        boolean takesHead = canSendHead && lengthBytes == head.sendableBytes() && head.isRead();
        boolean last = endWanted && (head == null || takesHead && outgoing.size() == 1);
        int flags = (last ? FrameDescriptor.FLAG_END : 0)
                | (canSendHead && head.compressed ? FrameDescriptor.FLAG_LZ4 : 0)
                | (canSendHead && head.file != null ? FrameDescriptor.FLAG_UNCHECKED : 0);
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
        metrics.sent(lengthBytes);
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
        if (piece.isDirect() && lengthBytes >= OWN_BUFFER_BYTES_MIN && !copiesContent()) {
            writer.send(writer.header(kind, flags, argument, id, lengthBytes, checksum, 0));
            return writer.send(Unpooled.wrappedBuffer(piece));
        }
        ByteBuf frame = writer.header(kind, flags, argument, id, lengthBytes, checksum, lengthBytes);
        return writer.send(frame.writeBytes(piece));
    }

    private ChannelFuture sendFilePiece(FrameWriter writer, Outgoing head, int flags, int lengthBytes) {
        writer.send(writer.header(FrameKind.DATA, flags, 0, id, lengthBytes, 0, 0));
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

    /** Gives the peer as much credit as the window has room for. */
    private void creditConsumed(long bytes) {
        consumedBytes += bytes;
        if (isFinished) {
            return;
        }
        if (endReceived) {
            finishIfDone();
            return;
        }
        long outstandingBytes = grantedBytes - consumedBytes;
        fitWindow(outstandingBytes);
        assert outstandingBytes >= 0 && outstandingBytes <= heldBytes : outstandingBytes;
        int grantBytes = (int) (heldBytes - outstandingBytes);
        if (grantBytes > 0) {
            grantedBytes += grantBytes;
            session.writer().control(FrameKind.CREDIT, grantBytes, id, EMPTY);
        }
    }

    private void fitWindow(long outstandingBytes) {
        long targetBytes = budget.fairBytes(initialCreditBytes, session.limits().windowBytesMax());
        if (targetBytes > heldBytes && budget.tryReserveSpare(targetBytes - heldBytes)) {
            heldBytes = targetBytes;
        } else if (targetBytes < heldBytes) {
            long keptBytes = Math.max(targetBytes, outstandingBytes);
            budget.release(heldBytes - keptBytes);
            heldBytes = keptBytes;
        }
    }

    // ---- for any thread

    @Override
    public Verb verb() {
        return verb;
    }

    @Override
    public Connection connection() {
        return session;
    }

    @Override
    public CompletableFuture<Void> write(ByteBuffer data) {
        CompletableFuture<Void> done = session.newFuture();
        List<PayloadCodec.Block> blocks = session.codec().blocks(data);
        onLoop(done, () -> {
            for (int i = 0; i < blocks.size(); i++) {
                PayloadCodec.Block block = blocks.get(i);
                boolean last = i == blocks.size() - 1;
                enqueue(new Outgoing(block.bytes(), block.compressed(), last ? done : new CompletableFuture<>()));
            }
        });
        return done;
    }

    @Override
    public CompletableFuture<Void> write(FileChannel file, long position, long lengthBytes) {
        if (position < 0 || lengthBytes < 0) {
            throw new IllegalArgumentException(
                    "part of a file is out of bounds, position=" + position + ", lengthBytes=" + lengthBytes);
        }
        CompletableFuture<Void> done = session.newFuture();
        try {
            SentFile.requireReadable(file, position, lengthBytes);
        } catch (IOException unfit) {
            done.completeExceptionally(unfit);
            return done;
        }
        Outgoing data = session.sendsFiles()
                ? new Outgoing(file, position, lengthBytes, done)
                : new Outgoing(new FileCopy(file, position, lengthBytes), done);
        onLoop(done, () -> enqueue(data));
        return done;
    }

    @Override
    public CompletableFuture<Void> end() {
        CompletableFuture<Void> done = session.newFuture();
        onLoop(done, () -> enqueueEnd(done));
        return done;
    }

    private void onLoop(CompletableFuture<?> done, Runnable work) {
        if (!session.runOnLoop(work)) {
            done.completeExceptionally(
                    session.lost("stream " + verb.name(), session.closeCause().orElse(null)));
        }
    }

    /** Before the stream is started: its whole content, so that it leaves with the opening. */
    void content(ByteBuffer content) {
        expectMessage();
        content(session.codec().blocks(content), content.remaining());
    }

    private void content(List<PayloadCodec.Block> blocks, int lengthBytes) {
        unsaidBytes = lengthBytes;
        for (PayloadCodec.Block block : blocks) {
            if (block.bytes().hasRemaining()) {
                outgoing.add(new Outgoing(block.bytes(), block.compressed(), new CompletableFuture<>()));
            }
        }
        endWanted = true;
        endDone = new CompletableFuture<>();
    }

    @Override
    public CompletableFuture<Boolean> read(PieceConsumer consumer) {
        return inbox.read(consumer, false, false);
    }

    @Override
    public CompletableFuture<Void> readAll(PieceConsumer consumer) {
        return inbox.read(consumer, true, true).thenApply(end -> null);
    }

    @Override
    public CompletableFuture<ByteBuffer> readMessage(int bytesMax) {
        return message(bytesMax)
                .thenApply(message -> {
                    message.release();
                    return message.content();
                })
                .exceptionallyCompose(failed -> CompletableFuture.failedFuture(session.peerFailure(verb, failed)));
    }

    @Override
    public MessageStream messages() {
        return new MessageStream(this, session, budget);
    }

    /** The message with its reservation. */
    private CompletableFuture<MessageBuffer> message(int bytesMax) {
        // An answer is its caller's as soon as it is here: a short one needs no more than what its stream holds anyway.
        MessageBuffer message = new MessageBuffer(budget, bytesMax, isLocal ? initialCreditBytes : 0, () -> saidBytes);
        return inbox.read(message, true, false).handle((end, failed) -> {
            try {
                if (failed != null) {
                    throw failed instanceof CompletionException wrapped ? wrapped : new CompletionException(failed);
                }
                message.requireWhole();
                return message;
            } catch (IOException | RuntimeException | Error unusable) {
                message.release();
                throw unusable instanceof CompletionException wrapped ? wrapped : new CompletionException(unusable);
            }
        });
    }

    /** Answers the one message of a request. */
    void serve(RequestHandler handler) {
        message(session.limits().messageBytesMax())
                .thenCompose(message -> handled(handler, message))
                .whenComplete((answer, failed) -> session.handled())
                .thenAccept(this::answer)
                .exceptionally(failed -> {
                    refuse(failed);
                    return null;
                });
    }

    /** Hands the stream to its handler, which may keep it. */
    void serve(StreamHandler handler) {
        try {
            handler.opened(this);
        } catch (IOException | RuntimeException | Error failed) {
            refuse(failed);
        } finally {
            session.handled();
        }
    }

    /** The whole of this direction: its end goes with the last piece. */
    private void answer(ByteBuffer answer) {
        if (answer == null) {
            reset(PeerException.INTERNAL, "handler gave no response");
            return;
        }
        List<PayloadCodec.Block> blocks = session.codec().blocks(answer);
        int lengthBytes = answer.remaining();
        session.runOnLoop(() -> {
            if (failure == null) {
                content(blocks, lengthBytes);
                queueIfReady();
            }
        });
    }

    /**
     * The message occupies memory until it is handled, or the connection ends: a handler may never answer. Not until the
     * stream ends: a peer that resets its requests would fill the memory with messages that handlers still hold.
     */
    private CompletionStage<ByteBuffer> handled(RequestHandler handler, MessageBuffer message) {
        AtomicBoolean held = new AtomicBoolean(true);
        Runnable release = () -> {
            if (held.getAndSet(false)) {
                message.release();
            }
        };
        Connection.Registration atEnd = session.onClose(release);
        long startNanos = session.nanoTime();
        CompletionStage<ByteBuffer> answering;
        try {
            answering = handler.handle(session, message.content());
        } catch (IOException | RuntimeException | Error thrown) {
            answering = CompletableFuture.failedFuture(thrown);
        }
        if (answering == null) {
            answering = CompletableFuture.completedFuture(null);
        }
        return answering.whenComplete((answer, failed) -> {
            release.run();
            atEnd.close();
            metrics.served(session.nanoTime() - startNanos);
        });
    }

    /** Resets with what the failure says. */
    void refuse(Throwable failed) {
        Report report = session.reportOf(verb, failed);
        reset(report.code(), report.message());
    }

    @Override
    public void reset(String code, String message) {
        PeerException cause = endedHere(Codes.check(code), message);
        session.runOnLoop(() -> resetNow(cause, new Report(0, code, message)));
    }

    private PeerException endedHere(String code, String message) {
        return new PeerException(
                session.peer(), "stream " + verb.name(), code, "this side ended the stream, " + message);
    }

    /** On the event loop. */
    void resetNow(IOException cause, Report report) {
        if (!isFinished) {
            boolean wasOpened = id != 0 && !openToSend;
            fail(cause);
            if (wasOpened) {
                session.metrics().resetSent(report.code());
                session.writer().control(FrameKind.RESET, 0, id, report.encode());
            }
        }
    }

    @Override
    public CompletableFuture<Void> closed() {
        return closed.copy();
    }

    // ---- for the inbox

    @Override
    public void consumed(int bytes) {
        synchronized (consumedLock) {
            unreportedBytes += bytes;
            // Half a window at once; every byte once the end is here, for the stream is done with the last.
            if (!inbox.hasEnd() && 2 * unreportedBytes < heldBytes) {
                return;
            }
        }
        session.runOnLoop(() -> creditConsumed(takeUnreported()));
    }

    private long takeUnreported() {
        synchronized (consumedLock) {
            long bytes = unreportedBytes;
            unreportedBytes = 0;
            return bytes;
        }
    }

    @Override
    public void consumerFailed(Exception failed) {
        refuse(failed);
    }

    @Override
    public void runAside(Runnable work) {
        session.runAside(work);
    }

    @Override
    public void runAsideLater(Runnable work) {
        session.runAsideLater(work);
    }

    @Override
    public ByteBuf plain(ByteBuf block) throws CorruptFrameException {
        try {
            return session.codec().plain(block);
        } catch (CorruptFrameException corrupt) {
            session.runOnLoop(() -> session.end(corrupt));
            throw corrupt;
        }
    }

    @Override
    public <T> CompletableFuture<T> newFuture() {
        return session.newFuture();
    }
}
