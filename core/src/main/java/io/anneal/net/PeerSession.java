package io.anneal.net;

import io.anneal.io.UnsupportedVersionException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.timeout.IdleStateEvent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * An established connection: signs of life, its end and the callbacks at its end. What a request or a response means
 * is the subclass's. Frames arrive on the event loop; the methods of {@link PeerContext} may be called by any thread.
 */
abstract class PeerSession extends ChannelInboundHandlerAdapter implements PeerContext {
    private static final String STEP = "session";

    private final Wire wire;
    private final Agreement agreement;
    private final Executor executor;
    private final PayloadCodec codec;
    private final Object closeLock = new Object();
    private final List<Runnable> closeCallbacks = new ArrayList<>();

    private boolean ended;
    private volatile IOException endCause;
    private int silentPeriods;
    private long receivedBytesAtSilence = -1;

    PeerSession(Wire wire, Agreement agreement, NetConfig config, Executor executor) {
        this.wire = wire;
        this.agreement = agreement;
        this.executor = executor;
        this.codec = new PayloadCodec(wire.peer(), agreement, config);
    }

    /** A frame that is not the session's own business. */
    abstract void frame(Frame frame) throws CorruptFrameException;

    /** The connection is of no more use, though its socket may take a moment to close; once, on the event loop. */
    abstract void ended(IOException cause);

    final Wire wire() {
        return wire;
    }

    final Agreement agreement() {
        return agreement;
    }

    final PayloadCodec codec() {
        return codec;
    }

    /** Leaves the event loop. */
    final void runAside(Runnable work) {
        try {
            executor.execute(work);
        } catch (RejectedExecutionException shutDown) {
            // The executor is gone, the work is the last word of a request or of the connection: here, or never.
            work.run();
        }
    }

    /** Runs work on the event loop; false if it runs no more. */
    final boolean runOnLoop(Runnable work) {
        try {
            wire.channel().eventLoop().execute(work);
            return true;
        } catch (RejectedExecutionException shutDown) {
            return false;
        }
    }

    /** Ends the connection for the first cause that is given; on the event loop. */
    final void end(IOException cause) {
        if (endCause == null) {
            wire.end(cause);
            finish(cause);
        }
    }

    /** At once, not when the socket is closed: who waits for an answer waits no longer than needed. */
    private void finish(IOException cause) {
        if (endCause != null) {
            return;
        }
        endCause = cause;
        List<Runnable> callbacks;
        synchronized (closeLock) {
            ended = true;
            callbacks = List.copyOf(closeCallbacks);
            closeCallbacks.clear();
        }
        ended(cause);
        callbacks.forEach(this::runAside);
    }

    @Override
    public final void channelRead(ChannelHandlerContext ctx, Object message) {
        Frame frame = (Frame) message;
        try {
            switch (frame.kind()) {
                case PING -> wire.outbound().offer(OutboundFrame.control(FrameKind.PONG));
                case PONG -> {}
                case GOODBYE -> goodbye(frame);
                case HELLO, PROOF -> throw outOfTurn(frame);
                default -> frame(frame);
            }
        } catch (CorruptFrameException corrupt) {
            end(corrupt);
        }
    }

    private void goodbye(Frame frame) {
        IOException cause = wire.causeOf(frame, STEP);
        wire.channel().close();
        finish(cause);
    }

    final CorruptFrameException outOfTurn(Frame frame) {
        return new CorruptFrameException(
                wire.peer(), frame.position(), "frame is out of turn, kind=" + frame.kind() + ", step=" + STEP);
    }

    @Override
    public final void userEventTriggered(ChannelHandlerContext ctx, Object event) {
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
            end(new PeerException(wire.peer(), STEP, PeerException.PEER_LOST, "peer is silent"));
        } else {
            wire.outbound().offer(OutboundFrame.control(FrameKind.PING));
        }
    }

    @Override
    public final void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof CorruptFrameException
                || cause instanceof PeerException
                || cause instanceof UnsupportedVersionException) {
            end((IOException) cause);
        } else {
            String code = cause instanceof IOException ? PeerException.PEER_LOST : PeerException.INTERNAL;
            end(new PeerException(wire.peer(), STEP, code, "connection failed", cause));
        }
    }

    @Override
    public final void channelInactive(ChannelHandlerContext ctx) {
        String cut = wire.decoder().insideFrame() ? " in the middle of a frame" : "";
        finish(new PeerException(wire.peer(), STEP, PeerException.PEER_LOST, "peer closed the connection" + cut));
    }

    @Override
    public final void onClose(Runnable callback) {
        synchronized (closeLock) {
            if (!ended) {
                closeCallbacks.add(callback);
                return;
            }
        }
        runAside(callback);
    }

    @Override
    public final boolean isOpen() {
        return endCause == null;
    }

    @Override
    public final Optional<IOException> closeCause() {
        IOException cause = endCause;
        boolean inGoodOrder =
                cause instanceof PeerException peerFailure && peerFailure.code().equals(PeerException.CLOSED);
        return inGoodOrder ? Optional.empty() : Optional.ofNullable(cause);
    }

    @Override
    public final void close() {
        runOnLoop(() -> end(new PeerException(wire.peer(), STEP, PeerException.CLOSED, "connection was closed")));
    }

    /** Closes them in good order and waits for that, but on an event loop, which must not wait for itself. */
    static void closeAll(Iterable<PeerSession> sessions, Transport transport, long timeoutMs) {
        sessions.forEach(PeerSession::close);
        for (PeerSession session : sessions) {
            transport.await(session.wire.channel().closeFuture(), timeoutMs);
        }
    }

    @Override
    public final InetSocketAddress address() {
        return wire.address();
    }

    @Override
    public final NodeIdentity node() {
        return agreement.peerNode();
    }

    @Override
    public final int wireVersion() {
        return agreement.wireVersion();
    }

    @Override
    public final int encodingVersion() {
        return agreement.encodingVersion();
    }

    @Override
    public final boolean compressed() {
        return agreement.lz4();
    }

    @Override
    public final int payloadBytesMax() {
        return agreement.peerPayloadBytesMax();
    }

    @Override
    public final long bytesSent() {
        return wire.traffic().sentBytes();
    }

    @Override
    public final long bytesReceived() {
        return wire.traffic().receivedBytes();
    }
}
