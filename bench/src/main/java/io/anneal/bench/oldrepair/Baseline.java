package io.anneal.bench.oldrepair;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * A way to make the replicas of three nodes equal, beside which row-level repair is measured. Each node has one, over its own
 * store; the master's is asked to repair, the others answer it. Nothing is purged. Safe for any thread.
 */
public interface Baseline {
    /** As records have it. */
    String name();

    /**
     * Makes a table of this node and those of the followers equal, over the whole ring; what came is synced and read from when it
     * returns. Called on a thread that may wait.
     *
     * @param qualifiedTable {@code keyspace.table}, which all of them have
     */
    BaselineReport repair(String qualifiedTable, List<InetSocketAddress> followers) throws IOException;
}
