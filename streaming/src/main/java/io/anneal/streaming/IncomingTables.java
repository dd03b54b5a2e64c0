package io.anneal.streaming;

import io.anneal.environment.HostEnvironment;
import io.anneal.job.JobAbortedException;
import io.anneal.net.CorruptFrameException;
import io.anneal.net.PeerException;
import io.anneal.node.Receiving;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaSource;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
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
    private final Optional<Duration> keptFor;
    private final long keepBytes;
    private final Map<StreamUnit, Incoming> incoming = new HashMap<>();
    /** Units that failed for what a peer or the user did: what they have is worth to be gone on with. */
    private final Set<StreamUnit> sound = new HashSet<>();

    /**
     * @param keptFor how long what did not come to its end may be gone on with, if it may be
     * @param keepBytes so much may come twice after a crash
     */
    IncomingTables(HostEnvironment environment, Optional<Duration> keptFor, long keepBytes) {
        this.environment = environment;
        this.keptFor = keptFor;
        this.keepBytes = keepBytes;
    }

    /** A unit's data with the replica that it goes to. */
    private record Incoming(Replica replica, IncomingTable table) implements Closeable {
        void suspend() throws IOException {
            try (replica) {
                table.suspend();
            }
        }

        @Override
        public void close() throws IOException {
            try (replica) {
                table.close();
            }
        }
    }

    /** Fetches what is missing of a unit, and makes it the replica's. */
    StreamReport fetch(ReplicaSource tables, StreamUnit unit, StreamSource source, StreamListener listener)
            throws IOException {
        Incoming into = incoming(tables, unit);
        boolean isSound = false;
        try {
            into.table().fetch(source.connector().open(source.address()), source.replica(), listener);
        } catch (IOException | JobAbortedException e) {
            isSound = e instanceof PeerException
                    || e instanceof CorruptFrameException
                    || e instanceof JobAbortedException
                    || Thread.currentThread().isInterrupted();
            throw e;
        } finally {
            sound(unit, isSound);
        }
        long deadline = into.table().complete();
        StreamReport report = new StreamReport(
                into.table().sstables(), into.table().rows(), into.table().bytes(), deadline);
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
            long nowSeconds = environment.clock().instant().getEpochSecond();
            long deadline = nowSeconds + replica.schema().options().gcGraceSeconds();
            Receiving receiving = keptFor.isPresent()
                    ? replica.receiveKept(
                            UUID.nameUUIDFromBytes(unit.text().getBytes(StandardCharsets.UTF_8)),
                            nowSeconds + keptFor.get().toSeconds(),
                            environment.newId(),
                            deadline)
                    : replica.receive(environment.newId(), deadline);
            Incoming begun = new Incoming(
                    replica,
                    new IncomingTable(
                            replica, unit.ranges(), receiving, keptFor.isPresent() ? keepBytes : IncomingTable.NEVER));
            ready = true;
            return begun;
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
