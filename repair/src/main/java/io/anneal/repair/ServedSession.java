package io.anneal.repair;

import com.google.common.util.concurrent.MoreExecutors;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.StorageException;
import io.anneal.io.Texts;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.net.Message;
import io.anneal.net.PeerAddress;
import io.anneal.net.PeerStream;
import io.anneal.net.RequestException;
import io.anneal.node.Answers;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaSchema;
import io.anneal.node.ReplicaSource;
import io.anneal.node.Replicas;
import io.anneal.repair.hashes.HashRanges;
import io.anneal.repair.hashes.Sketch;
import io.anneal.repair.hashes.Wanted;
import io.anneal.repair.message.Contents;
import io.anneal.repair.message.OpenSession;
import io.anneal.repair.message.Phase;
import io.anneal.repair.message.PlacesWanted;
import io.anneal.repair.message.RepairVerb;
import io.anneal.repair.message.SessionStep;
import io.anneal.repair.message.SessionTerms;
import io.anneal.repair.message.TokenSum;
import io.anneal.table.TableTruncatedException;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

/**
 * One session at a follower: answers one question after the other with its {@link LocalParticipant}. A question that fails
 * resets the stream, and the end of the stream, whoever ends it, is the end of the session.
 */
final class ServedSession implements Answers.Answerer {
    /** Prefix components in a boundary at most; no table has so many clustering columns. */
    private static final int CLUSTERING_COLUMNS_MAX = 2048;

    private final PeerStream stream;
    private final Replicas replicas;
    private final SessionMemory memory;
    private final LocalParticipant replica;
    private final Optional<InstantSource> clock;
    private final CompletableFuture<Void> over = new CompletableFuture<>();

    /** Which of the node's replicas it is; set when the session opens. */
    private ReplicaSource tables;

    private Optional<SessionMemory.Place> place = Optional.empty();
    private boolean finished;
    private boolean ended;

    /** @param clock that its master is told, if any */
    ServedSession(
            PeerStream stream,
            Replicas replicas,
            Executor executor,
            SessionMemory memory,
            RepairMetrics metrics,
            Optional<InstantSource> clock) {
        this.clock = clock;
        this.stream = stream;
        this.replicas = replicas;
        this.memory = memory;
        replica = new LocalParticipant(
                "session of " + PeerAddress.text(stream.connection().address()),
                this::replica,
                MoreExecutors.newSequentialExecutor(executor),
                metrics);
    }

    private Replica replica(String keyspace, String table, Optional<UUID> runId) throws IOException {
        Replica opened = tables.open(keyspace, table, runId);
        boolean spoken = false;
        try {
            ReplicaSchema.requireSameOrder(stream.connection(), opened.schema());
            spoken = true;
            return opened;
        } finally {
            if (!spoken) {
                opened.close();
            }
        }
    }

    void start() {
        stream.closed().whenComplete((done, failure) -> end());
        new Answers(stream, this).start();
    }

    @Override
    public CompletableFuture<byte[]> answer(int kind, Message question, ByteReader content) throws IOException {
        SessionStep step = SessionStep.of(kind);
        CompletableFuture<byte[]> answer = answer(step, question, content);
        return step == SessionStep.FINISH ? answer.thenApply(this::finished) : answer;
    }

    private byte[] finished(byte[] answer) {
        finished = true;
        // With the session's buffers, which are gone.
        place.ifPresent(SessionMemory.Place::close);
        return answer;
    }

    @Override
    public String refusalCode(Throwable cause) {
        if (cause instanceof RepairException coded && coded.peerCode().isPresent()) {
            return coded.peerCode().get();
        }
        if (StorageException.leavesNamesUnsynced(cause)) {
            return RepairCode.UNSYNCED;
        }
        return cause instanceof TableTruncatedException ? RepairCode.TRUNCATED : RepairCode.REFUSED;
    }

    @Override
    public void ended(PeerStream ending) {
        if (finished) {
            ending.end();
        } else {
            ending.reset(RepairCode.ABORTED, "the stream of a repair session ended before the session");
        }
    }

    /** Whoever comes again finds the place free. */
    @Override
    public CompletableFuture<Void> released() {
        return end();
    }

    private CompletableFuture<byte[]> answer(SessionStep step, Message message, ByteReader in) throws IOException {
        boolean isOpen = place.isPresent() && (!finished || step == SessionStep.REPAIRED);
        if (step != SessionStep.OPEN && !isOpen) {
            throw new RequestException(RepairCode.NO_SESSION, "repair session is not open, step=" + step);
        }
        return switch (step) {
            case OPEN -> open(in);
            case AGREE -> empty(replica.agree(SessionTerms.decode(in)));
            case KEPT -> encoded(replica.kept(), TokenSum::write);
            case START -> empty(replica.start(Contents.readRanges(in)));
            case READ -> encoded(replica.read(), (vote, out) -> vote.encode(out));
            case WINDOW -> {
                int symbols = in.readUnsignedVInt32();
                RingPosition boundary = RingPosition.decode(in, CLUSTERING_COLUMNS_MAX);
                yield encoded(replica.window(boundary, symbols), (answer, out) -> answer.encode(out));
            }
            case HASHES -> encoded(replica.hashes(Contents.readPhase(in)), Contents::write);
            case SUMS -> encoded(replica.sums(), (sums, out) -> sums.encode(out));
            case SKETCH -> {
                int first = in.readUnsignedVInt32();
                int end = in.readUnsignedVInt32();
                Sketch.requireSlice(first, end);
                yield encoded(replica.sketch(HashRanges.decode(in), first, end), (sketch, out) -> sketch.encode(out));
            }
            case FETCH -> {
                Phase phase = Contents.readPhase(in);
                int skipped = in.readUnsignedVInt32();
                int roomBytes = in.readUnsignedVInt32();
                yield replica.fetch(phase, Wanted.decode(in), skipped, roomBytes);
            }
            case PLACES -> {
                PlacesWanted wanted = PlacesWanted.decode(in);
                yield encoded(replica.places(wanted), (found, out) -> found.encode(out, wanted));
            }
            case RECENT -> replica.recent();
            case PUSH -> encoded(replica.push(message.bytes()), (answer, out) -> answer.encode(out));
            case FINISH -> encoded(replica.finish(), (done, out) -> done.encode(out));
            case REPAIRED -> {
                List<TokenRange> ranges = Contents.readRanges(in);
                yield empty(replica.repaired(ranges, in.readLong()));
            }
        };
    }

    private CompletableFuture<byte[]> open(ByteReader in) throws IOException {
        requireVersion(in.readUnsignedByte());
        String name = Texts.read(in);
        OpenSession asked = OpenSession.decode(in);
        if (asked.bufferBytes() > RepairConfig.BUFFER_MAX_BYTES) {
            throw new RequestException(
                    RepairCode.TOO_LARGE,
                    "row buffer is larger than a server allows, bufferBytes=" + asked.bufferBytes() + ", maxBytes="
                            + RepairConfig.BUFFER_MAX_BYTES);
        }
        if (place.isPresent()) {
            throw new RequestException(RepairCode.NO_SESSION, "repair session is open already, step=OPEN");
        }
        tables = replicas.get(name);
        SessionMemory.Place taken = memory.take(asked.bufferBytes(), asked.participants(), 1, asked.sessions());
        if (!keep(taken)) {
            taken.close();
            throw new RequestException(RepairCode.ABORTED, "the session has ended");
        }
        return encoded(
                replica.open(asked.withBufferBytes(taken.bufferBytes())),
                (opened, out) -> clock.map(source -> opened.at(source.instant()))
                        .orElse(opened)
                        .encode(out));
    }

    static void requireVersion(int version) throws RequestException {
        if (version != RepairVerb.VERSION) {
            throw new RequestException(
                    RepairCode.VERSION,
                    "version of repair is not spoken here, version=" + version + ", spoken=" + RepairVerb.VERSION);
        }
    }

    /** False if the session has ended meanwhile. */
    private synchronized boolean keep(SessionMemory.Place taken) {
        if (!ended) {
            place = Optional.of(taken);
        }
        return !ended;
    }

    /** Done when the session has closed its table, and its place is free for the next. */
    private synchronized CompletableFuture<Void> end() {
        if (!ended) {
            ended = true;
            replica.close();
            replica.closing().whenComplete((done, failure) -> {
                place.ifPresent(SessionMemory.Place::close);
                over.complete(null);
            });
        }
        return over;
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
