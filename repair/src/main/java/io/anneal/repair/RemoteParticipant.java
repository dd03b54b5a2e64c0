package io.anneal.repair;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.net.Connection;
import io.anneal.net.Message;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerException;
import io.anneal.node.Replicas;
import io.anneal.repair.message.Contents;
import io.anneal.repair.message.OpenSession;
import io.anneal.repair.message.Phase;
import io.anneal.repair.message.RepairVerb;
import io.anneal.repair.message.SessionFinished;
import io.anneal.repair.message.SessionOpened;
import io.anneal.repair.message.SessionStep;
import io.anneal.repair.message.SessionTerms;
import io.anneal.repair.message.SyncVote;
import io.anneal.repair.message.WindowSummary;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A replica behind a connection, with a stream of its own there; closing it makes the other side forget a session that was
 * not finished. The connection belongs to the caller, and may carry more sessions.
 */
public final class RemoteParticipant implements Participant {
    private final Connection connection;
    private final String replica;
    private final int clusteringColumns;
    private final MessageStream messages;
    private volatile boolean finished;

    /**
     * @param replica name of the replica there, as {@link Replicas#get} takes it
     * @param clusteringColumns of the table to be repaired: bounds what a boundary may hold
     */
    public RemoteParticipant(Connection connection, String replica, int clusteringColumns) {
        this.connection = connection;
        this.replica = replica;
        this.clusteringColumns = clusteringColumns;
        messages = connection.open(RepairVerb.SESSION).messages();
    }

    @Override
    public String name() {
        String address = connection.address().toString();
        return replica.equals(Replicas.THE_ONLY_ONE) ? address : replica + " at " + address;
    }

    private <T> CompletableFuture<T> ask(
            SessionStep step, Consumer<ByteWriter> content, Function<ByteReader, T> answer) {
        ByteWriter out = new ByteWriter(64);
        content.accept(out);
        return ask(step, ByteBuffer.wrap(out.array(), 0, out.lengthBytes()))
                .thenApply(message -> read(step, message, answer));
    }

    private CompletableFuture<byte[]> askForItems(SessionStep step, ByteBuffer content) {
        return ask(step, content).thenApply(message -> {
            try (message) {
                return message.bytes();
            }
        });
    }

    private CompletableFuture<Message> ask(SessionStep step, ByteBuffer content) {
        messages.write(step.code(), content);
        return messages.read().thenApply(answer -> requireAnswer(step, answer));
    }

    private Message requireAnswer(SessionStep step, Optional<Message> answer) {
        Message message = answer.orElseThrow(() -> wrong(step, "the peer ended the session", null));
        if (message.kind() != step.code()) {
            message.close();
            throw wrong(step, "answer is of another step, kind=" + message.kind(), null);
        }
        return message;
    }

    private <T> T read(SessionStep step, Message message, Function<ByteReader, T> answer) {
        try (message) {
            return answer.apply(new ByteReader().wrap(message.content()));
        } catch (ByteUnderflowException | IllegalArgumentException e) {
            throw wrong(step, "answer is malformed, cause=" + e.getMessage(), e);
        }
    }

    private CompletionException wrong(SessionStep step, String reason, Throwable cause) {
        return new CompletionException(new PeerException(
                name(), RepairVerb.SESSION.name() + " " + step, PeerException.MALFORMED, reason, cause));
    }

    @Override
    public CompletableFuture<SessionOpened> open(OpenSession session) {
        return ask(
                SessionStep.OPEN,
                out -> {
                    out.writeByte(RepairVerb.VERSION);
                    Texts.write(out, replica);
                    session.encode(out);
                },
                SessionOpened::decode);
    }

    @Override
    public CompletableFuture<Void> agree(SessionTerms terms) {
        return ask(SessionStep.AGREE, terms::encode, in -> null);
    }

    @Override
    public CompletableFuture<Void> startPart(TokenRange.Linear part) {
        return ask(SessionStep.PART, out -> Contents.write(part, out), in -> null);
    }

    @Override
    public CompletableFuture<SyncVote> fill() {
        return ask(SessionStep.FILL, out -> {}, in -> SyncVote.decode(in, clusteringColumns));
    }

    @Override
    public CompletableFuture<WindowSummary> window(RingPosition boundary) {
        return ask(SessionStep.WINDOW, out -> Contents.write(boundary, out), WindowSummary::decode);
    }

    @Override
    public CompletableFuture<WindowSummary> summary() {
        return ask(SessionStep.SUMMARY, out -> {}, WindowSummary::decode);
    }

    @Override
    public CompletableFuture<long[]> hashes(Phase phase) {
        return ask(SessionStep.HASHES, out -> Contents.write(phase, out), Contents::readHashes);
    }

    @Override
    public CompletableFuture<byte[]> fetch(Phase phase, long[] hashes, int roomBytes) {
        ByteWriter out = new ByteWriter(64);
        Contents.write(phase, out);
        out.writeInt(roomBytes);
        Contents.write(hashes, out);
        return askForItems(SessionStep.FETCH, ByteBuffer.wrap(out.array(), 0, out.lengthBytes()));
    }

    @Override
    public CompletableFuture<byte[]> places(long[] hashes) {
        ByteWriter out = new ByteWriter(64);
        Contents.write(hashes, out);
        return askForItems(SessionStep.PLACES, ByteBuffer.wrap(out.array(), 0, out.lengthBytes()));
    }

    @Override
    public CompletableFuture<byte[]> push(byte[] items) {
        return askForItems(SessionStep.PUSH, ByteBuffer.wrap(items));
    }

    @Override
    public CompletableFuture<SessionFinished> finish() {
        return ask(SessionStep.FINISH, out -> {}, SessionFinished::decode).thenApply(done -> {
            finished = true;
            return done;
        });
    }

    @Override
    public CompletableFuture<Void> repaired(TokenRange range, long seconds) {
        return ask(
                SessionStep.REPAIRED,
                out -> {
                    Contents.write(range, out);
                    out.writeLong(seconds);
                },
                in -> null);
    }

    @Override
    public boolean isGone() {
        return messages.stream().closed().isDone();
    }

    @Override
    public long bytesSent() {
        return messages.bytesSent();
    }

    @Override
    public long bytesReceived() {
        return messages.bytesReceived();
    }

    @Override
    public void close() {
        if (finished) {
            messages.stream().end();
        } else {
            messages.stream().reset(RepairCode.ABORTED, "the repair was ended by its master");
        }
    }
}
