package io.anneal.paging;

import io.anneal.node.Replica;
import io.anneal.node.ReplicaSchema;
import io.anneal.node.Replicas;
import io.anneal.paging.message.TableName;
import io.anneal.paging.querier.QuerierPages;
import io.anneal.paging.querier.Queriers;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tables of a node's replicas that are open for paging: opened with the first page, closed when nobody has asked for one in a while, so
 * that no files are kept that others wait to delete. Safe for any thread.
 */
final class ServedTables implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(ServedTables.class);
    /** A directory is read as it was when it was opened: a scan that begins later than that opens it anew. */
    private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Replicas replicas;
    private final Queriers queriers;
    private final LongSupplier nanoTime;
    private final long idleNanos;
    private final Map<TableName, Served> tables = new HashMap<>();
    private boolean isClosed;

    /** An open table, used by those who read it. */
    final class Served implements Closeable {
        private final Replica replica;
        private final QuerierPages pages;
        private final TableSchema schema;
        private final String schemaText;
        private final long openedNanos = nanoTime.getAsLong();
        private long usedNanos = openedNanos;
        private int users;
        private boolean isBroken;

        private Served(TableName name, Replica replica) {
            this.replica = replica;
            pages = queriers.pages(name.toString(), replica.reads());
            schema = replica.schema();
            schemaText = SchemaText.print(schema);
        }

        Replica replica() {
            return replica;
        }

        /** Refuses who knows another schema. As a rule it is the same text: to parse it costs more than a small page. */
        void requireSchema(String text) throws IOException {
            if (!text.equals(schemaText) || !schema.equals(replica.schema())) {
                ReplicaSchema.require(replica, text, "reader");
            }
        }

        QuerierPages pages() {
            return pages;
        }

        /** Nobody takes it up again: it may have been dropped, or lie on a broken disk. */
        void broken() {
            synchronized (ServedTables.this) {
                isBroken = true;
            }
        }

        private boolean isFree(boolean isFirstPage) {
            long nowNanos = nanoTime.getAsLong();
            return users == 0
                    && (isBroken
                            || isClosed
                            || nowNanos - usedNanos >= idleNanos
                            || isFirstPage && nowNanos - openedNanos >= STALE_NANOS);
        }

        /** Its user is done with it. */
        @Override
        public void close() {
            List<Served> free = List.of();
            synchronized (ServedTables.this) {
                users--;
                usedNanos = nanoTime.getAsLong();
                if (isBroken || isClosed) {
                    free = takeFree();
                }
            }
            free.forEach(Served::end);
        }

        private void end() {
            pages.close();
            try {
                replica.close();
            } catch (IOException | RuntimeException e) {
                LOG.warn("table was not closed cleanly, replica={}", replica.name(), e);
            }
        }
    }

    ServedTables(Replicas replicas, Queriers queriers, LongSupplier nanoTime, Duration idle) {
        this.replicas = replicas;
        this.queriers = queriers;
        this.nanoTime = nanoTime;
        idleNanos = idle.toNanos();
    }

    /**
     * Opens a table, or takes up an open one; the caller closes it.
     *
     * @param isFirstPage whether no queriers are there of it
     */
    Served take(TableName name, boolean isFirstPage) throws IOException {
        List<Served> free = new ArrayList<>();
        try {
            synchronized (this) {
                if (isClosed) {
                    throw new IllegalStateException("node is closed");
                }
                Served known = tables.get(name);
                if (known != null && known.isFree(isFirstPage)) {
                    free.add(tables.remove(name));
                }
                Served served = tables.get(name);
                if (served == null || served.isBroken) {
                    served = new Served(
                            name, replicas.get(name.replica()).open(name.keyspace(), name.table(), Optional.empty()));
                    Served replaced = tables.put(name, served);
                    assert replaced == null || replaced.isBroken;
                }
                served.users++;
                return served;
            }
        } finally {
            free.forEach(Served::end);
        }
    }

    void forget(TableName name, UUID queryId) {
        Served known;
        synchronized (this) {
            known = tables.get(name);
        }
        if (known != null) {
            known.pages.forget(queryId);
        }
    }

    private synchronized List<Served> takeFree() {
        List<Served> free = new ArrayList<>();
        for (Iterator<Served> all = tables.values().iterator(); all.hasNext(); ) {
            Served served = all.next();
            if (served.isFree(false)) {
                all.remove();
                free.add(served);
            }
        }
        return free;
    }

    /** Closes those that nobody has asked for in a while. */
    void sweep() {
        takeFree().forEach(Served::end);
    }

    /** Tables that nobody reads are closed at once, the others by who reads them. */
    @Override
    public void close() {
        List<Served> free;
        synchronized (this) {
            isClosed = true;
            free = takeFree();
        }
        free.forEach(Served::end);
    }
}
