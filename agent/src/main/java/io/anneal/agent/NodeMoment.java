package io.anneal.agent;

import io.anneal.node.Ring;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * What must stay as it is between a node's snapshot and an import, since rows of the snapshot are the node's own no longer
 * where any of it has changed: they may be truncated, of another table, or of a range that the node does not own.
 *
 * @param startedAt when its process began: a fence ends with that
 * @param schemaVersions of all nodes that it reaches, more than one while they do not agree; by version who has it
 * @param rings by keyspace
 * @param pendingKeyspaces in which ranges are about to have other owners
 * @param tables by qualified name
 */
record NodeMoment(
        UUID hostId,
        Instant startedAt,
        Map<String, Set<String>> schemaVersions,
        Map<String, Ring> rings,
        Set<String> pendingKeyspaces,
        Map<String, TableMoment> tables) {
    /** Stands for the versions of nodes that are not reached. */
    private static final String UNREACHABLE = "UNREACHABLE";

    /**
     * One table of it.
     *
     * @param truncation what the node keeps of its last one
     */
    record TableMoment(UUID id, Optional<String> truncation) {}

    NodeMoment {
        schemaVersions = Map.copyOf(schemaVersions);
        rings = Map.copyOf(rings);
        pendingKeyspaces = Set.copyOf(pendingKeyspaces);
        tables = Map.copyOf(tables);
    }

    /** What of it is about some of its tables. */
    NodeMoment of(List<LiveTable> some) {
        Set<String> keyspaces = some.stream().map(LiveTable::keyspace).collect(Collectors.toSet());
        Map<String, Ring> theirRings = new HashMap<>(rings);
        theirRings.keySet().retainAll(keyspaces);
        Set<String> theirPending = new HashSet<>(pendingKeyspaces);
        theirPending.retainAll(keyspaces);
        Map<String, TableMoment> theirs = new HashMap<>(tables);
        theirs.keySet().retainAll(names(some));
        return new NodeMoment(hostId, startedAt, schemaVersions, theirRings, theirPending, theirs);
    }

    /** Why nothing may begin now; empty if it may. */
    Optional<String> unrest() {
        Set<String> unreached = schemaVersions.getOrDefault(UNREACHABLE, Set.of());
        return unreached.isEmpty()
                ? disagreement(reachedVersions()).or(this::movement)
                : Optional.of("nodes can't be reached, nodes=" + new TreeSet<>(unreached));
    }

    private static Optional<String> disagreement(Set<String> versions) {
        return versions.size() == 1
                ? Optional.empty()
                : Optional.of("nodes do not agree about the schema, versions=" + versions);
    }

    /** Of the nodes that are reached: what only others know has not come here, and so has not changed the table. */
    private Set<String> reachedVersions() {
        return schemaVersions.keySet().stream()
                .filter(version -> !version.equals(UNREACHABLE))
                .collect(Collectors.toSet());
    }

    private Optional<String> movement() {
        return pendingKeyspaces.isEmpty()
                ? Optional.empty()
                : Optional.of("ranges are about to have other owners, keyspaces=" + pendingKeyspaces);
    }

    /** What is no longer as it was; empty if all of it is. */
    Optional<String> changeTo(NodeMoment now) {
        if (!hostId.equals(now.hostId)) {
            return Optional.of("another node answers, host-id=" + now.hostId + ", was=" + hostId);
        }
        if (!startedAt.equals(now.startedAt)) {
            return Optional.of("node was restarted, started=" + now.startedAt + ", was=" + startedAt);
        }
        for (Map.Entry<String, TableMoment> table : tables.entrySet()) {
            TableMoment then = table.getValue();
            TableMoment there = now.tables.get(table.getKey());
            if (there == null || !there.id.equals(then.id)) {
                return Optional.of(
                        "table was dropped" + (there == null ? "" : " and made again") + ", table=" + table.getKey());
            }
            if (!there.truncation.equals(then.truncation)) {
                return Optional.of("table was truncated, table=" + table.getKey());
            }
        }
        Set<String> versions = now.reachedVersions();
        if (!reachedVersions().equals(versions)) {
            return Optional.of("schema has changed, versions=" + versions + ", were=" + reachedVersions());
        }
        for (Map.Entry<String, Ring> ring : rings.entrySet()) {
            if (!Objects.equals(ring.getValue(), now.rings.get(ring.getKey()))) {
                return Optional.of("ranges have other owners, keyspace=" + ring.getKey());
            }
        }
        return disagreement(versions).or(now::movement);
    }

    static List<String> names(List<LiveTable> tables) {
        return tables.stream().map(LiveTable::qualifiedName).toList();
    }
}
