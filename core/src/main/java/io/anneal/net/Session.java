package io.anneal.net;

import io.anneal.environment.FutureFailure;
import io.anneal.io.UnsupportedVersionException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.timeout.IdleStateEvent;
import java.io.IOException;
import java.io.InterruptedIOException;
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
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An established connection: signs of life, its end and the callbacks at its end; its streams are {@link SessionStreams}.
 * Frames arrive on the event loop, to which the streams belong; the methods of {@link Connection} may be called by any thread.
 */
final class Session extends ChannelInboundHandlerAdapter implements Connection {
    private static final Logger LOG = LoggerFactory.getLogger(Session.class);
    private static final String STEP = "session";
    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    private final Wire wire;
    private final Agreement agreement;
    private final NetConfig config;
    private final VerbHandlers handlers;
    private final BiConsumer<Session, IOException> onEnd;
    private final PayloadCodec codec;
    private final Object closeLock = new Object();
    private final Set<Runnable> closeCallbacks = new LinkedHashSet<>();
    private final CompletableFuture<Void> ended;

    private final SessionStreams streams;
    /** Streams to be read whose pieces came in the read that is under way: one hand-over for all of them. */
    private final List<Runnable> afterRead = new ArrayList<>();

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
        this.streams = new SessionStreams(this, wire, role, agreement.peerStreamsMax(), config, handlers);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        config.metrics()
                .ifPresent(all -> metrics = all.connected(agreement.peerNode().nodeId(), wire.traffic()));
        streams.checkIdleLater();
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

    long requestMs() {
        return config.timeouts().requestMs();
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
        runLater(() -> runAside(work));
    }

    /** Stays on the event loop, but waits until that has read what the socket has; on the event loop. */
    void runLater(Runnable work) {
        afterRead.add(work);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        leaveLoop();
    }

    private void leaveLoop() {
        afterRead.forEach(Runnable::run);
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
    void guard(Runnable work) {
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

    /** The streams, for what they do on the event loop. */
    SessionStreams streams() {
        return streams;
    }

    // ---- streams

    @Override
    public PeerStream open(Verb verb) {
        Objects.requireNonNull(verb, "verb");
        MultiplexedStream stream = streams.create(verb, true);
        start(stream, 0);
        return stream;
    }

    @Override
    public CompletableFuture<ByteBuffer> request(Verb verb, ByteBuffer content) {
        return request(verb, content, requestMs());
    }

    @Override
    public CompletableFuture<ByteBuffer> request(Verb verb, ByteBuffer content, long timeoutMs) {
        Objects.requireNonNull(verb, "verb");
        Objects.requireNonNull(content, "content");
        if (timeoutMs < 1) {
            throw new IllegalArgumentException("time limit must be positive, timeoutMs=" + timeoutMs);
        }
        MultiplexedStream stream = streams.create(verb, true);
        stream.content(content);
        CompletableFuture<ByteBuffer> answer =
                stream.metrics().asked(stream.readMessage(limits().messageBytesMax()), this::nanoTime);
        start(stream, timeoutMs);
        return answer;
    }

    private void start(MultiplexedStream stream, long timeoutMs) {
        if (!runOnLoop(() -> streams.start(stream, timeoutMs))) {
            stream.fail(failure(stream.verb(), PeerException.CLOSED_HERE, "the network of this side is closed", null));
        }
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
            logFailure(verb, cause);
        }
        return new Report(0, PeerException.INTERNAL, String.valueOf(cause));
    }

    private void logFailure(Verb verb, Throwable cause) {
        if (cause instanceof InterruptedIOException) {
            LOG.debug("stream was interrupted, verb={}, peer={}", verb.name(), peer(), cause);
        } else if (cause instanceof IOException) {
            // A full disk, a damaged file: it says what is wrong.
            LOG.warn("stream failed, verb={}, peer={}, reason={}", verb.name(), peer(), cause.getMessage());
            LOG.debug("stream failed, verb={}, peer={}", verb.name(), peer(), cause);
        } else {
            LOG.warn("stream failed, verb={}, peer={}", verb.name(), peer(), cause);
        }
    }

    /** What this side refuses of a message, told as what the peer refuses is. */
    Throwable peerFailure(Verb verb, Throwable failure) {
        Throwable cause = FutureFailure.cause(failure);
        return cause instanceof RequestException refused
                ? failure(verb, refused.code(), refused.getMessage(), refused)
                : cause;
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
            FrameShape.check(peer(), frame);
            switch (frame.kind()) {
                case OPEN -> streams.opened(frame);
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

    private void control(Frame frame) throws CorruptFrameException {
        switch (frame.kind()) {
            case CREDIT -> {
                MultiplexedStream stream = streams.of(frame);
                if (stream != null) {
                    stream.credited(frame);
                }
            }
            case RESET -> {
                MultiplexedStream stream = streams.of(frame);
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
            case DRAIN -> streams.drained(frame);
            case GOODBYE -> {
                IOException cause = wire.causeOf(frame, STEP);
                wire.channel().close();
                finish(cause);
            }
            default -> throw corrupt(frame, "frame is out of turn, kind=" + frame.kind() + ", step=" + STEP);
        }
    }

    private void data(Frame frame) throws CorruptFrameException {
        MultiplexedStream stream;
        try {
            stream = streams.of(frame);
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

    CorruptFrameException corrupt(Frame frame, String reason) {
        return new CorruptFrameException(peer(), frame.position(), reason + ", streamId=" + frame.streamId());
    }

    PeerException failure(Verb verb, String code, String reason, Throwable cause) {
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
        if (!runOnLoop(streams::drain)) {
            finish(closedHere());
        }
        return ended.copy();
    }

    PeerException closedHere() {
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
        streams.failAll(cause);
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
        runOnLoop(() -> empty.complete(streams.isEmpty()));
        synchronized (closeLock) {
            return closeCallbacks.isEmpty() && empty.join();
        }
    }

    @Override
    public boolean isOpen() {
        return endCause == null;
    }

    /** What has ended it; null while it is open. */
    IOException endCause() {
        return endCause;
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
