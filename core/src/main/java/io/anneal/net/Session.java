package io.anneal.net;

import io.anneal.environment.FutureFailure;
import io.anneal.io.ByteBudget;
import io.anneal.io.UnsupportedVersionException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.util.collection.LongObjectHashMap;
import io.netty.util.collection.LongObjectMap;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An established connection: its streams, signs of life, its end and the callbacks at its end. Frames arrive on the event
 * loop, to which the table of streams belongs; the methods of {@link Connection} may be called by any thread.
 */
final class Session extends ChannelInboundHandlerAdapter implements Connection {
    private static final Logger LOG = LoggerFactory.getLogger(Session.class);
    private static final String STEP = "session";
    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);
    /** Streams are looked at so often in the time that they may be idle. */
    private static final int IDLE_CHECKS = 4;
    /** Argument of a DRAIN: this side has no streams left, and there will be none. */
    private static final int DRAINED = 1;

    private final Wire wire;
    private final Agreement agreement;
    private final NetConfig config;
    private final VerbHandlers handlers;
    private final BiConsumer<Session, IOException> onEnd;
    private final PayloadCodec codec;
    private final Object closeLock = new Object();
    private final Set<Runnable> closeCallbacks = new LinkedHashSet<>();
    private final CompletableFuture<Void> ended;

    private final LongObjectMap<MultiplexedStream> streams = new LongObjectHashMap<>();
    /** Streams to be read whose pieces came in the read that is under way: one hand-over for all of them. */
    private final List<Runnable> afterRead = new ArrayList<>();

    private long nextStreamId;
    private long lastPeerStreamId;
    private int localCount;
    /** Streams of the peer whose handlers are not done yet; a stream that is reset keeps its place until they are. */
    private final AtomicInteger handling = new AtomicInteger();

    private boolean draining;
    private boolean peerDrains;
    private boolean saidDrained;
    private boolean peerIsDrained;
    private Future<?> idleCheck;
    /** Set before anybody else sees the session. */
    private SessionMetrics metrics = SessionMetrics.NONE;

    private volatile IOException endCause;
    private int silentPeriods;
    private long receivedBytesAtSilence = -1;

    Session(
            Wire wire,
            Handshake.Role role,
            Agreement agreement,
            NetConfig config,
            VerbHandlers handlers,
            BiConsumer<Session, IOException> onEnd) {
        this.wire = wire;
        this.agreement = agreement;
        this.config = config;
        this.handlers = handlers;
        this.onEnd = onEnd;
        this.codec = new PayloadCodec(wire.peer(), agreement, config);
        this.ended = wire.transport().newFuture();
        this.nextStreamId = role == Handshake.Role.CLIENT ? 1 : 2;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        config.metrics()
                .ifPresent(all -> metrics = all.connected(agreement.peerNode().nodeId(), wire.traffic()));
        checkIdleLater();
    }

    String peer() {
        return wire.peer();
    }

    Agreement agreement() {
        return agreement;
    }

    NetLimits limits() {
        return config.limits();
    }

    PayloadCodec codec() {
        return codec;
    }

    FrameWriter writer() {
        return wire.writer();
    }

    SessionMetrics metrics() {
        return metrics;
    }

    long nanoTime() {
        return wire.nanoTime();
    }

    boolean sendsFiles() {
        return config.tls().isEmpty();
    }

    <T> CompletableFuture<T> newFuture() {
        return wire.transport().newFuture();
    }

    /** Leaves the event loop. */
    void runAside(Runnable work) {
        handlers.run(work);
    }

    /** Leaves the event loop when it has read what the socket has; on the event loop. */
    void runAsideLater(Runnable work) {
        afterRead.add(work);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        leaveLoop();
    }

    private void leaveLoop() {
        afterRead.forEach(this::runAside);
        afterRead.clear();
    }

    /** Runs work on the event loop; false if it runs no more. */
    boolean runOnLoop(Runnable work) {
        try {
            wire.channel().eventLoop().execute(() -> guard(work));
            return true;
        } catch (RejectedExecutionException shutDown) {
            return false;
        }
    }

    /** A mistake of this side ends the connection: nobody may wait for what was to come. */
    private void guard(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | Error mistake) {
            failed(mistake);
        }
    }

    /** Runs work after so long, not on the event loop; false if nothing runs any more. */
    boolean runLater(Runnable work, long delayMs) {
        try {
            wire.channel().eventLoop().schedule(() -> runAside(work), delayMs, TimeUnit.MILLISECONDS);
            return true;
        } catch (RejectedExecutionException shutDown) {
            return false;
        }
    }

    // ---- streams

    @Override
    public PeerStream open(Verb verb) {
        Objects.requireNonNull(verb, "verb");
        MultiplexedStream stream = newStream(verb, true);
        start(stream, 0);
        return stream;
    }

    @Override
    public CompletableFuture<ByteBuffer> request(Verb verb, ByteBuffer content) {
        return request(verb, content, config.timeouts().requestMs());
    }

    @Override
    public CompletableFuture<ByteBuffer> request(Verb verb, ByteBuffer content, long timeoutMs) {
        Objects.requireNonNull(verb, "verb");
        Objects.requireNonNull(content, "content");
        if (timeoutMs < 1) {
            throw new IllegalArgumentException("time limit must be positive, timeoutMs=" + timeoutMs);
        }
        MultiplexedStream stream = newStream(verb, true);
        stream.content(content);
        CompletableFuture<ByteBuffer> answer =
                stream.metrics().asked(stream.readMessage(limits().messageBytesMax()), this::nanoTime);
        start(stream, timeoutMs);
        return answer;
    }

    /** Without memory for its first credit the stream fails when it is started. */
    private MultiplexedStream newStream(Verb verb, boolean isLocal) {
        ByteBudget budget = config.budget();
        int creditBytes = limits().initialCreditBytes();
        budget.join();
        return new MultiplexedStream(this, verb, isLocal, budget, budget.tryReserve(creditBytes) ? creditBytes : 0);
    }

    private void start(MultiplexedStream stream, long timeoutMs) {
        if (!runOnLoop(() -> startNow(stream, timeoutMs))) {
            stream.fail(failure(stream.verb(), PeerException.CLOSED, "the network of this side is closed", null));
        }
    }

    private void startNow(MultiplexedStream stream, long timeoutMs) {
        Verb verb = stream.verb();
        if (endCause != null) {
            stream.fail(lost("request " + verb.name(), endCause));
        } else if (draining || peerDrains) {
            stream.fail(failure(verb, PeerException.CLOSED, "the connection comes to its end: no new streams", null));
        } else if (localCount >= agreement.peerStreamsMax()) {
            stream.fail(failure(
                    verb,
                    PeerException.TOO_MANY_STREAMS,
                    "more streams than the peer takes, max=" + agreement.peerStreamsMax(),
                    null));
        } else if (!stream.hasMemory()) {
            stream.fail(failure(verb, PeerException.BUSY, noMemory(), null));
        } else {
            long id = nextStreamId;
            nextStreamId += 2;
            localCount++;
            streams.put(id, stream);
            if (timeoutMs > 0) {
                stream.deadline(wire.channel()
                        .eventLoop()
                        .schedule(() -> guard(() -> expire(stream, timeoutMs)), timeoutMs, TimeUnit.MILLISECONDS));
            }
            stream.started(id);
        }
    }

    private String noMemory() {
        return "no memory for another stream now, try again later, budgetBytes="
                + config.budget().totalBytes();
    }

    private void expire(MultiplexedStream stream, long timeoutMs) {
        String reason = "no response in time, timeoutMs=" + timeoutMs;
        stream.resetNow(
                failure(stream.verb(), PeerException.REQUEST_TIMEOUT, reason, null),
                new Report(0, PeerException.REQUEST_TIMEOUT, reason));
    }

    /** The stream is over; on the event loop. */
    void forget(MultiplexedStream stream) {
        if (streams.remove(stream.id()) != null && stream.isLocal()) {
            localCount--;
        }
        closeIfDrained();
    }

    private void opened(Frame frame) throws CorruptFrameException {
        long id = frame.streamId();
        if (id <= lastPeerStreamId || (id & 1) == (nextStreamId & 1)) {
            frame.release();
            throw corrupt(frame, "stream is opened out of turn, last=" + lastPeerStreamId);
        }
        lastPeerStreamId = id;
        Optional<VerbHandlers.Registered> registered = handlers.registered(frame.argument());
        if (draining || peerDrains) {
            refuse(frame, PeerException.CLOSED, "the connection comes to its end: no new streams");
        } else if (registered.isEmpty()) {
            metrics.receivedUnknown(frame.lengthBytes());
            refuse(frame, PeerException.UNKNOWN_VERB, "no handler for this verb, verb=" + frame.argument());
        } else if (Math.max(streams.size() - localCount, handling.get()) >= limits().streamsMax()) {
            refuse(frame, PeerException.TOO_MANY_STREAMS, "more streams than agreed, max=" + limits().streamsMax());
        } else {
            serve(frame, registered.get());
        }
    }

    private void serve(Frame frame, VerbHandlers.Registered registered) throws CorruptFrameException {
        MultiplexedStream stream = newStream(registered.verb(), false);
        if (!stream.hasMemory()) {
            stream.fail(failure(registered.verb(), PeerException.BUSY, noMemory(), null));
            refuse(frame, PeerException.BUSY, noMemory());
            return;
        }
        if (registered.isRequest()) {
            stream.expectMessage();
        }
        streams.put(frame.streamId(), stream);
        stream.started(frame.streamId());
        stream.received(frame);
        handling.incrementAndGet();
        if (!handlers.offer(() -> registered.service().serve(stream))) {
            handled();
            stream.refuse(new RejectedExecutionException("executor takes no work"));
        }
    }

    /** A handler is done with its stream, as far as it holds up anybody. */
    void handled() {
        int left = handling.decrementAndGet();
        assert left >= 0 : left;
    }

    private void refuse(Frame frame, String code, String message) {
        frame.release();
        metrics.resetSent(code);
        writer().control(FrameKind.RESET, 0, frame.streamId(), new Report(0, code, message).encode());
    }

    /** What a peer is told of a failure here. */
    Report reportOf(Verb verb, Throwable failure) {
        Throwable cause = FutureFailure.cause(failure);
        if (cause instanceof RequestException refused) {
            return new Report(0, refused.code(), String.valueOf(refused.getMessage()));
        }
        if (cause instanceof RejectedExecutionException) {
            return new Report(0, PeerException.OVERLOADED, "peer takes no more work");
        }
        // A stream that the peer has reset, or lost, is no failure of this side.
        if (isOpen() && !(cause instanceof PeerException)) {
            LOG.warn("stream failed, verb={}, peer={}", verb.name(), peer(), cause);
        }
        return new Report(0, PeerException.INTERNAL, String.valueOf(cause));
    }

    /** What this side refuses of a message, told as what the peer refuses is. */
    Throwable peerFailure(Verb verb, Throwable failure) {
        Throwable cause = FutureFailure.cause(failure);
        return cause instanceof RequestException refused
                ? failure(verb, refused.code(), refused.getMessage(), refused)
                : cause;
    }

    private void checkIdleLater() {
        long periodMs = Math.max(1, config.timeouts().streamIdleMs() / IDLE_CHECKS);
        idleCheck = wire.channel().eventLoop().schedule(() -> guard(this::checkIdle), periodMs, TimeUnit.MILLISECONDS);
    }

    private void checkIdle() {
        if (endCause != null) {
            return;
        }
        long nowNanos = nanoTime();
        long idleNanosMax = TimeUnit.MILLISECONDS.toNanos(config.timeouts().streamIdleMs());
        for (MultiplexedStream stream : List.copyOf(streams.values())) {
            if (stream.idleNanos(nowNanos) > idleNanosMax) {
                String reason = "nothing moved on the stream, timeoutMs="
                        + config.timeouts().streamIdleMs();
                stream.resetNow(
                        failure(stream.verb(), PeerException.STREAM_IDLE, reason, null),
                        new Report(0, PeerException.STREAM_IDLE, reason));
            }
        }
        checkIdleLater();
    }

    // ---- frames

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        Frame frame = (Frame) message;
        if (endCause != null) {
            frame.release();
            return;
        }
        try {
            checkShape(frame);
            switch (frame.kind()) {
                case OPEN -> opened(frame);
                case DATA -> data(frame);
                default -> {
                    try {
                        control(frame);
                    } finally {
                        frame.release();
                    }
                }
            }
        } catch (CorruptFrameException corrupt) {
            end(corrupt);
        }
    }

    /** What a kind has no use for must be zero: later versions may give it a meaning. */
    private void checkShape(Frame frame) throws CorruptFrameException {
        boolean hasPieces = frame.kind() == FrameKind.OPEN || frame.kind() == FrameKind.DATA;
        boolean hasArgument = hasPieces
                || frame.kind() == FrameKind.CREDIT
                || frame.kind() == FrameKind.DRAIN && frame.argument() == DRAINED;
        boolean hasStream = hasPieces || frame.kind() == FrameKind.CREDIT || frame.kind() == FrameKind.RESET;
        boolean hasPayload = hasPieces || frame.kind() == FrameKind.RESET || frame.kind() == FrameKind.GOODBYE;
        boolean right = (hasPieces || frame.flags() == 0)
                && (hasArgument || frame.argument() == 0)
                && (frame.kind() != FrameKind.CREDIT || frame.argument() != 0)
                && (hasStream ? frame.streamId() > 0 : frame.streamId() == 0)
                && (hasPayload || frame.lengthBytes() == 0);
        // A frame of the handshake is out of turn, whatever its shape.
        if (!right && frame.kind() != FrameKind.HELLO && frame.kind() != FrameKind.PROOF) {
            int lengthBytes = frame.lengthBytes();
            frame.release();
            throw corrupt(
                    frame,
                    "frame has another shape, kind=" + frame.kind() + ", flags=" + frame.flags() + ", argument="
                            + frame.argument() + ", lengthBytes=" + lengthBytes);
        }
    }

    private void control(Frame frame) throws CorruptFrameException {
        switch (frame.kind()) {
            case CREDIT -> {
                MultiplexedStream stream = stream(frame);
                if (stream != null) {
                    stream.credited(frame);
                }
            }
            case RESET -> {
                MultiplexedStream stream = stream(frame);
                if (stream != null) {
                    Report report = Report.decode(peer(), frame);
                    metrics.resetReceived(report.code());
                    stream.fail(failure(
                            stream.verb(),
                            report.code(),
                            "the peer answered with an error, message=" + report.message(),
                            null));
                }
            }
            case PING -> writer().control(FrameKind.PONG, 0, 0, EMPTY);
            case PONG -> {}
            case DRAIN -> {
                drained(frame);
            }
            case GOODBYE -> {
                IOException cause = wire.causeOf(frame, STEP);
                wire.channel().close();
                finish(cause);
            }
            default -> throw corrupt(frame, "frame is out of turn, kind=" + frame.kind() + ", step=" + STEP);
        }
    }

    /** Each side asks at most once, and once it says that it has no streams left, after one of both has asked. */
    private void drained(Frame frame) throws CorruptFrameException {
        boolean saysDrained = frame.argument() == DRAINED;
        if (saysDrained ? peerIsDrained || !draining && !peerDrains : peerDrains) {
            throw corrupt(frame, "drain is out of turn, argument=" + frame.argument());
        }
        peerIsDrained |= saysDrained;
        peerDrains |= !saysDrained;
        closeIfDrained();
    }

    private void data(Frame frame) throws CorruptFrameException {
        MultiplexedStream stream;
        try {
            stream = stream(frame);
        } catch (CorruptFrameException unknown) {
            frame.release();
            throw unknown;
        }
        if (stream == null) {
            frame.release();
        } else {
            stream.received(frame);
        }
    }

    /** The stream of the frame; nothing if it is over already, which the peer could not know. */
    private MultiplexedStream stream(Frame frame) throws CorruptFrameException {
        MultiplexedStream stream = streams.get(frame.streamId());
        if (stream == null) {
            boolean isLocal = (frame.streamId() & 1) == (nextStreamId & 1);
            if (frame.streamId() <= 0 || frame.streamId() >= (isLocal ? nextStreamId : lastPeerStreamId + 1)) {
                throw corrupt(frame, "stream was never opened, kind=" + frame.kind());
            }
        }
        return stream;
    }

    private CorruptFrameException corrupt(Frame frame, String reason) {
        return new CorruptFrameException(peer(), frame.position(), reason + ", streamId=" + frame.streamId());
    }

    private PeerException failure(Verb verb, String code, String reason, Throwable cause) {
        return new PeerException(peer(), "request " + verb.name(), code, reason, cause);
    }

    /** Wrong bytes keep their type; everything else names the step that it hit. */
    IOException lost(String step, Throwable cause) {
        if (cause instanceof CorruptFrameException corrupt) {
            return corrupt;
        }
        String code = cause instanceof PeerException peerFailure ? peerFailure.code() : PeerException.PEER_LOST;
        return new PeerException(peer(), step, code, "connection ended before the peer answered", cause);
    }

    // ---- signs of life

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof IdleStateEvent) {
            silent();
        }
    }

    private void silent() {
        long receivedBytes = wire.traffic().receivedBytes();
        boolean listening = wire.channel().config().isAutoRead();
        if (receivedBytes != receivedBytesAtSilence || !listening) {
            receivedBytesAtSilence = receivedBytes;
            silentPeriods = 0;
        }
        if (++silentPeriods >= Wire.SILENT_PERIODS_MAX) {
            end(new PeerException(peer(), STEP, PeerException.PEER_LOST, "peer is silent"));
        } else {
            writer().control(FrameKind.PING, 0, 0, EMPTY);
        }
    }

    // ---- the end

    @Override
    public CompletableFuture<Void> drain() {
        boolean runs = runOnLoop(() -> {
            if (!draining && endCause == null) {
                draining = true;
                writer().control(FrameKind.DRAIN, 0, 0, EMPTY);
                closeIfDrained();
            }
        });
        if (!runs) {
            finish(closedHere());
        }
        return ended.copy();
    }

    /** Each side says when its streams are over, which means read to the end; then the one that asked for it closes. */
    private void closeIfDrained() {
        if (!draining && !peerDrains || !streams.isEmpty() || endCause != null) {
            return;
        }
        if (!saidDrained) {
            saidDrained = true;
            writer().control(FrameKind.DRAIN, DRAINED, 0, EMPTY);
        }
        if (draining && peerIsDrained) {
            end(closedHere());
        }
    }

    private PeerException closedHere() {
        return new PeerException(peer(), STEP, PeerException.CLOSED, "connection was closed");
    }

    /** Ends the connection for the first cause that is given; on the event loop. */
    void end(IOException cause) {
        if (endCause == null) {
            try {
                wire.end(cause);
            } finally {
                finish(cause);
            }
        }
    }

    /** At once, not when the socket is closed: who waits for an answer waits no longer than needed. */
    private void finish(IOException cause) {
        if (endCause != null) {
            return;
        }
        List<Runnable> callbacks;
        synchronized (closeLock) {
            endCause = cause;
            callbacks = List.copyOf(closeCallbacks);
            closeCallbacks.clear();
        }
        idleCheck.cancel(false);
        for (MultiplexedStream stream : new ArrayList<>(streams.values())) {
            try {
                stream.fail(lost("request " + stream.verb().name(), cause));
            } catch (RuntimeException mistake) {
                LOG.warn(
                        "stream has not ended in good order, verb={}, peer={}",
                        stream.verb().name(),
                        peer(),
                        mistake);
            }
        }
        metrics.ended(cause);
        onEnd.accept(this, cause);
        callbacks.forEach(this::runAside);
        runAside(() -> ended.complete(null));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        failed(cause);
    }

    private void failed(Throwable cause) {
        if (cause instanceof CorruptFrameException
                || cause instanceof PeerException
                || cause instanceof UnsupportedVersionException) {
            end((IOException) cause);
        } else {
            String code = cause instanceof IOException ? PeerException.PEER_LOST : PeerException.INTERNAL;
            end(new PeerException(peer(), STEP, code, "connection failed, reason=" + cause, cause));
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        leaveLoop();
        String cut = wire.decoder().insideFrame() ? " in the middle of a frame" : "";
        finish(new PeerException(peer(), STEP, PeerException.PEER_LOST, "peer closed the connection" + cut));
    }

    @Override
    public Registration onClose(Runnable callback) {
        Runnable own = callback::run;
        synchronized (closeLock) {
            if (endCause == null) {
                closeCallbacks.add(own);
                return () -> {
                    synchronized (closeLock) {
                        closeCallbacks.remove(own);
                    }
                };
            }
        }
        runAside(own);
        return () -> {};
    }

    /** Whether nothing is left of what was done over the connection; on any thread. */
    boolean isEmpty() {
        CompletableFuture<Boolean> empty = newFuture();
        runOnLoop(() -> empty.complete(streams.isEmpty() && localCount == 0));
        synchronized (closeLock) {
            return closeCallbacks.isEmpty() && empty.join();
        }
    }

    @Override
    public boolean isOpen() {
        return endCause == null;
    }

    @Override
    public Optional<IOException> closeCause() {
        IOException cause = endCause;
        boolean inGoodOrder =
                cause instanceof PeerException peerFailure && peerFailure.code().equals(PeerException.CLOSED);
        return inGoodOrder ? Optional.empty() : Optional.ofNullable(cause);
    }

    @Override
    public void close() {
        if (!runOnLoop(() -> end(closedHere()))) {
            finish(closedHere());
        }
    }

    /** Drains all, and waits for that in all so long. */
    static void drainAll(Collection<Session> sessions, Transport transport, long timeoutMs) {
        sessions.forEach(Session::drain);
        long startNanos = -1;
        for (Session session : sessions) {
            long nowNanos = session.nanoTime();
            startNanos = startNanos < 0 ? nowNanos : startNanos;
            long leftMs = timeoutMs - TimeUnit.NANOSECONDS.toMillis(nowNanos - startNanos);
            transport.await(session.wire.channel().closeFuture(), Math.max(0, leftMs));
        }
    }

    /** Closes all, and waits for their sockets. */
    static void closeAll(Collection<Session> sessions, Transport transport, long timeoutMs) {
        sessions.forEach(Session::close);
        for (Session session : sessions) {
            transport.await(session.wire.channel().closeFuture(), timeoutMs);
        }
    }

    // ---- facts

    @Override
    public InetSocketAddress address() {
        return wire.address();
    }

    @Override
    public NodeIdentity node() {
        return agreement.peerNode();
    }

    @Override
    public int wireVersion() {
        return agreement.wireVersion();
    }

    @Override
    public int encodingVersion() {
        return agreement.encodingVersion();
    }

    @Override
    public boolean isCompressed() {
        return agreement.lz4();
    }

    @Override
    public long bytesSent() {
        return wire.traffic().sentBytes();
    }

    @Override
    public long bytesReceived() {
        return wire.traffic().receivedBytes();
    }
}
