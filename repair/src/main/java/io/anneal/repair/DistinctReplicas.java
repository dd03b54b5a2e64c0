package io.anneal.repair;

import io.anneal.node.NodeFile;
import io.anneal.node.Replicas;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/** The replicas that take part in a repair, none of them twice: it would be compared with itself. One thread. */
final class DistinctReplicas {
    /**
     * A replica of a node.
     *
     * @param name there, which may be that of the only one
     */
    record Named(UUID nodeId, String name) {
        /** A node that answers for no name has one replica, whatever its name is. */
        boolean maybeSameAs(Named other) {
            return nodeId.equals(other.nodeId)
                    && (name.equals(other.name)
                            || name.equals(Replicas.THE_ONLY_ONE)
                            || other.name.equals(Replicas.THE_ONLY_ONE));
        }
    }

    private final Set<Named> replicas = new HashSet<>();

    /** @throws RepairException when it takes part already */
    void add(Named replica, String address) throws RepairException {
        if (replicas.stream().anyMatch(replica::maybeSameAs)) {
            throw new RepairException(
                    "one server is given as two replicas, or two servers have one id: give each server once; where a"
                            + " server's directory was copied with its id, remove that file from the copy and start it"
                            + " again, replica=" + address + ", node=" + replica.nodeId() + ", file=" + NodeFile.FILE);
        }
        replicas.add(replica);
    }
}
