package io.anneal.agent;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.net.PeerException;
import io.anneal.net.RequestException;
import io.anneal.net.Verb;
import io.anneal.net.VerbHandlers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** An agent on the wire, beside no node: it notes what it is asked, and fails when a test wants it. Any thread. */
public final class StandInAgent {
    private static final Duration SNAPSHOT_TOOK = Duration.ofMillis(700);

    private final UUID hostId = UUID.randomUUID();
    private final String endpoint;
    private final InstantSource clock;
    private AgentKeyspace keyspace;
    private final Duration gcGrace;
    private final List<String> asked = new ArrayList<>();
    private Optional<UUID> run = Optional.empty();
    private Optional<Instant> snapshot = Optional.empty();
    private Optional<String> importFailure = Optional.empty();
    private Duration lease = Duration.ZERO;
    private boolean failsReleases;
    private Duration ahead = Duration.ZERO;
    private int renewals;
    private Optional<Instant> importedOf = Optional.empty();
    private Duration importedSkew = Duration.ZERO;

    public StandInAgent(String endpoint, InstantSource clock, AgentKeyspace keyspace, Duration gcGrace) {
        this.endpoint = endpoint;
        this.clock = clock;
        this.keyspace = keyspace;
        this.gcGrace = gcGrace;
    }

    public void register(VerbHandlers handlers) {
        register(
                handlers,
                AgentVerb.STATUS,
                (in, out) -> status(Texts.readList(in)).write(out));
        register(
                handlers,
                AgentVerb.HOLD,
                (in, out) -> hold(Texts.readId(in), Duration.ofMillis(in.readUnsignedVInt()), in.readUnsignedByte()));
        register(handlers, AgentVerb.RENEW, (in, out) -> {
            require(Texts.readId(in));
            lease = Duration.ofMillis(in.readUnsignedVInt());
            renewals++;
        });
        register(handlers, AgentVerb.SNAPSHOT, (in, out) -> {
            require(Texts.readId(in));
            if (snapshot.isEmpty()) {
                asked.add("snapshot");
                snapshot = Optional.of(now().truncatedTo(ChronoUnit.MILLIS));
            }
            out.writeLong(snapshot.get().toEpochMilli());
            out.writeLong(snapshot.get().plus(SNAPSHOT_TOOK).toEpochMilli());
            out.writeUnsignedVInt(gcGrace.toMillis());
        });
        register(handlers, AgentVerb.IMPORT, (in, out) -> {
            require(Texts.readId(in));
            if (importFailure.isPresent()) {
                throw new RequestException(importFailure.get(), "stand-in does not import");
            }
            asked.add("import");
            importedOf = Optional.of(Instant.ofEpochMilli(in.readLong()));
            importedSkew = Duration.ofMillis(in.readUnsignedVInt());
            out.writeUnsignedVInt(1);
        });
        register(handlers, AgentVerb.LOOK, (in, out) -> {
            require(Texts.readId(in));
            out.writeUnsignedVInt(0);
        });
        register(handlers, AgentVerb.RELEASE, (in, out) -> {
            if (failsReleases) {
                throw new RequestException(AgentVerb.REFUSED, "stand-in does not let go");
            }
            if (run.equals(Optional.of(Texts.readId(in)))) {
                letGo();
            }
        });
    }

    private interface Answerer {
        void answer(ByteReader in, ByteWriter out) throws RequestException;
    }

    private void register(VerbHandlers handlers, Verb verb, Answerer answerer) {
        handlers.register(verb, (peer, question) -> {
            ByteReader in = new ByteReader().wrap(question);
            in.readUnsignedByte();
            ByteWriter out = new ByteWriter(256);
            synchronized (this) {
                answerer.answer(in, out);
            }
            return CompletableFuture.completedFuture(ByteBuffer.wrap(out.toByteArray()));
        });
    }

    private Instant now() {
        return clock.instant().plus(ahead);
    }

    private AgentStatus status(List<String> keyspaces) {
        return new AgentStatus(
                now(),
                hostId,
                "5.0.9",
                endpoint,
                run,
                run.map(any -> lease),
                snapshot,
                List.of(),
                keyspaces.isEmpty() ? List.of() : List.of(keyspace));
    }

    private void hold(UUID wanted, Duration leased, int fence) throws RequestException {
        if (run.isPresent() && !run.get().equals(wanted)) {
            throw new RequestException(AgentVerb.REFUSED, "another run holds tables here, run=" + run.get());
        }
        asked.add(fence == GuardedTables.Fence.UNNEEDED.ordinal() ? "look" : "hold");
        run = Optional.of(wanted);
        lease = leased;
    }

    private void require(UUID wanted) throws RequestException {
        if (!run.equals(Optional.of(wanted))) {
            throw new RequestException(AgentVerb.OVER, "nothing is held for the run here, run=" + wanted);
        }
    }

    /** As by a restart, or a lease that ended. */
    public synchronized void letGo() {
        asked.add("release");
        run = Optional.empty();
        snapshot = Optional.empty();
    }

    /** As of a clock that is not set. */
    public synchronized void runAhead(Duration by) {
        ahead = by;
    }

    /** How often leases were renewed. */
    public synchronized int renewals() {
        return renewals;
    }

    /** Since which snapshot it was to import what it has. */
    public synchronized Optional<Instant> importedOf() {
        return importedOf;
    }

    /** How far clocks may be apart, as it was told with that. */
    public synchronized Duration importedSkew() {
        return importedSkew;
    }

    /** As when nodes come and go. */
    public synchronized void tells(AgentKeyspace other) {
        keyspace = other;
    }

    /** @param isOver whether another try is in vain */
    public synchronized void failImports(boolean isOver) {
        importFailure = Optional.of(isOver ? AgentVerb.OVER : PeerException.INTERNAL);
    }

    /** As while its node is down. */
    public synchronized void failReleases(boolean fails) {
        failsReleases = fails;
    }

    public synchronized void doImport() {
        importFailure = Optional.empty();
    }

    /** The steps since this was asked the last time. */
    public synchronized List<String> steps() {
        List<String> steps = List.copyOf(asked);
        asked.clear();
        return steps;
    }

    public synchronized Optional<UUID> run() {
        return run;
    }

    public synchronized Duration lease() {
        return lease;
    }
}
