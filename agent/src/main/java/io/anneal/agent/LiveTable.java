package io.anneal.agent;

import java.util.List;
import java.util.UUID;

/**
 * A table of a live node, as the node itself has it.
 *
 * @param id which a table that is dropped and made again does not keep
 * @param gcGraceSeconds for so long the node keeps deletions
 * @param hasCounters of which the node keeps some in a cache that an import does not reach
 * @param objections why rows must not be imported into it; empty if they may
 */
public record LiveTable(
        String keyspace, String name, UUID id, int gcGraceSeconds, boolean hasCounters, List<String> objections) {
    public LiveTable {
        objections = List.copyOf(objections);
    }

    public String qualifiedName() {
        return keyspace + "." + name;
    }
}
