package io.anneal.table;

import io.anneal.fragment.CorruptItemException;
import io.anneal.io.StorageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether a store takes writes, and why not. Any thread. */
final class StoreState {
    private static final Logger LOG = LoggerFactory.getLogger(StoreState.class);

    private final String store;
    private final Consumer<StorageException> stopped;
    private final Consumer<StorageException> syncFailed;
    /** Made while there is memory. */
    private final StorageException memoryUsedUp;

    private volatile StorageException failure;
    private boolean isSyncFailureTold;
    private volatile boolean closed;

    /**
     * @param store names it in messages
     * @param stopped told once, when writes are taken no more
     * @param syncFailed told of the first sync that failed, before anybody who waits for it, be it the first failure or not
     */
    StoreState(String store, Consumer<StorageException> stopped, Consumer<StorageException> syncFailed) {
        this.store = store;
        this.stopped = stopped;
        this.syncFailed = syncFailed;
        memoryUsedUp = StorageException.ofFault(Path.of(store), new OutOfMemoryError());
    }

    /** Whether the disk has done all that it was told so far. */
    boolean isSound() {
        return failure == null;
    }

    /** What the disk failed at; null while it is sound. */
    StorageException failure() {
        return failure;
    }

    /** From now on no write is taken; reads go on. The first reason counts. */
    void fail(StorageException reason) {
        Optional<StorageException> sync = StorageException.failedSync(reason);
        boolean isFirst;
        boolean isFirstSync;
        synchronized (this) {
            isFirst = failure == null;
            isFirstSync = sync.isPresent() && !isSyncFailureTold;
            failure = isFirst ? reason : failure;
            isSyncFailureTold |= isFirstSync;
        }
        if (isFirstSync) {
            syncFailed.accept(sync.get());
        }
        if (!isFirst) {
            return;
        }
        LOG.error("store takes no writes any more, reads go on, store={}", store, reason);
        stopped.accept(reason);
    }

    /** The same for whatever kept a thread of the store from its work; throws nothing, though memory may be used up. */
    void stop(Throwable reason) {
        try {
            fail(broken(reason));
        } catch (OutOfMemoryError e) {
            synchronized (this) {
                failure = failure == null ? memoryUsedUp : failure;
            }
            try {
                stopped.accept(failure);
            } catch (OutOfMemoryError again) {
                LOG.trace("nobody could be told that the store has stopped");
            }
        }
    }

    /**
     * After a failure: takes no writes any more where nobody knows which names the disk holds. What is written behind it, and
     * then leaves the commit log, might be lost.
     */
    void heed(Throwable failure) {
        if (StorageException.leavesNamesUnsynced(failure)) {
            fail(broken(failure));
        }
    }

    boolean isClosed() {
        return closed;
    }

    /** Whether this call closed it. */
    synchronized boolean close() {
        boolean first = !closed;
        closed = true;
        return first;
    }

    /** For everybody who uses a closed store. */
    IllegalStateException closedFailure() {
        return new IllegalStateException("store is closed, store=" + store);
    }

    void requireOpen() {
        if (closed) {
            throw closedFailure();
        }
    }

    /** What a caller is told whose write is not taken for a failure that is of this write alone. */
    StorageException ofOneWrite(Throwable failure) {
        try {
            return broken(failure);
        } catch (OutOfMemoryError e) {
            return memoryUsedUp;
        }
    }

    /** What is made of whatever kept a thread of the store from its work. */
    StorageException broken(Throwable failure) {
        if (failure instanceof StorageException storage) {
            return storage;
        }
        // What is in memory was checked before it came there.
        return failure instanceof IOException disk && !(failure instanceof CorruptItemException)
                ? new StorageException("go on", Path.of(store), disk)
                : StorageException.ofFault(Path.of(store), failure);
    }

    /** What a writer is told whose write is not taken: a fresh one for each, with the reason behind it. */
    StorageException refusal() {
        try {
            return StorageException.after(failure);
        } catch (OutOfMemoryError e) {
            return failure;
        }
    }
}
