package io.anneal.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The calling side: requests that wait for their answer. The table of them belongs to the event loop. */
final class ClientSession extends PeerSession implements Connection {
    private record Pending(Verb verb, CompletableFuture<Response> future, Future<?> deadline) {}

    private final long requestTimeoutMs;
    private final int inFlightMax;
    private final Semaphore inFlight;
    private final AtomicLong streamIds = new AtomicLong();
    private final Map<Long, Pending> pendings = new HashMap<>();

    private IOException endCause;

    ClientSession(Wire wire, Agreement agreement, NetConfig config, Executor executor) {
        super(wire, agreement, config, executor);
        this.requestTimeoutMs = config.timeouts().requestMs();
        this.inFlightMax = Math.min(config.limits().requestsInFlightMax(), agreement.peerRequestsInFlightMax());
        this.inFlight = new Semaphore(inFlightMax);
    }

    @Override
    public CompletableFuture<Response> request(Verb verb, ByteBuffer payload) {
        return request(verb, payload, requestTimeoutMs);
    }

    @Override
    public CompletableFuture<Response> request(Verb verb, ByteBuffer payload, long timeoutMs) {
        if (timeoutMs < 1) {
            throw new IllegalArgumentException("time limit must be positive, timeoutMs=" + timeoutMs);
        }
        if (payload.remaining() > payloadBytesMax()) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException("payload is longer than the peer takes, lengthBytes="
                            + payload.remaining() + ", max=" + payloadBytesMax() + ", verb=" + verb.name() + ", peer="
                            + wire().peer()));
        }
        if (!inFlight.tryAcquire()) {
            return CompletableFuture.failedFuture(failure(
                    verb,
                    PeerException.TOO_MANY_REQUESTS,
                    "more requests in flight than agreed, max=" + inFlightMax,
                    null));
        }
        long streamId = streamIds.incrementAndGet();
        OutboundFrame frame =
                codec().encode(FrameKind.REQUEST, verb.number(), streamId, payload, OutboundFrame.NOTHING);
        if (!wire().outbound().tryReserve(frame.lengthBytes())) {
            inFlight.release();
            return CompletableFuture.failedFuture(
                    failure(verb, PeerException.OUTBOUND_FULL, "too many bytes wait to be sent", null));
        }
        CompletableFuture<Response> future = wire().transport().newFuture();
        if (!runOnLoop(() -> send(verb, streamId, frame, future, timeoutMs))) {
            inFlight.release();
            wire().outbound().release(frame.lengthBytes());
            future.completeExceptionally(failure(verb, PeerException.CLOSED, "client is closed", null));
        }
        return future;
    }

    private void send(
            Verb verb, long streamId, OutboundFrame frame, CompletableFuture<Response> future, long timeoutMs) {
        if (endCause != null) {
            inFlight.release();
            wire().outbound().release(frame.lengthBytes());
            runAside(() -> future.completeExceptionally(lost(verb, endCause)));
            return;
        }
        Future<?> deadline = wire().channel()
                .eventLoop()
                .schedule(() -> expire(streamId, timeoutMs), timeoutMs, TimeUnit.MILLISECONDS);
        pendings.put(streamId, new Pending(verb, future, deadline));
        wire().outbound().offerReserved(frame);
    }

    private void expire(long streamId, long timeoutMs) {
        Pending pending = pendings.get(streamId);
        if (pending != null) {
            forget(streamId, pending);
            PeerException late = failure(
                    pending.verb(), PeerException.REQUEST_TIMEOUT, "no response in time, timeoutMs=" + timeoutMs, null);
            runAside(() -> pending.future().completeExceptionally(late));
        }
    }

    private void forget(long streamId, Pending pending) {
        pendings.remove(streamId);
        pending.deadline().cancel(false);
        inFlight.release();
    }

    @Override
    void frame(Frame frame) throws CorruptFrameException {
        if (frame.kind() == FrameKind.REQUEST) {
            throw outOfTurn(frame);
        }
        Pending pending = pendings.get(frame.streamId());
        if (pending == null) {
            if (frame.streamId() <= 0 || frame.streamId() > streamIds.get()) {
                throw new CorruptFrameException(
                        wire().peer(), frame.position(), "response to no request, streamId=" + frame.streamId());
            }
            return; // Its time was over: the request has failed already.
        }
        if (frame.verb() != pending.verb().number()) {
            throw new CorruptFrameException(
                    wire().peer(),
                    frame.position(),
                    "response has another verb, found=" + frame.verb() + ", asked="
                            + pending.verb().number());
        }
        forget(frame.streamId(), pending);
        runAside(() -> complete(pending, frame));
    }

    private void complete(Pending pending, Frame frame) {
        try {
            if (frame.kind() == FrameKind.RESPONSE) {
                pending.future().complete(new Response(pending.verb(), codec().decode(frame)));
            } else {
                Report report = Report.decode(wire().peer(), frame);
                pending.future()
                        .completeExceptionally(failure(
                                pending.verb(),
                                report.code(),
                                "the peer answered with an error, message=" + report.message(),
                                null));
            }
        } catch (CorruptFrameException corrupt) {
            runOnLoop(() -> end(corrupt));
            pending.future().completeExceptionally(corrupt);
        }
    }

    @Override
    void ended(IOException cause) {
        endCause = cause;
        for (Map.Entry<Long, Pending> entry : List.copyOf(pendings.entrySet())) {
            Pending pending = entry.getValue();
            forget(entry.getKey(), pending);
            runAside(() -> pending.future().completeExceptionally(lost(pending.verb(), cause)));
        }
    }

    /** Wrong bytes keep their type; everything else names the request that it hit. */
    private IOException lost(Verb verb, IOException cause) {
        if (cause instanceof CorruptFrameException) {
            return cause;
        }
        String code = cause instanceof PeerException peerFailure ? peerFailure.code() : PeerException.PEER_LOST;
        return failure(verb, code, "connection ended before the peer answered", cause);
    }

    private PeerException failure(Verb verb, String code, String reason, Throwable cause) {
        return new PeerException(wire().peer(), "request " + verb.name(), code, reason, cause);
    }
}
