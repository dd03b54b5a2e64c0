package io.anneal.net;

import io.anneal.io.UnsupportedVersionException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Speaks the {@link Handshake} over a fresh connection and then makes room for the session. Anything else than the
 * expected frame ends the connection, and so does the time limit.
 */
final class HandshakeHandler extends ChannelInboundHandlerAdapter {
    private enum State {
        AWAIT_HELLO,
        AWAIT_PROOF,
        DONE
    }

    /** Who waits for the end of the handshake. */
    interface Listener {
        /** The peer has proven itself; what this throws refuses it. */
        default void proven(Agreement agreement) throws PeerException {}

        void established(Session session);

        void failed(IOException cause);
    }

    private final Handshake.Role role;
    private final Handshake handshake;
    private final Wire wire;
    private final NetConfig config;
    private final Function<Agreement, Session> sessions;
    private final Listener listener;

    private State state = State.AWAIT_HELLO;
    private Agreement agreement;
    private Future<?> deadline;

    HandshakeHandler(
            Handshake.Role role,
            Handshake handshake,
            Wire wire,
            NetConfig config,
            Function<Agreement, Session> sessions,
            Listener listener) {
        this.role = role;
        this.handshake = handshake;
        this.wire = wire;
        this.config = config;
        this.sessions = sessions;
        this.listener = listener;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        long timeoutMs = config.timeouts().handshakeMs();
        deadline = ctx.executor()
                .schedule(
                        () -> fail(new PeerException(
                                wire.peer(), Handshake.STEP, PeerException.HANDSHAKE_TIMEOUT, tooSlow(timeoutMs))),
                        timeoutMs,
                        TimeUnit.MILLISECONDS);
        if (role == Handshake.Role.CLIENT) {
            sendHello();
        }
    }

    private String tooSlow(long timeoutMs) {
        String reason = wire.decoder().hasFrame()
                ? "peer is slow: its handshake was not finished in time"
                : "peer does not speak the anneal protocol or hangs, seen="
                        + wire.decoder().seen();
        return reason + ", timeoutMs=" + timeoutMs;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        Frame frame = (Frame) message;
        try {
            switch (frame.kind()) {
                case HELLO -> hello(frame);
                case PROOF -> proof(ctx, frame);
                case GOODBYE -> fail(wire.causeOf(frame, Handshake.STEP));
                default -> throw outOfTurn(frame);
            }
        } catch (CorruptFrameException | UnsupportedVersionException | PeerException refused) {
            fail(refused);
        } finally {
            frame.release();
        }
    }

    private void hello(Frame frame) throws CorruptFrameException, UnsupportedVersionException, PeerException {
        if (state != State.AWAIT_HELLO) {
            throw outOfTurn(frame);
        }
        // Before judging: so the client can name our versions too.
        if (role == Handshake.Role.SERVER) {
            sendHello();
        }
        agreement = handshake.accept(frame);
        if (config.tls().isPresent()) {
            TlsLink.checkName(
                    wire.channel().pipeline(),
                    role,
                    wire.peer(),
                    wire.address(),
                    agreement.peerNode().nodeId());
        }
        if (role == Handshake.Role.CLIENT) {
            sendProof();
        }
        state = State.AWAIT_PROOF;
    }

    private void proof(ChannelHandlerContext ctx, Frame frame) throws CorruptFrameException, PeerException {
        if (state != State.AWAIT_PROOF) {
            throw outOfTurn(frame);
        }
        handshake.verify(frame);
        listener.proven(agreement);

        state = State.DONE;
        deadline.cancel(false);
        wire.decoder().proven();
        Session session = sessions.apply(agreement);
        ctx.pipeline().replace(this, null, session);
        if (role == Handshake.Role.SERVER) {
            sendProof();
        }
        listener.established(session);
    }

    private void sendHello() {
        wire.writer().control(FrameKind.HELLO, 0, 0, ByteBuffer.wrap(handshake.helloBytes()));
    }

    private void sendProof() {
        wire.writer().control(FrameKind.PROOF, 0, 0, ByteBuffer.wrap(handshake.proof()));
    }

    private CorruptFrameException outOfTurn(Frame frame) {
        return new CorruptFrameException(
                wire.peer(),
                frame.position(),
                "frame is out of turn, kind=" + frame.kind() + ", step=" + Handshake.STEP);
    }

    /** Refuses the connection for a reason of ours. */
    void fail(IOException cause) {
        if (state == State.DONE) {
            return;
        }
        state = State.DONE;
        if (deadline != null) {
            deadline.cancel(false);
        }
        wire.end(cause);
        listener.failed(cause);
    }

    void displace(int unprovenConnectionsMax) {
        fail(new PeerException(
                wire.peer(),
                Handshake.STEP,
                PeerException.TOO_MANY_CONNECTIONS,
                "server had more connections in their handshake than it allows, and this was the oldest of the address"
                        + " with the most, max="
                        + unprovenConnectionsMax));
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        String seen = wire.decoder().seen();
        if (wire.decoder().hasFrame()) {
            fail(closed(PeerException.PEER_LOST, "peer closed the connection during the handshake"));
        } else if (seen.isEmpty()) {
            // A node that is going down does so, too: worth another try.
            fail(closed(
                    PeerException.PEER_LOST,
                    "peer closed the connection before it said anything: it is going down, or does not speak the"
                            + " anneal protocol"));
        } else {
            fail(closed(
                    PeerException.NOT_ANNEAL,
                    "peer does not speak the anneal protocol: it closed the connection, seen=" + seen));
        }
    }

    private PeerException closed(String code, String reason) {
        return new PeerException(wire.peer(), Handshake.STEP, code, reason);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof CorruptFrameException
                || cause instanceof UnsupportedVersionException
                || cause instanceof PeerException) {
            fail((IOException) cause);
        } else {
            fail(new PeerException(
                    wire.peer(),
                    Handshake.STEP,
                    PeerException.PEER_LOST,
                    "connection failed, seen=" + wire.decoder().seen(),
                    cause));
        }
    }
}
