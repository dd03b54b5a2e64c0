package io.anneal.node;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;

/** A node's replicas by the names that peers ask for them by. Safe for any thread. */
public final class Replicas {
    /** What a peer asks for that knows no name: the only one that there is. */
    public static final String THE_ONLY_ONE = "";

    private final Map<String, ReplicaSource> sources = new ConcurrentSkipListMap<>();

    /** @throws IllegalArgumentException when the name is empty, or taken */
    public Replicas add(String name, ReplicaSource source) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("replicas of a node need a name");
        }
        if (sources.putIfAbsent(name, source) != null) {
            throw new IllegalArgumentException("node has replicas of this name already, name=" + name);
        }
        return this;
    }

    /**
     * Returns the replicas of a name.
     *
     * @param name may be {@link #THE_ONLY_ONE}
     * @throws ReplicaException when there are none of this name, or several and none is named
     */
    public ReplicaSource get(String name) throws ReplicaException {
        Map<String, ReplicaSource> known = Map.copyOf(sources);
        if (name.equals(THE_ONLY_ONE) && known.size() == 1) {
            return known.values().iterator().next();
        }
        ReplicaSource source = known.get(name);
        if (source == null) {
            String reason = name.equals(THE_ONLY_ONE) && !known.isEmpty()
                    ? "node has several replicas: name one of them"
                    : "node has no replica of this name";
            throw new ReplicaException(reason + ", name=" + name + ", names=" + names());
        }
        return source;
    }

    /** In the order of the alphabet. */
    public Set<String> names() {
        return sources.keySet();
    }
}
