package io.anneal.net;

import io.anneal.io.ByteBudget;
import io.netty.util.collection.LongObjectHashMap;
import io.netty.util.collection.LongObjectMap;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The streams of a connection: which there are, whether either side may open another, which of them nothing moves on, and
 * when the last one is over, for a connection that comes to its end in good order. On the event loop, unless said otherwise.
 */
final class SessionStreams {
    private static final Logger LOG = LoggerFactory.getLogger(SessionStreams.class);
    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);
    /** Streams are looked at so often in the time that they may be idle. */
    private static final int IDLE_CHECKS = 4;
    /** Argument of a DRAIN: this side has no streams left, and there will be none. */
    static final int DRAINED = 1;

    private final Session session;
    private final Wire wire;
    private final int peerStreamsMax;
    private final NetConfig config;
    private final VerbHandlers handlers;
    private final LongObjectMap<MultiplexedStream> streams = new LongObjectHashMap<>();
    /** Streams of the peer whose handlers are not done yet; a stream that is reset keeps its place until they are. */
    private final AtomicInteger handling = new AtomicInteger();

    private long nextStreamId;
    private long lastPeerStreamId;
    private int localCount;
    private boolean draining;
    private boolean peerDrains;
    private boolean saidDrained;
    private boolean peerIsDrained;
    private Future<?> idleCheck;

    /** @param peerStreamsMax how many streams of this side the peer takes at a time */
    SessionStreams(
            Session session,
            Wire wire,
            Handshake.Role role,
            int peerStreamsMax,
            NetConfig config,
            VerbHandlers handlers) {
        this.session = session;
        this.wire = wire;
        this.peerStreamsMax = peerStreamsMax;
        this.config = config;
        this.handlers = handlers;
        nextStreamId = role == Handshake.Role.CLIENT ? 1 : 2;
    }

    /** A stream that is not started yet; without memory for its first credit it fails when it is. Any thread. */
    MultiplexedStream create(Verb verb, boolean isLocal) {
        ByteBudget budget = config.budget();
        int creditBytes = config.limits().initialCreditBytes();
        budget.join();
        return new MultiplexedStream(session, verb, isLocal, budget, budget.tryReserve(creditBytes) ? creditBytes : 0);
    }

    /** Opens a stream to the peer, or fails it. */
    void start(MultiplexedStream stream, long timeoutMs) {
        Verb verb = stream.verb();
        if (!session.isOpen()) {
            stream.fail(session.lost("request " + verb.name(), session.endCause()));
        } else if (draining || peerDrains) {
            stream.fail(session.failure(
                    verb, PeerException.CLOSED, "the connection comes to its end: no new streams", null));
        } else if (localCount >= peerStreamsMax) {
            stream.fail(session.failure(
                    verb,
                    PeerException.TOO_MANY_STREAMS,
                    "more streams than the peer takes, max=" + peerStreamsMax,
                    null));
        } else if (!stream.hasMemory()) {
            stream.fail(session.failure(verb, PeerException.BUSY, noMemory(), null));
        } else {
            long id = nextStreamId;
            nextStreamId += 2;
            localCount++;
            streams.put(id, stream);
            if (timeoutMs > 0) {
                stream.deadline(wire.channel()
                        .eventLoop()
                        .schedule(
                                () -> session.guard(() -> expire(stream, timeoutMs)),
                                timeoutMs,
                                TimeUnit.MILLISECONDS));
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
                session.failure(stream.verb(), PeerException.REQUEST_TIMEOUT, reason, null),
                new Report(0, PeerException.REQUEST_TIMEOUT, reason));
    }

    /** The stream is over. */
    void forget(MultiplexedStream stream) {
        if (streams.remove(stream.id()) != null && stream.isLocal()) {
            localCount--;
        }
        closeIfDrained();
    }

    /** The peer opens a stream. */
    void opened(Frame frame) throws CorruptFrameException {
        long id = frame.streamId();
        if (id <= lastPeerStreamId || (id & 1) == (nextStreamId & 1)) {
            frame.release();
            throw session.corrupt(frame, "stream is opened out of turn, last=" + lastPeerStreamId);
        }
        lastPeerStreamId = id;
        Optional<VerbHandlers.Registered> registered = handlers.registered(frame.argument());
        if (draining || peerDrains) {
            refuse(frame, PeerException.CLOSED, "the connection comes to its end: no new streams");
        } else if (registered.isEmpty()) {
            session.metrics().receivedUnknown(frame.lengthBytes());
            refuse(frame, PeerException.UNKNOWN_VERB, "no handler for this verb, verb=" + frame.argument());
        } else if (Math.max(streams.size() - localCount, handling.get())
                >= config.limits().streamsMax()) {
            refuse(
                    frame,
                    PeerException.TOO_MANY_STREAMS,
                    "more streams than agreed, max=" + config.limits().streamsMax());
        } else {
            serve(frame, registered.get());
        }
    }

    private void serve(Frame frame, VerbHandlers.Registered registered) throws CorruptFrameException {
        MultiplexedStream stream = create(registered.verb(), false);
        if (!stream.hasMemory()) {
            stream.fail(session.failure(registered.verb(), PeerException.BUSY, noMemory(), null));
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

    /** A handler is done with its stream, as far as it holds up anybody. Any thread. */
    void handled() {
        int left = handling.decrementAndGet();
        assert left >= 0 : left;
    }

    private void refuse(Frame frame, String code, String message) {
        frame.release();
        session.metrics().resetSent(code);
        session.writer().control(FrameKind.RESET, 0, frame.streamId(), new Report(0, code, message).encode());
    }

    /** Each side asks at most once, and once it says that it has no streams left, after one of both has asked. */
    void drained(Frame frame) throws CorruptFrameException {
        boolean saysDrained = frame.argument() == DRAINED;
        if (saysDrained ? peerIsDrained || !draining && !peerDrains : peerDrains) {
            throw session.corrupt(frame, "drain is out of turn, argument=" + frame.argument());
        }
        peerIsDrained |= saysDrained;
        peerDrains |= !saysDrained;
        closeIfDrained();
    }

    /** Asks the peer to come to the end. */
    void drain() {
        if (!draining && session.isOpen()) {
            draining = true;
            session.writer().control(FrameKind.DRAIN, 0, 0, EMPTY);
            closeIfDrained();
        }
    }

    /** Each side says when its streams are over, which means read to the end; then the one that asked for it closes. */
    private void closeIfDrained() {
        if (!draining && !peerDrains || !streams.isEmpty() || !session.isOpen()) {
            return;
        }
        if (!saidDrained) {
            saidDrained = true;
            session.writer().control(FrameKind.DRAIN, DRAINED, 0, EMPTY);
        }
        if (draining && peerIsDrained) {
            session.end(session.closedHere());
        }
    }

    /** The stream of the frame; nothing if it is over already, which the peer could not know. */
    MultiplexedStream of(Frame frame) throws CorruptFrameException {
        MultiplexedStream stream = streams.get(frame.streamId());
        if (stream == null) {
            boolean isLocal = (frame.streamId() & 1) == (nextStreamId & 1);
            if (frame.streamId() <= 0 || frame.streamId() >= (isLocal ? nextStreamId : lastPeerStreamId + 1)) {
                throw session.corrupt(frame, "stream was never opened, kind=" + frame.kind());
            }
        }
        return stream;
    }

    void checkIdleLater() {
        long periodMs = Math.max(1, config.timeouts().streamIdleMs() / IDLE_CHECKS);
        idleCheck = wire.channel()
                .eventLoop()
                .schedule(() -> session.guard(this::checkIdle), periodMs, TimeUnit.MILLISECONDS);
    }

    private void checkIdle() {
        if (!session.isOpen()) {
            return;
        }
        long idleNanosMax = TimeUnit.MILLISECONDS.toNanos(config.timeouts().streamIdleMs());
        for (MultiplexedStream stream : List.copyOf(streams.values())) {
            if (stream.idleNanos() > idleNanosMax) {
                String reason = "nothing moved on the stream, timeoutMs="
                        + config.timeouts().streamIdleMs();
                stream.resetNow(
                        session.failure(stream.verb(), PeerException.STREAM_IDLE, reason, null),
                        new Report(0, PeerException.STREAM_IDLE, reason));
            }
        }
        checkIdleLater();
    }

    /** The connection has ended. */
    void failAll(IOException cause) {
        idleCheck.cancel(false);
        for (MultiplexedStream stream : new ArrayList<>(streams.values())) {
            try {
                stream.fail(session.lost("request " + stream.verb().name(), cause));
            } catch (RuntimeException mistake) {
                LOG.warn(
                        "stream has not ended in good order, verb={}, peer={}",
                        stream.verb().name(),
                        session.peer(),
                        mistake);
            }
        }
    }

    /** Whether there are none. */
    boolean isEmpty() {
        return streams.isEmpty() && localCount == 0;
    }
}
