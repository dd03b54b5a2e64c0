package io.anneal.table;

import io.anneal.io.StorageException;
import io.anneal.sstable.CorruptSSTableException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells a store's listener, elsewhere than on the thread on which something failed. Any thread. */
final class FailureNotices {
    private static final Logger LOG = LoggerFactory.getLogger(FailureNotices.class);

    private final StoreListener listener;
    private final Executor executor;
    private final Set<Path> corruptFiles = ConcurrentHashMap.newKeySet();

    FailureNotices(StoreListener listener, Executor executor) {
        this.listener = listener;
        this.executor = executor;
    }

    void writesStopped(StorageException reason) {
        tell(to -> to.writesStopped(reason));
    }

    void flushFailed(LiveTable table, Throwable reason) {
        tell(to -> to.flushFailed(table.schema().qualifiedName(), reason));
    }

    void compactionFailed(LiveTable table, Throwable reason) {
        tell(to -> to.compactionFailed(table.schema().qualifiedName(), reason));
    }

    void sstableCorrupt(String table, CorruptSSTableException reason) {
        if (corruptFiles.add(reason.file())) {
            tell(to -> to.sstableCorrupt(table, reason));
        }
    }

    void tableUnreadable(UnreadableTable table) {
        tell(to -> to.tableUnreadable(table.qualifiedName(), table.reason()));
    }

    private void tell(Consumer<StoreListener> call) {
        if (listener != StoreListener.NONE) {
            executor.execute(() -> {
                try {
                    call.accept(listener);
                } catch (RuntimeException | Error e) {
                    LOG.warn("listener of a store failed, listener={}", listener, e);
                }
            });
        }
    }
}
