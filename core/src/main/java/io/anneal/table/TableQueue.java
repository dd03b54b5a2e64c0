package io.anneal.table;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tables that wait for something to be done with them, each once, in the order in which they came; several threads serve them. Any
 * thread.
 */
final class TableQueue {
    private static final Logger LOG = LoggerFactory.getLogger(TableQueue.class);

    private final Consumer<LiveTable> service;
    private final Deque<Executor> idle;
    private final Set<LiveTable> waiting = new LinkedHashSet<>();

    private boolean closed;

    /**
     * @param executors each for one table at a time
     * @param service what is done with a table; must not throw
     */
    TableQueue(Collection<? extends Executor> executors, Consumer<LiveTable> service) {
        idle = new ArrayDeque<>(executors);
        this.service = service;
    }

    void add(LiveTable table) {
        Executor executor;
        synchronized (this) {
            if (closed) {
                return;
            }
            waiting.add(table);
            executor = idle.poll();
        }
        if (executor != null) {
            try {
                executor.execute(() -> serve(executor));
            } catch (RejectedExecutionException e) {
                LOG.debug(
                        "store is closed, table is left to the next start, table={}",
                        table.schema().qualifiedName());
            }
        }
    }

    private void serve(Executor executor) {
        LiveTable table;
        while ((table = next(executor)) != null) {
            service.accept(table);
        }
    }

    /** Null when there is none: the executor is idle then. */
    private synchronized LiveTable next(Executor executor) {
        Iterator<LiveTable> tables = waiting.iterator();
        if (closed || !tables.hasNext()) {
            idle.add(executor);
            return null;
        }
        LiveTable table = tables.next();
        tables.remove();
        return table;
    }

    synchronized void remove(LiveTable table) {
        waiting.remove(table);
    }

    /** Nothing is begun any more. */
    synchronized void close() {
        closed = true;
        waiting.clear();
    }
}
