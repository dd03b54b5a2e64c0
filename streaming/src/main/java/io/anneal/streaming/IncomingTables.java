package io.anneal.streaming;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CorruptItemException;
import io.anneal.job.JobAbortedException;
import io.anneal.net.Connection;
import io.anneal.net.CorruptFrameException;
import io.anneal.net.PeerException;
import io.anneal.net.RequestException;
import io.anneal.node.DataAge;
import io.anneal.node.Receiving;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaException;
import io.anneal.node.ReplicaSchema;
import io.anneal.node.ReplicaSource;
import io.anneal.node.Replicas;
import io.anneal.schema.SchemaText;
import io.anneal.streaming.message.OpenSource;
import io.anneal.streaming.message.StreamVerb;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * What units bring to the replica of this process, over all their attempts. Closing removes what did not come to its end, unless it
 * is kept. Any thread.
 */
final class IncomingTables implements Closeable {
    private final HostEnvironment environment;
    private final SourceTerms terms;
    private final Optional<Duration> keptFor;
    private final long keepBytes;
    private final Optional<UUID> leftAs;
    private final Map<StreamUnit, Incoming> incoming = new HashMap<>();
    /** Units that failed for what a peer or the user did: what they have is worth to be gone on with. */
    private final Set<StreamUnit> sound = new HashSet<>();

    /**
     * @param terms what is refused
     * @param keptFor how long what did not come to its end may be gone on with, if it may be
     * @param keepBytes so much may come twice after a crash
     * @param leftAs see {@link StreamPlan#leave}
     */
    IncomingTables(
            HostEnvironment environment,
            SourceTerms terms,
            Optional<Duration> keptFor,
            long keepBytes,
            Optional<UUID> leftAs) {
        this.environment = environment;
        this.terms = terms;
        this.keptFor = keptFor;
        this.keepBytes = keepBytes;
        this.leftAs = leftAs;
    }

    /** A unit's data with the replica that it goes to. One thread. */
    private final class Incoming implements Closeable {
        private final StreamUnit unit;
        private final Replica replica;
        private long importDeadlineSeconds;
        private Optional<IncomingTable> table = Optional.empty();

        /** @param replica is its own */
        Incoming(StreamUnit unit, Replica replica) {
            this.unit = unit;
            this.replica = replica;
        }

        /** @throws PeerException naming the source, also when what it sent cannot be */
        void fetch(StreamSource source, StreamListener listener) throws IOException {
            try {
                fetchFrom(source, listener);
            } catch (RequestException | CorruptItemException wrong) {
                throw new PeerException(
                        source.name(),
                        StreamVerb.SOURCE.name(),
                        wrong instanceof RequestException refused ? refused.code() : PeerException.MALFORMED,
                        wrong.getMessage(),
                        wrong);
            }
        }

        private void fetchFrom(StreamSource source, StreamListener listener) throws IOException {
            OpenSource question = new OpenSource(
                    source instanceof StreamSource.There there ? there.replica() : Replicas.THE_ONLY_ONE,
                    replica.schema().keyspace(),
                    replica.schema().name(),
                    SchemaText.print(replica.schema()),
                    replica.loadedVersions(),
                    replica.localDeletionTimeMaxSeconds(),
                    unit.ranges());
            if (source instanceof StreamSource.There there) {
                Connection connection = there.connector().open(there.address());
                ReplicaSchema.requireSameOrder(connection, replica.schema());
                fetchFrom(
                        RemoteSource.open(connection, question),
                        source,
                        Optional.of(connection.node().nodeId()),
                        listener);
            } else {
                StreamSource.Here here = (StreamSource.Here) source;
                fetchFrom(LocalSource.open(here, question, environment.newId()), source, Optional.empty(), listener);
            }
        }

        /** @param opened is closed */
        private void fetchFrom(
                SourceSession opened, StreamSource source, Optional<UUID> nodeId, StreamListener listener)
                throws IOException {
            try (opened) {
                into(terms.importDeadlineSeconds(replica, source, nodeId, opened.inventory()))
                        .fetch(opened, listener);
            }
        }

        /** What was begun with data that may wait for longer is not gone on with. */
        private IncomingTable into(long deadline) throws IOException {
            if (table.isPresent() && deadline < importDeadlineSeconds) {
                IncomingTable late = table.get();
                table = Optional.empty();
                late.close();
            }
            if (table.isEmpty()) {
                table = Optional.of(new IncomingTable(
                        replica,
                        unit.ranges(),
                        receiving(deadline),
                        keptFor.isPresent() ? keepBytes : IncomingTable.NEVER));
                importDeadlineSeconds = deadline;
            }
            return table.get();
        }

        private Receiving receiving(long deadline) throws IOException {
            if (keptFor.isEmpty()) {
                return replica.receive(environment.newId(), deadline);
            }
            return replica.receiveKept(
                    leftAs.orElseGet(() -> UUID.nameUUIDFromBytes(unit.text().getBytes(StandardCharsets.UTF_8))),
                    environment.clock().instant().getEpochSecond()
                            + keptFor.get().toSeconds(),
                    environment.newId(),
                    deadline);
        }

        /** Makes all of it the replica's, or leaves it. */
        StreamReport complete() throws IOException {
            IncomingTable come = table.orElseThrow();
            if (leftAs.isPresent()) {
                come.suspend();
                return new StreamReport(
                        come.sstables(), come.parts(), come.rows(), come.bytes(), Receiving.NO_DEADLINE, List.of());
            }
            if (!replica.takesInAtOnce()) {
                DataAge.requireInTime(replica.schema(), importDeadlineSeconds, environment.clock());
            }
            long deadline = come.complete();
            return new StreamReport(
                    come.sstables(), come.parts(), come.rows(), come.bytes(), deadline, come.stagedIn());
        }

        void suspend() throws IOException {
            try (replica) {
                if (table.isPresent()) {
                    table.get().suspend();
                }
            }
        }

        @Override
        public void close() throws IOException {
            try (replica) {
                if (table.isPresent()) {
                    table.get().close();
                }
            }
        }
    }

    /** Fetches what is missing of a unit, and makes it the replica's. */
    StreamReport fetch(ReplicaSource tables, StreamUnit unit, StreamSource source, StreamListener listener)
            throws IOException {
        Incoming into = incoming(tables, unit);
        boolean isSound = false;
        try {
            into.fetch(source, listener);
        } catch (IOException | JobAbortedException e) {
            isSound = e instanceof PeerException
                    || e instanceof CorruptFrameException
                    || e instanceof JobAbortedException
                    || Thread.currentThread().isInterrupted();
            throw e;
        } finally {
            sound(unit, isSound);
        }
        StreamReport report = into.complete();
        listener.progress(report.rows(), report.bytes(), 1);
        synchronized (this) {
            incoming.remove(unit);
        }
        into.close();
        return report;
    }

    private synchronized void sound(StreamUnit unit, boolean isSound) {
        if (isSound) {
            sound.add(unit);
        } else {
            sound.remove(unit);
        }
    }

    private synchronized Incoming incoming(ReplicaSource tables, StreamUnit unit) throws IOException {
        Incoming known = incoming.get(unit);
        if (known == null) {
            known = begin(tables, unit);
            incoming.put(unit, known);
        }
        return known;
    }

    private Incoming begin(ReplicaSource tables, StreamUnit unit) throws IOException {
        int dot = unit.table().indexOf('.');
        Replica replica =
                tables.open(unit.table().substring(0, dot), unit.table().substring(dot + 1), Optional.empty());
        boolean ready = false;
        try {
            replica.checkReceiving();
            if (leftAs.isPresent() && !replica.keepsReceived()) {
                throw new ReplicaException(
                        "replica can't leave what it receives to be gone on with, replica=" + replica.name());
            }
            ready = true;
            return new Incoming(unit, replica);
        } finally {
            if (!ready) {
                replica.close();
            }
        }
    }

    @Override
    public synchronized void close() throws IOException {
        for (Map.Entry<StreamUnit, Incoming> left : incoming.entrySet()) {
            if (sound.contains(left.getKey())) {
                left.getValue().suspend();
            } else {
                left.getValue().close();
            }
        }
        incoming.clear();
    }
}
