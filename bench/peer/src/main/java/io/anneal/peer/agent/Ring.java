package io.anneal.peer.agent;

import com.google.common.util.concurrent.Uninterruptibles;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.cassandra.gms.Gossiper;
import org.apache.cassandra.service.StorageProxy;

/** Waits for what gossip has to tell the nodes of a ring. */
final class Ring {
    private static final int CHECKS_MAX = 600;
    private static final int PAUSE_MS = 50;

    private Ring() {}

    /** Until this node sees that many nodes alive, itself included. */
    static List<List<String>> awaitMembers(int nodeCount) {
        await(() -> liveCount() >= nodeCount, "too few nodes alive");
        return List.of();
    }

    /** Until all nodes this one sees alive have the same schema. */
    static void awaitSchemaAgreement() {
        if (liveCount() > 1) {
            await(() -> StorageProxy.describeSchemaVersions(false).size() == 1, "nodes do not agree on the schema");
        }
    }

    private static int liveCount() {
        return Gossiper.instance.getLiveMembers().size();
    }

    private static void await(BooleanSupplier condition, String failure) {
        for (int i = 0; i < CHECKS_MAX; i++) {
            if (condition.getAsBoolean()) {
                return;
            }
            Uninterruptibles.sleepUninterruptibly(PAUSE_MS, TimeUnit.MILLISECONDS);
        }
        throw new IllegalStateException(failure + ", alive=" + Gossiper.instance.getLiveMembers());
    }
}
