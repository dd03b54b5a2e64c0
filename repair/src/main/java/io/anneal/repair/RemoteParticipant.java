package io.anneal.repair;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.net.Connection;
import io.anneal.net.PeerException;
import io.anneal.net.Verb;
import io.anneal.repair.message.Contents;
import io.anneal.repair.message.OpenSession;
import io.anneal.repair.message.Phase;
import io.anneal.repair.message.RepairVerb;
import io.anneal.repair.message.SessionFinished;
import io.anneal.repair.message.SessionOpened;
import io.anneal.repair.message.SessionTerms;
import io.anneal.repair.message.SyncVote;
import io.anneal.repair.message.Texts;
import io.anneal.repair.message.WindowSummary;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A replica behind a connection, which it owns; closing it makes the other side forget a session that was not finished.
 */
public final class RemoteParticipant implements Participant {
    /** Filling a row buffer from a slow disk takes long; a peer that is gone is noticed sooner than this. */
    private static final long STEP_TIMEOUT_MS = 600_000;

    private final Connection connection;
    private final int clusteringColumns;
    private UUID sessionId = new UUID(0, 0);

    /** @param clusteringColumns of the table to be repaired: bounds what a boundary may hold */
    public RemoteParticipant(Connection connection, int clusteringColumns) {
        this.connection = connection;
        this.clusteringColumns = clusteringColumns;
    }

    @Override
    public String name() {
        return connection.address().toString();
    }

    private <T> CompletableFuture<T> ask(Verb verb, Consumer<ByteWriter> content, Function<ByteReader, T> answer) {
        ByteWriter out = new ByteWriter(64);
        Texts.write(out, sessionId);
        content.accept(out);
        return connection
                .requestPatiently(verb, ByteBuffer.wrap(out.array(), 0, out.lengthBytes()), STEP_TIMEOUT_MS)
                .thenApply(bytes -> read(verb, bytes, answer));
    }

    private <T> T read(Verb verb, ByteBuffer bytes, Function<ByteReader, T> answer) {
        try {
            return answer.apply(new ByteReader().wrap(bytes));
        } catch (ByteUnderflowException | IllegalArgumentException e) {
            throw new CompletionException(new PeerException(
                    name(), verb.name(), PeerException.INTERNAL, "answer is malformed, cause=" + e.getMessage(), e));
        }
    }

    @Override
    public CompletableFuture<SessionOpened> open(OpenSession session) {
        sessionId = session.sessionId();
        return ask(RepairVerb.OPEN, session::encode, SessionOpened::decode);
    }

    @Override
    public CompletableFuture<Void> agree(SessionTerms terms) {
        return ask(RepairVerb.AGREE, terms::encode, in -> null);
    }

    @Override
    public CompletableFuture<Void> startPart(TokenRange.Linear part) {
        return ask(RepairVerb.PART, out -> Contents.write(part, out), in -> null);
    }

    @Override
    public CompletableFuture<SyncVote> fill() {
        return ask(RepairVerb.FILL, out -> {}, in -> SyncVote.decode(in, clusteringColumns));
    }

    @Override
    public CompletableFuture<WindowSummary> window(RingPosition boundary) {
        return ask(RepairVerb.WINDOW, out -> Contents.write(boundary, out), WindowSummary::decode);
    }

    @Override
    public CompletableFuture<WindowSummary> summary() {
        return ask(RepairVerb.SUMMARY, out -> {}, WindowSummary::decode);
    }

    @Override
    public CompletableFuture<long[]> hashes(Phase phase) {
        return ask(RepairVerb.HASHES, out -> Contents.write(phase, out), Contents::readHashes);
    }

    @Override
    public CompletableFuture<byte[]> fetch(Phase phase, long[] hashes, int roomBytes) {
        return ask(
                RepairVerb.FETCH,
                out -> {
                    Contents.write(phase, out);
                    out.writeInt(roomBytes);
                    Contents.write(hashes, out);
                },
                in -> in.readBytes(in.remainingBytes()));
    }

    @Override
    public CompletableFuture<byte[]> places(long[] hashes) {
        return ask(RepairVerb.PLACES, out -> Contents.write(hashes, out), in -> in.readBytes(in.remainingBytes()));
    }

    @Override
    public CompletableFuture<byte[]> push(byte[] items) {
        return ask(RepairVerb.PUSH, out -> out.writeBytes(items), in -> in.readBytes(in.remainingBytes()));
    }

    @Override
    public CompletableFuture<SessionFinished> finish() {
        return ask(RepairVerb.FINISH, out -> {}, SessionFinished::decode);
    }

    @Override
    public long bytesSent() {
        return connection.bytesSent();
    }

    @Override
    public long bytesReceived() {
        return connection.bytesReceived();
    }

    @Override
    public void close() {
        connection.close();
    }
}
