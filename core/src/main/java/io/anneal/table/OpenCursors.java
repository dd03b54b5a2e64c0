package io.anneal.table;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cursors of a store that are open, to find those that were forgotten: what the garbage collector took before it was
 * closed would keep files and memory for ever. Costs a read one small object and two short locks, of which there is one for
 * each of a few groups of threads. Any thread.
 */
final class OpenCursors {
    private static final Logger LOG = LoggerFactory.getLogger(OpenCursors.class);

    private static final int GROUPS = 16;

    /** What a cursor holds; must not lead to the cursor itself. */
    static final class Lease extends PhantomReference<LiveCursor> {
        private final Group group;
        private final LiveSet set;
        private final String table;
        private Lease previous;
        private Lease next;

        private Lease(LiveCursor cursor, ReferenceQueue<LiveCursor> forgotten, Group group, LiveSet set, String table) {
            super(cursor, forgotten);
            this.group = group;
            this.set = set;
            this.table = table;
        }
    }

    /** A doubly linked list behind a head that is no lease. */
    private static final class Group {
        private Lease first;

        synchronized void add(Lease lease) {
            lease.next = first;
            if (first != null) {
                first.previous = lease;
            }
            first = lease;
        }

        synchronized void remove(Lease lease) {
            if (lease.previous == null) {
                first = lease.next;
            } else {
                lease.previous.next = lease.next;
            }
            if (lease.next != null) {
                lease.next.previous = lease.previous;
            }
        }
    }

    private final ReferenceQueue<LiveCursor> forgotten = new ReferenceQueue<>();
    private final Group[] groups = new Group[GROUPS];
    /** Tables whose user was told. */
    private final Set<String> told = ConcurrentHashMap.newKeySet();

    OpenCursors() {
        for (int i = 0; i < GROUPS; i++) {
            groups[i] = new Group();
        }
    }

    /** @param set that the cursor holds */
    Lease opened(LiveCursor cursor, LiveSet set, String table) {
        Group group = groups[(int) Thread.currentThread().getId() & GROUPS - 1];
        Lease lease = new Lease(cursor, forgotten, group, set, table);
        group.add(lease);
        return lease;
    }

    /** Releases what the cursor held; called once, by the cursor. */
    void closed(Lease lease) {
        lease.clear();
        lease.group.remove(lease);
        lease.set.release();
    }

    /** Releases what forgotten cursors held. Now and then, by one thread. */
    void sweep() {
        for (Object found = forgotten.poll(); found != null; found = forgotten.poll()) {
            Lease lease = (Lease) found;
            if (told.add(lease.table)) {
                LOG.warn(
                        "cursor was never closed, what it kept of memory and files is released only now: close cursors and"
                                + " TableRows, best in a try-with-resources; this is told once a table, table={}",
                        lease.table);
            }
            lease.group.remove(lease);
            lease.set.releaseForgotten();
        }
    }
}
