package io.anneal.agent;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.net.Connector;
import io.anneal.net.PeerAddress;
import io.anneal.net.PeerException;
import io.anneal.net.Verb;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * An agent, for who asks it. Its failures are {@link PeerException}, with the code {@code refused} and the agent's own words where
 * it refuses.
 */
public record AgentPeer(Connector connector, InetSocketAddress address) {
    /** The agent gives its node an hour for a snapshot or an import, of each table. */
    private static final long PATIENCE_MS = Duration.ofHours(6).toMillis();

    /** Whether a failure is what an agent has against what it was asked: another node of ours has the same codes for other things. */
    public static boolean isRefusal(PeerException failure) {
        return failure.step().contains(" agent.")
                && (failure.code().equals(AgentVerb.REFUSED) || failure.code().equals(AgentVerb.OVER));
    }

    /** Whether it was asked to hold tables for a run. */
    public static boolean isAskedToHold(PeerException failure) {
        return failure.step().endsWith(AgentVerb.HOLD.name());
    }

    /** For messages. */
    public String name() {
        return PeerAddress.text(address);
    }

    /** @param keyspaces of which it is to tell */
    public CompletableFuture<AgentStatus> status(List<String> keyspaces) {
        return ask(AgentVerb.STATUS, out -> Texts.write(out, keyspaces), AgentStatus::read);
    }

    CompletableFuture<Void> hold(UUID run, List<String> tables, GuardedTables.Fence fence, Duration lease) {
        return ask(
                AgentVerb.HOLD,
                out -> {
                    Texts.write(out, run);
                    out.writeUnsignedVInt(lease.toMillis());
                    out.writeByte(fence.ordinal());
                    Texts.write(out, tables);
                },
                in -> null);
    }

    CompletableFuture<Void> renew(UUID run, Duration lease) {
        return ask(
                AgentVerb.RENEW,
                out -> {
                    Texts.write(out, run);
                    out.writeUnsignedVInt(lease.toMillis());
                },
                in -> null);
    }

    CompletableFuture<AgentSnapshot> takeSnapshot(UUID run) {
        return ask(
                AgentVerb.SNAPSHOT,
                out -> Texts.write(out, run),
                in -> new AgentSnapshot(
                        Instant.ofEpochMilli(in.readLong()),
                        Instant.ofEpochMilli(in.readLong()),
                        Duration.ofMillis(in.readUnsignedVInt())));
    }

    CompletableFuture<List<StagedContent>> lookAtStaged(UUID run) {
        return ask(AgentVerb.LOOK, out -> Texts.write(out, run), in -> {
            int count = in.readUnsignedVInt32();
            List<StagedContent> contents = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                contents.add(StagedContent.read(in));
            }
            return contents;
        });
    }

    CompletableFuture<Integer> importAll(UUID run, Instant earliestSnapshot, Duration skewMost, Set<String> leftOut) {
        return ask(
                AgentVerb.IMPORT,
                out -> {
                    Texts.write(out, run);
                    out.writeLong(earliestSnapshot.toEpochMilli());
                    out.writeUnsignedVInt(skewMost.toMillis());
                    Texts.write(out, List.copyOf(leftOut));
                },
                ByteReader::readUnsignedVInt32);
    }

    CompletableFuture<Void> release(UUID run) {
        return ask(AgentVerb.RELEASE, out -> Texts.write(out, run), in -> null);
    }

    private <T> CompletableFuture<T> ask(Verb verb, Consumer<ByteWriter> question, Function<ByteReader, T> answer) {
        ByteWriter out = new ByteWriter(64);
        out.writeByte(AgentVerb.VERSION);
        question.accept(out);
        ByteBuffer content = ByteBuffer.wrap(out.array(), 0, out.lengthBytes());
        return connector
                .connect(address)
                .thenCompose(connection -> connection.request(verb, content, PATIENCE_MS))
                .thenCompose(bytes -> {
                    try {
                        return CompletableFuture.completedFuture(answer.apply(new ByteReader().wrap(bytes)));
                    } catch (ByteUnderflowException | IllegalArgumentException malformed) {
                        return CompletableFuture.failedFuture(new PeerException(
                                name(),
                                verb.name(),
                                PeerException.MALFORMED,
                                "answer is malformed, cause=" + malformed.getMessage(),
                                malformed));
                    }
                });
    }
}
