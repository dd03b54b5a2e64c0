package io.anneal.bench.oldrepair;

import io.anneal.node.Node;
import io.anneal.store.Store;
import java.util.List;

/** All ways that there are. */
public final class Baselines {
    /** Their names, the first of them that of what was published. */
    public static final List<String> NAMES = List.of();

    private Baselines() {}

    /** One of each for a node; they use the node's connections, threads and budget. */
    public static List<Baseline> of(Node node, Store store) {
        return List.of();
    }
}
