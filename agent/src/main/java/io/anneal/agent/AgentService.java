package io.anneal.agent;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.net.PeerException;
import io.anneal.net.RequestException;
import io.anneal.net.Verb;
import io.anneal.net.VerbHandlers;
import io.anneal.node.Answers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** What peers may ask of an agent: a version and what the verb takes, answered on the executor of the handlers. */
public final class AgentService {
    /** Far more than a run has; a name is at most 48 letters, twice. */
    private static final int TABLES_MAX = 10_000;

    private final Agent agent;

    public AgentService(Agent agent) {
        this.agent = agent;
    }

    /** Registers the verbs of an agent. */
    public void register(VerbHandlers handlers) {
        register(
                handlers, AgentVerb.STATUS, (in, out) -> agent.status(names(in)).write(out));
        register(handlers, AgentVerb.HOLD, (in, out) -> {
            UUID run = Texts.readId(in);
            Duration lease = Duration.ofMillis(in.readUnsignedVInt());
            GuardedTables.Fence fence = fence(in.readUnsignedByte());
            agent.hold(run, names(in), fence, lease);
        });
        register(
                handlers,
                AgentVerb.RENEW,
                (in, out) -> agent.renew(Texts.readId(in), Duration.ofMillis(in.readUnsignedVInt())));
        register(handlers, AgentVerb.SNAPSHOT, (in, out) -> {
            AgentSnapshot taken = agent.takeSnapshot(Texts.readId(in));
            out.writeLong(taken.at().toEpochMilli());
            out.writeLong(taken.doneAt().toEpochMilli());
            out.writeUnsignedVInt(taken.importWithin().toMillis());
        });
        register(
                handlers,
                AgentVerb.IMPORT,
                (in, out) -> out.writeUnsignedVInt(agent.importAll(
                        Texts.readId(in),
                        Instant.ofEpochMilli(in.readLong()),
                        Duration.ofMillis(in.readUnsignedVInt()),
                        Set.copyOf(names(in)))));
        register(handlers, AgentVerb.LOOK, (in, out) -> {
            List<StagedContent> contents = agent.lookAtStaged(Texts.readId(in));
            out.writeUnsignedVInt(contents.size());
            contents.forEach(content -> content.write(out));
        });
        register(handlers, AgentVerb.RELEASE, (in, out) -> agent.release(Texts.readId(in)));
    }

    private interface Answerer {
        void answer(ByteReader in, ByteWriter out) throws IOException;
    }

    private static void register(VerbHandlers handlers, Verb verb, Answerer answerer) {
        handlers.register(verb, (peer, question) -> {
            try {
                ByteReader in = new ByteReader().wrap(question);
                int version = in.readUnsignedByte();
                if (version != AgentVerb.VERSION) {
                    throw new RequestException(
                            PeerException.MALFORMED, "version of agents is not spoken here, version=" + version);
                }
                ByteWriter out = new ByteWriter(256);
                answerer.answer(in, out);
                return CompletableFuture.completedFuture(ByteBuffer.wrap(out.toByteArray()));
            } catch (ByteUnderflowException | IllegalArgumentException malformed) {
                throw new RequestException(
                        PeerException.MALFORMED, "request is malformed, cause=" + malformed.getMessage());
            } catch (IOException | RuntimeException failed) {
                throw Answers.refusal(verb, 0, failed, AgentService::code);
            }
        });
    }

    private static String code(Throwable cause) {
        return cause instanceof LiveNodeException refusal && refusal.isOver() ? AgentVerb.OVER : AgentVerb.REFUSED;
    }

    private static GuardedTables.Fence fence(int code) {
        GuardedTables.Fence[] known = GuardedTables.Fence.values();
        if (code >= known.length) {
            throw new IllegalArgumentException("fence is not known, code=" + code);
        }
        return known[code];
    }

    private static List<String> names(ByteReader in) {
        List<String> names = Texts.readList(in);
        if (names.size() > TABLES_MAX) {
            throw new IllegalArgumentException("too many names, count=" + names.size() + ", countMax=" + TABLES_MAX);
        }
        return names;
    }
}
