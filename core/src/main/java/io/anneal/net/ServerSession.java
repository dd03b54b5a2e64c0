package io.anneal.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The answering side. A request holds its place and its bytes until its answer is on the wire; while too much is
 * held, the socket is not read, so a fast peer waits and memory stays bounded.
 */
final class ServerSession extends PeerSession {
    private static final Logger LOG = LoggerFactory.getLogger(ServerSession.class);

    private final RequestHandlers handlers;
    private final NetLimits limits;
    private final BiConsumer<ServerSession, IOException> onEnd;

    private int requestsHeld;
    private long bytesHeld;

    ServerSession(
            Wire wire,
            Agreement agreement,
            NetConfig config,
            RequestHandlers handlers,
            BiConsumer<ServerSession, IOException> onEnd) {
        super(wire, agreement, config, handlers.executor());
        this.handlers = handlers;
        this.limits = config.limits();
        this.onEnd = onEnd;
    }

    @Override
    void frame(Frame frame) throws CorruptFrameException {
        if (frame.kind() != FrameKind.REQUEST) {
            throw outOfTurn(frame);
        }
        if (requestsHeld >= limits.requestsInFlightMax()) {
            refuse(
                    frame,
                    PeerException.TOO_MANY_REQUESTS,
                    "more requests in flight than agreed, max=" + limits.requestsInFlightMax());
            return;
        }
        Optional<RequestHandlers.Registration> registration = handlers.registration(frame.verb());
        if (registration.isEmpty()) {
            refuse(frame, PeerException.UNKNOWN_VERB, "no handler for this verb, verb=" + frame.verb());
            return;
        }
        hold(1, frame.payload().length);
        dispatch(frame, registration.get());
    }

    /** The chain is complete before the handler starts, so nothing of it can run here once the handler has finished. */
    private void dispatch(Frame frame, RequestHandlers.Registration registration) {
        CompletableFuture<Frame> arrived = new CompletableFuture<>();
        arrived.thenComposeAsync(request -> handle(request, registration.handler()), handlers.executor())
                .whenComplete((response, failure) -> answer(frame, registration.verb(), response, failure));
        arrived.complete(frame);
    }

    private CompletionStage<ByteBuffer> handle(Frame frame, RequestHandler handler) {
        try {
            return handler.handle(this, codec().decode(frame));
        } catch (CorruptFrameException corrupt) {
            runOnLoop(() -> end(corrupt));
            return CompletableFuture.failedFuture(corrupt);
        }
    }

    /** On whatever thread the handler has finished. */
    private void answer(Frame frame, Verb verb, ByteBuffer response, Throwable failure) {
        FrameKind kind = FrameKind.ERROR;
        ByteBuffer payload;
        if (failure != null) {
            payload = reportOf(verb, failure).encode();
        } else if (response == null) {
            payload = new Report(0, PeerException.INTERNAL, "handler gave no response").encode();
        } else if (response.remaining() > payloadBytesMax()) {
            payload = new Report(
                            0,
                            PeerException.RESPONSE_TOO_LARGE,
                            "response is longer than the caller takes, lengthBytes=" + response.remaining() + ", max="
                                    + payloadBytesMax())
                    .encode();
        } else {
            kind = FrameKind.RESPONSE;
            payload = response;
        }
        int requestBytes = frame.payload().length;
        int responseBytes = payload.remaining();
        OutboundFrame answer =
                codec().encode(kind, frame.verb(), frame.streamId(), payload, () -> hold(-1, -responseBytes));
        runOnLoop(() -> {
            hold(0, responseBytes - requestBytes);
            wire().outbound().offer(answer);
        });
    }

    private Report reportOf(Verb verb, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof RequestException refused) {
            return new Report(0, refused.code(), String.valueOf(refused.getMessage()));
        }
        if (cause instanceof RejectedExecutionException) {
            return new Report(0, PeerException.OVERLOADED, "peer takes no more work");
        }
        LOG.warn("request failed, verb={}, peer={}", verb.name(), wire().peer(), cause);
        return new Report(0, PeerException.INTERNAL, String.valueOf(cause));
    }

    private void refuse(Frame frame, String code, String message) {
        ByteBuffer payload = new Report(0, code, message).encode();
        wire().outbound()
                .offer(OutboundFrame.of(
                        FrameKind.ERROR, 0, frame.verb(), frame.streamId(), payload, OutboundFrame.NOTHING));
        readOrPause();
    }

    private void hold(int requests, int bytes) {
        requestsHeld += requests;
        bytesHeld += bytes;
        readOrPause();
    }

    private void readOrPause() {
        boolean crowded =
                bytesHeld > limits.inboundBytesMax() || wire().outbound().full();
        if (isOpen()) {
            wire().channel().config().setAutoRead(!crowded);
        }
    }

    @Override
    void ended(IOException cause) {
        onEnd.accept(this, cause);
    }
}
