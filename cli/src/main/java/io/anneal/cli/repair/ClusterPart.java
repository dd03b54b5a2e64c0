package io.anneal.cli.repair;

import io.anneal.agent.AgentPeer;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.cli.runs.RecordedReplica;
import io.anneal.key.TokenRange;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What of one keyspace is repaired among which nodes.
 *
 * @param agents in the order of the owners
 */
record ClusterPart(List<QualifiedTable> tables, Ownership owned, List<AgentPeer> agents) {
    ClusterPart {
        tables = List.copyOf(tables);
        agents = List.copyOf(agents);
    }

    String keyspace() {
        return tables.get(0).keyspace();
    }

    /** All nodes of all parts, as records have them. */
    static List<RecordedReplica> replicas(List<ClusterPart> parts) {
        Map<String, RecordedReplica> replicas = new LinkedHashMap<>();
        for (ClusterPart part : parts) {
            for (int i = 0; i < part.agents().size(); i++) {
                String node = part.owned().nodes().get(i);
                replicas.put(
                        node, new RecordedReplica(node, part.agents().get(i).name()));
            }
        }
        return List.copyOf(replicas.values());
    }

    /**
     * What is repaired among all that own it: all owners of all keyspaces take part, or those of one do in a data centre; of several
     * the same ranges of each can't be told.
     */
    static List<TokenRange> ranges(List<ClusterPart> parts) {
        if (parts.stream().allMatch(part -> part.owned().isComplete())) {
            return List.of(TokenRange.FULL);
        }
        return parts.size() == 1 ? parts.get(0).owned().complete() : List.of();
    }
}
