package io.anneal.net;

import io.anneal.io.ByteBudget;
import io.anneal.io.InputFile;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One stream of a {@link Session}. Its state belongs to the event loop of the connection; the public methods hand their
 * work to it. What it sends waits in its {@link Outbox}, what the peer may send ahead is its {@link ReceiveWindow}, and what
 * has come waits in its {@link Inbox}.
 */
final class MultiplexedStream implements PeerStream, Inbox.Owner {
    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    private final Session session;
    private final Verb verb;
    private final SessionMetrics.OfVerb metrics;
    private final boolean isLocal;
    private final ByteBudget budget;
    private final Inbox inbox;
    private final ReceiveWindow window;
    private final CompletableFuture<Void> closed;
    private final Outbox outbox;

    private long id;
    private boolean isRequest;

    private boolean endReceived;
    private volatile long lastMoveNanos;

    private boolean isFinished;
    private IOException failure;
    private Future<?> deadline;

    /** Length of the peer's message as its first frame says it; 0 if it does not. */
    private volatile int saidBytes;

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
        this.outbox = new Outbox(session, verb, this, isLocal);
        this.inbox = new Inbox(this);
        this.window = new ReceiveWindow(budget, session.limits(), heldBytes, inbox::hasEnd);
        this.closed = session.newFuture();
    }

    // ---- on the event loop

    long id() {
        return id;
    }

    /** Whether the initial credit could be reserved. */
    boolean hasMemory() {
        return window.hasMemory();
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
        outbox.queueIfReady();
    }

    /** One message comes, never a file. */
    void expectMessage() {
        isRequest = true;
    }

    /** The caller has it back with the answer, which may be that the time is over. */
    boolean copiesContent() {
        return isRequest && isLocal;
    }

    void deadline(Future<?> value) {
        deadline = value;
    }

    void moved() {
        lastMoveNanos = session.nanoTime();
    }

    boolean isFinished() {
        return isFinished;
    }

    /** What the stream failed with, null if it has not. */
    IOException failure() {
        return failure;
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
        } else if (FrameDescriptor.costBytes(lengthBytes) > window.allowedBytes()) {
            wrong = "more data than was allowed, allowedBytes=" + window.allowedBytes();
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
        window.received(FrameDescriptor.costBytes(lengthBytes));
        endReceived = last;
        inbox.add(frame.payload(), frame.has(FrameDescriptor.FLAG_LZ4), last);
        if (last) {
            window.takeConsumed();
            finishIfDone();
        }
    }

    /** Only the first piece, so that the message can be refused, or gets its memory, before anything of it is kept. */
    private boolean canSayLength(Frame frame) {
        return frame.argument() > 0 && frame.lengthBytes() > 0 && window.isUnused();
    }

    void credited(Frame frame) throws CorruptFrameException {
        outbox.credited(frame);
    }

    /** A file of this side cannot be sent to its end: the peer learns that nothing more comes. */
    void brokeOff(Throwable failed) {
        Report report = session.reportOf(verb, failed);
        resetNow(endedHere(report.code(), report.message()), report);
    }

    /** Ends both directions; everything that waits fails. */
    void fail(IOException cause) {
        if (isFinished) {
            return;
        }
        failure = cause;
        inbox.fail(cause);
        finish();
        session.runAside(() -> closed.completeExceptionally(cause));
        outbox.fail(cause);
    }

    void finishIfDone() {
        if (!isFinished && outbox.isEndSent() && endReceived && window.isConsumed()) {
            finish();
            session.runAside(() -> closed.complete(null));
        }
    }

    private void finish() {
        isFinished = true;
        window.close();
        if (deadline != null) {
            deadline.cancel(false);
        }
        if (id != 0) {
            session.metrics().streamEnded(metrics);
        }
        session.streams().forget(this);
    }

    /** Gives the peer as much credit as the window has room for. */
    private void creditConsumed() {
        window.takeConsumed();
        if (isFinished) {
            return;
        }
        if (endReceived) {
            finishIfDone();
            return;
        }
        int grantBytes = window.grant();
        if (grantBytes > 0) {
            session.writer().control(FrameKind.CREDIT, grantBytes, id, EMPTY);
        }
    }

    // ---- for any thread

    @Override
    public Verb verb() {
        return verb;
    }

    @Override
    public long idleNanos() {
        return session.nanoTime() - lastMoveNanos;
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
                outbox.add(new Outgoing(block.bytes(), block.compressed(), last ? done : new CompletableFuture<>()));
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
        // The transport takes the descriptor out of the object without a look at what it is.
        Outgoing data = InputFile.platform(file)
                .filter(own -> session.sendsFiles())
                .map(own -> new Outgoing(own, position, lengthBytes, done))
                .orElseGet(() -> new Outgoing(new FileCopy(file, position, lengthBytes), done));
        onLoop(done, () -> outbox.add(data));
        return done;
    }

    @Override
    public CompletableFuture<Void> end() {
        CompletableFuture<Void> done = session.newFuture();
        onLoop(done, () -> outbox.end(done));
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
        outbox.content(session.codec().blocks(content), content.remaining());
    }

    @Override
    public CompletableFuture<Boolean> read(PieceConsumer consumer) {
        return inbox.read(consumer, false, false);
    }

    @Override
    public boolean readHere(PieceConsumer consumer) throws IOException {
        return readHere(consumer, () -> {});
    }

    /** @param check ends the wait by what it throws */
    boolean readHere(PieceConsumer consumer, Waiting.Check check) throws IOException {
        Waiting.result(inbox.arrival(), check);
        return Waiting.result(read(consumer));
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
        MessageBuffer message = new MessageBuffer(
                budget, bytesMax, isLocal ? session.limits().initialCreditBytes() : 0, () -> saidBytes);
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
                .whenComplete((answer, failed) -> session.streams().handled())
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
            session.streams().handled();
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
                outbox.content(blocks, lengthBytes);
                outbox.queueIfReady();
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
            boolean wasOpened = id != 0 && outbox.isOpened();
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
        if (window.consumed(bytes)) {
            session.runOnLoop(this::creditConsumed);
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
    public void runLater(Runnable work) {
        session.runLater(work);
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
