package io.anneal.streaming;

import io.anneal.environment.HostEnvironment;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaSource;
import java.io.Closeable;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What units bring to the replica of this process, over all their attempts. Closing removes what did not come to its end. Any thread. */
final class IncomingTables implements Closeable {
    private final HostEnvironment environment;
    private final Map<StreamUnit, Incoming> incoming = new HashMap<>();

    IncomingTables(HostEnvironment environment) {
        this.environment = environment;
    }

    /** A unit's data with the replica that it goes to. */
    private record Incoming(Replica replica, IncomingTable table) implements Closeable {
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
        into.table().fetch(source.connector().open(source.address()), source.replica(), listener);
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
            Incoming begun = new Incoming(
                    replica, new IncomingTable(replica, unit.ranges(), replica.receive(environment.newId(), deadline)));
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
        for (Incoming left : incoming.values()) {
            left.close();
        }
        incoming.clear();
    }
}
