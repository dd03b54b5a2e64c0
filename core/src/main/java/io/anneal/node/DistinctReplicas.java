package io.anneal.node;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** The replicas that take part in something, none of them twice: it would be compared with itself, or fed with its own. One thread. */
public final class DistinctReplicas {
    /**
     * A replica of a node.
     *
     * @param name there, which may be that of the only one
     */
    public record Named(UUID nodeId, String name) {
        /** A node that answers for no name has one replica, whatever its name is. */
        boolean maybeSameAs(Named other) {
            return nodeId.equals(other.nodeId)
                    && (name.equals(other.name)
                            || name.equals(Replicas.THE_ONLY_ONE)
                            || other.name.equals(Replicas.THE_ONLY_ONE));
        }
    }

    private final Set<Named> replicas = new HashSet<>();

    /** @throws ReplicaException when it takes part already */
    public void add(Named replica, String address) throws ReplicaException {
        if (replicas.stream().anyMatch(replica::maybeSameAs)) {
            throw new ReplicaException(
                    "one server is given as two replicas, or two servers have one id: give each server once; where a"
                            + " server's directory was copied with its id, remove that file from the copy and start it"
                            + " again, replica=" + address + ", node=" + replica.nodeId() + ", file=" + NodeFile.FILE);
        }
        replicas.add(replica);
    }

    /**
     * Whatever the replicas are called, and whoever serves them.
     *
     * @throws ReplicaException when two have the same data
     */
    public static void requireDistinctData(List<ReplicaFacts> replicas) throws ReplicaException {
        Map<UUID, Integer> owners = new HashMap<>();
        for (int i = 0; i < replicas.size(); i++) {
            ReplicaFacts replica = replicas.get(i);
            for (UUID dataId : replica.dataIds()) {
                Integer owner = owners.putIfAbsent(dataId, i);
                if (owner != null && owner != i) {
                    throw new ReplicaException("one replica is given as two, both have the same data: give each replica"
                            + " once, replica=" + replicas.get(owner).name() + ", other=" + replica.name());
                }
            }
        }
    }
}
