package io.anneal.repair;

import com.google.common.util.concurrent.MoreExecutors;
import io.anneal.environment.FutureFailure;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.key.RingPosition;
import io.anneal.net.Connection;
import io.anneal.net.RequestException;
import io.anneal.net.Verb;
import io.anneal.net.VerbHandlers;
import io.anneal.node.ReplicaSource;
import io.anneal.repair.message.Contents;
import io.anneal.repair.message.OpenSession;
import io.anneal.repair.message.Phase;
import io.anneal.repair.message.RepairVerb;
import io.anneal.repair.message.SessionTerms;
import io.anneal.repair.message.Texts;
import io.anneal.schema.InvalidValueException;
import io.anneal.schema.SchemaException;
import io.anneal.schema.UnsupportedTypeException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The follower's side of repair on a server: sessions by id, each a {@link LocalParticipant} whose steps run one after the
 * other on the executor handed in. A session ends with its peer's connection. At most so many sessions as the memory
 * budget has row buffers for; one more is answered with {@link #BUSY}. Safe for any thread.
 */
public final class RepairService {
    private static final Logger LOG = LoggerFactory.getLogger(RepairService.class);

    /** Code of the answer to a master when no memory is left for another session. */
    public static final String BUSY = "busy";
    /** Code of the answer to bytes that are no message. */
    public static final String MALFORMED = "malformed";
    /** Code of the answer when the replica's table cannot take part, or cannot be read or written any more; the text says why. */
    public static final String REFUSED = "refused";
    /** Code of the answer to a message of a session that is not open here. */
    public static final String NO_SESSION = "no-session";
    /** Code of the answer to a message or a row buffer that is larger than allowed. */
    public static final String TOO_LARGE = "too-large";

    /** Prefix components in a boundary at most; no table has so many clustering columns. */
    private static final int CLUSTERING_COLUMNS_MAX = 2048;

    /** A session as its connection sees it. */
    private record Session(UUID id, Connection peer, LocalParticipant replica, Connection.Registration atEnd) {}

    /** Answers the whole content of one verb. */
    private interface Answer {
        CompletableFuture<byte[]> to(Session session, ByteReader content);
    }

    private final ReplicaSource tables;
    private final Executor executor;
    private final int sessionsMax;
    private final Map<UUID, Session> sessions = new ConcurrentHashMap<>();

    /**
     * @param executor runs the sessions' steps, which read and write files; it belongs to the caller
     * @param sessionsMax sessions that the memory budget allows
     */
    public RepairService(ReplicaSource tables, Executor executor, int sessionsMax) {
        this.tables = tables;
        this.executor = executor;
        this.sessionsMax = sessionsMax;
    }

    /** Registers the verbs of a follower. */
    public void register(VerbHandlers handlers) {
        handle(handlers, RepairVerb.OPEN, this::open);
        handle(handlers, RepairVerb.AGREE, (session, in) -> empty(session.replica.agree(SessionTerms.decode(in))));
        handle(handlers, RepairVerb.PART, (session, in) -> empty(session.replica.startPart(Contents.readRange(in))));
        handle(
                handlers,
                RepairVerb.FILL,
                (session, in) -> encoded(session.replica.fill(), (vote, out) -> vote.encode(out)));
        handle(
                handlers,
                RepairVerb.WINDOW,
                (session, in) -> encoded(
                        session.replica.window(RingPosition.decode(in, CLUSTERING_COLUMNS_MAX)),
                        (summary, out) -> summary.encode(out)));
        handle(
                handlers,
                RepairVerb.SUMMARY,
                (session, in) -> encoded(session.replica.summary(), (summary, out) -> summary.encode(out)));
        handle(
                handlers,
                RepairVerb.HASHES,
                (session, in) -> encoded(session.replica.hashes(Contents.readPhase(in)), Contents::write));
        handle(handlers, RepairVerb.FETCH, (session, in) -> {
            Phase phase = Contents.readPhase(in);
            int roomBytes = in.readInt();
            return session.replica.fetch(phase, Contents.readHashes(in), roomBytes);
        });
        handle(handlers, RepairVerb.PLACES, (session, in) -> session.replica.places(Contents.readHashes(in)));
        handle(handlers, RepairVerb.PUSH, (session, in) -> session.replica.push(in.readBytes(in.remainingBytes())));
        handle(handlers, RepairVerb.FINISH, this::finish);
    }

    private void handle(VerbHandlers handlers, Verb verb, Answer answer) {
        handlers.register(verb, (peer, request) -> {
            ByteReader in = reader(request);
            try {
                return take(peer, verb, in, answer);
            } catch (ByteUnderflowException | IllegalArgumentException malformed) {
                throw malformed(verb, malformed);
            }
        });
    }

    private static RequestException malformed(Verb verb, RuntimeException cause) {
        return new RequestException(
                MALFORMED, "message is malformed, verb=" + verb.name() + ", cause=" + cause.getMessage());
    }

    private CompletionStage<ByteBuffer> take(Connection peer, Verb verb, ByteReader in, Answer answer)
            throws RequestException {
        UUID id = Texts.readId(in);
        Session session = verb.equals(RepairVerb.OPEN) ? sessionToOpen(peer, id) : session(peer, id);
        return answer.to(session, in)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(refused(verb, failure)))
                .thenApply(ByteBuffer::wrap);
    }

    /** What the replica says of its table and its files in its own words; anything else is a bug, which the log tells. */
    private static Throwable refused(Verb verb, Throwable failure) {
        Throwable cause = FutureFailure.cause(failure);
        boolean isRefusal = cause instanceof IOException
                || cause instanceof IllegalStateException
                || cause instanceof SchemaException
                || cause instanceof UnsupportedTypeException
                || cause instanceof InvalidValueException;
        if (!isRefusal || cause instanceof RequestException) {
            return cause;
        }
        LOG.warn("repair step refused, verb={}, cause={}", verb.name(), cause.toString());
        LOG.debug("repair step refused, verb={}", verb.name(), cause);
        // The message of a file system's exception without reason is only the path.
        boolean bare = cause instanceof FileSystemException file && file.getReason() == null;
        return new RequestException(
                REFUSED, bare || cause.getMessage() == null ? cause.toString() : cause.getMessage());
    }

    private static ByteReader reader(ByteBuffer request) {
        return new ByteReader().wrap(request);
    }

    private Session session(Connection peer, UUID id) throws RequestException {
        Session session = sessions.get(id);
        if (session == null || session.peer != peer) {
            throw new RequestException(NO_SESSION, "repair session is not open on this connection, session=" + id);
        }
        return session;
    }

    private synchronized Session sessionToOpen(Connection peer, UUID id) throws RequestException {
        Session known = sessions.get(id);
        if (known != null) {
            return session(peer, id);
        }
        if (sessions.size() >= sessionsMax) {
            throw new RequestException(
                    BUSY, "no memory for another repair session, try again later, sessionsMax=" + sessionsMax);
        }
        LocalParticipant replica =
                new LocalParticipant("session " + id, tables, MoreExecutors.newSequentialExecutor(executor));
        Session session = new Session(id, peer, replica, peer.onClose(() -> end(id)));
        sessions.put(id, session);
        if (!peer.isOpen()) {
            end(id); // It may have ended before the session was in the map.
        }
        return session;
    }

    private CompletableFuture<byte[]> open(Session session, ByteReader in) {
        return openNow(session, in).whenComplete((done, failure) -> {
            if (failure != null) {
                end(session.id);
            }
        });
    }

    private static CompletableFuture<byte[]> openNow(Session session, ByteReader in) {
        try {
            OpenSession parameters = OpenSession.decode(in);
            if (parameters.bufferBytes() > RepairConfig.BUFFER_MAX_BYTES) {
                return CompletableFuture.failedFuture(new RequestException(
                        TOO_LARGE,
                        "row buffer is larger than a server allows, bufferBytes=" + parameters.bufferBytes()
                                + ", maxBytes=" + RepairConfig.BUFFER_MAX_BYTES));
            }
            return encoded(session.replica.open(parameters), (opened, out) -> opened.encode(out));
        } catch (ByteUnderflowException | IllegalArgumentException malformed) {
            return CompletableFuture.failedFuture(malformed(RepairVerb.OPEN, malformed));
        }
    }

    private CompletableFuture<byte[]> finish(Session session, ByteReader in) {
        return encoded(session.replica.finish(), (finished, out) -> finished.encode(out))
                .whenComplete((answer, failure) -> end(session.id)); // Its place is free for the next.
    }

    private void end(UUID id) {
        Session session = sessions.remove(id);
        if (session != null) {
            session.atEnd.close();
            session.replica.close();
        }
    }

    private static CompletableFuture<byte[]> empty(CompletableFuture<Void> done) {
        return done.thenApply(nothing -> new byte[0]);
    }

    private static <T> CompletableFuture<byte[]> encoded(
            CompletableFuture<T> result, BiConsumer<T, ByteWriter> encoder) {
        return result.thenApply(value -> {
            ByteWriter out = new ByteWriter(64);
            encoder.accept(value, out);
            return out.toByteArray();
        });
    }
}
