package io.anneal.cli.repair;

import com.google.common.hash.Hashing;
import io.anneal.agent.AgentPeer;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.cli.runs.RecordedReplica;
import io.anneal.key.TokenRange;
import java.nio.charset.StandardCharsets;
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

    /** Of who owns what, and which agents stand beside them: the same of the same parts, whatever the order in which a node tells. */
    static String fingerprint(List<ClusterPart> parts) {
        StringBuilder text = new StringBuilder();
        for (ClusterPart part : parts) {
            List<String> agents = part.agents().stream().map(AgentPeer::name).toList();
            List<String> ranges = part.owned().ring().orElseThrow().parts().stream()
                    .map(range -> range.range() + "="
                            + range.owners().stream().sorted().toList())
                    .sorted()
                    .toList();
            text.append(part.tables())
                    .append(part.owned().nodes())
                    .append(agents)
                    .append(ranges);
        }
        return Hashing.sha256().hashString(text, StandardCharsets.UTF_8).toString();
    }
}
