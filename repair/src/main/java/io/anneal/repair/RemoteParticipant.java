package io.anneal.repair;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.net.Connection;
import io.anneal.net.PeerAddress;
import io.anneal.node.ClockSkew;
import io.anneal.node.Questions;
import io.anneal.node.Replicas;
import io.anneal.repair.hashes.HashRanges;
import io.anneal.repair.hashes.RangeSums;
import io.anneal.repair.hashes.Sketch;
import io.anneal.repair.hashes.Wanted;
import io.anneal.repair.message.Contents;
import io.anneal.repair.message.OpenSession;
import io.anneal.repair.message.Phase;
import io.anneal.repair.message.PlacesFound;
import io.anneal.repair.message.PlacesWanted;
import io.anneal.repair.message.PushAnswer;
import io.anneal.repair.message.RepairVerb;
import io.anneal.repair.message.SessionFinished;
import io.anneal.repair.message.SessionOpened;
import io.anneal.repair.message.SessionStep;
import io.anneal.repair.message.SessionTerms;
import io.anneal.repair.message.SyncVote;
import io.anneal.repair.message.TokenSum;
import io.anneal.repair.message.WindowAnswer;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A replica behind a connection, with a stream of its own there; closing it makes the other side forget a session that was
 * not finished. The connection belongs to the caller, and may carry more sessions.
 */
public final class RemoteParticipant implements Participant {
    /** Of a message that fits a frame: what stands before its content. */
    private static final int MESSAGE_OVERHEAD_BYTES = 32 + 5;

    private final Connection connection;
    private final String replica;
    private final int clusteringColumns;
    private final Questions questions;
    private final Optional<InstantSource> clock;
    private volatile boolean finished;
    private final LongAdder placeBytes = new LongAdder();
    private volatile Optional<ClockSkew> skew = Optional.empty();

    /**
     * @param replica name of the replica there, as {@link Replicas#get} takes it
     * @param clusteringColumns of the table to be repaired: bounds what a boundary may hold
     */
    public RemoteParticipant(Connection connection, String replica, int clusteringColumns) {
        this(connection, replica, clusteringColumns, Optional.empty());
    }

    /** @param clock with which the replica's is compared */
    RemoteParticipant(Connection connection, String replica, int clusteringColumns, Optional<InstantSource> clock) {
        this.clock = clock;
        this.connection = connection;
        this.replica = replica;
        this.clusteringColumns = clusteringColumns;
        questions = new Questions(connection, RepairVerb.SESSION, name());
    }

    @Override
    public String name() {
        String address = PeerAddress.text(connection.address());
        return replica.equals(Replicas.THE_ONLY_ONE) ? address : replica + " at " + address;
    }

    private <T> CompletableFuture<T> ask(
            SessionStep step, Consumer<ByteWriter> content, Function<ByteReader, T> answer) {
        return questions.ask(step.code(), content, answer);
    }

    private CompletableFuture<byte[]> askForItems(SessionStep step, ByteBuffer content) {
        return questions.ask(step.code(), content).thenApply(message -> {
            try (message) {
                return message.bytes();
            }
        });
    }

    @Override
    public CompletableFuture<SessionOpened> open(OpenSession session) {
        Optional<Instant> asked = clock.map(InstantSource::instant);
        return ask(
                SessionStep.OPEN,
                out -> {
                    out.writeByte(RepairVerb.VERSION);
                    Texts.write(out, replica);
                    session.encode(out);
                },
                in -> {
                    SessionOpened opened = SessionOpened.decode(in);
                    if (asked.isPresent() && opened.clockMillis().isPresent()) {
                        skew = Optional.of(ClockSkew.of(
                                opened.name(),
                                asked.get(),
                                Instant.ofEpochMilli(opened.clockMillis().getAsLong()),
                                clock.orElseThrow().instant()));
                    }
                    return opened;
                });
    }

    @Override
    public Optional<ClockSkew> clockSkew() {
        return skew;
    }

    @Override
    public CompletableFuture<Void> agree(SessionTerms terms) {
        return ask(SessionStep.AGREE, terms::encode, in -> null);
    }

    @Override
    public CompletableFuture<List<TokenSum>> kept() {
        return ask(SessionStep.KEPT, out -> {}, TokenSum::read);
    }

    @Override
    public CompletableFuture<Void> start(List<TokenRange> ranges) {
        return ask(SessionStep.START, out -> Contents.write(ranges, out), in -> null);
    }

    @Override
    public CompletableFuture<SyncVote> read() {
        return ask(SessionStep.READ, out -> {}, in -> SyncVote.decode(in, clusteringColumns));
    }

    @Override
    public CompletableFuture<WindowAnswer> window(RingPosition boundary, int symbols) {
        return ask(
                SessionStep.WINDOW,
                out -> {
                    out.writeUnsignedVInt(symbols);
                    Contents.write(boundary, out);
                },
                in -> WindowAnswer.decode(in, symbols));
    }

    @Override
    public CompletableFuture<long[]> hashes(Phase phase) {
        return ask(SessionStep.HASHES, out -> Contents.write(phase, out), Contents::readHashes);
    }

    @Override
    public CompletableFuture<RangeSums> sums() {
        return ask(SessionStep.SUMS, out -> {}, RangeSums::decode);
    }

    @Override
    public CompletableFuture<Sketch> sketch(HashRanges ranges, int first, int end) {
        return ask(
                SessionStep.SKETCH,
                out -> {
                    out.writeUnsignedVInt(first);
                    out.writeUnsignedVInt(end);
                    ranges.encode(out);
                },
                in -> Sketch.decode(in, first, end));
    }

    @Override
    public CompletableFuture<byte[]> fetch(Phase phase, Wanted wanted, int skipped, int roomBytes) {
        ByteWriter out = new ByteWriter(64);
        Contents.write(phase, out);
        out.writeUnsignedVInt(skipped);
        out.writeUnsignedVInt(roomBytes);
        wanted.encode(out);
        return askForItems(SessionStep.FETCH, ByteBuffer.wrap(out.array(), 0, out.lengthBytes()));
    }

    @Override
    public CompletableFuture<PlacesFound> places(PlacesWanted wanted) {
        return ask(
                SessionStep.PLACES,
                out -> {
                    int before = out.lengthBytes();
                    wanted.encode(out);
                    placeBytes.add(MESSAGE_OVERHEAD_BYTES + out.lengthBytes() - before);
                },
                in -> {
                    placeBytes.add(MESSAGE_OVERHEAD_BYTES + in.remainingBytes());
                    return PlacesFound.decode(in, wanted);
                });
    }

    @Override
    public CompletableFuture<byte[]> recent() {
        return askForItems(SessionStep.RECENT, ByteBuffer.allocate(0));
    }

    @Override
    public CompletableFuture<PushAnswer> push(byte[] items) {
        return questions.ask(SessionStep.PUSH.code(), ByteBuffer.wrap(items), PushAnswer::decode);
    }

    @Override
    public CompletableFuture<SessionFinished> finish() {
        return ask(SessionStep.FINISH, out -> {}, SessionFinished::decode).thenApply(done -> {
            finished = true;
            return done;
        });
    }

    @Override
    public CompletableFuture<Void> repaired(List<TokenRange> ranges, long seconds) {
        return ask(
                SessionStep.REPAIRED,
                out -> {
                    Contents.write(ranges, out);
                    out.writeLong(seconds);
                },
                in -> null);
    }

    @Override
    public boolean isGone() {
        return questions.stream().closed().isDone();
    }

    @Override
    public long bytesSent() {
        return questions.bytesSent();
    }

    @Override
    public long bytesReceived() {
        return questions.bytesReceived();
    }

    @Override
    public long placeBytes() {
        return placeBytes.sum();
    }

    @Override
    public void close() {
        if (finished) {
            questions.end();
        } else {
            questions.stream().reset(RepairCode.ABORTED, "the repair was ended by its master");
        }
    }
}
