package io.anneal.cli.repair;

import io.anneal.agent.AgentKeyspace;
import io.anneal.agent.AgentPeer;
import io.anneal.agent.AgentStatus;
import io.anneal.cli.command.ClusterRefusedException;
import io.anneal.cli.command.Subcommand;
import io.anneal.net.Connector;
import io.anneal.net.PeerAddress;
import io.anneal.net.Waiting;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The agents of a cluster, by their nodes' names in the ring: those that were named, and of other nodes whoever listens at the node's
 * address, at the port of the first. One thread.
 */
final class ClusterAgents {
    private final Subcommand command;
    private final Connector connector;
    private final int port;
    /** By the endpoint that each states. */
    private final Map<String, AgentPeer> named = new LinkedHashMap<>();

    private final Map<String, AgentPeer> byOwner = new LinkedHashMap<>();

    /** @param addresses one at least */
    ClusterAgents(Subcommand command, Connector connector, List<InetSocketAddress> addresses) throws IOException {
        this.command = command;
        this.connector = connector;
        port = addresses.get(0).getPort();
        for (InetSocketAddress address : addresses) {
            AgentPeer agent = new AgentPeer(connector, address);
            AgentStatus status = Waiting.result(agent.status(List.of()));
            AgentPeer other = named.put(status.endpoint(), agent);
            if (other != null) {
                throw command.usage("two agents stand beside one node: name one of them, node=" + status.endpoint()
                        + ", agents=" + List.of(other.name(), agent.name()));
            }
        }
    }

    /** Keyspaces as the node of the first agent sees them. */
    List<AgentKeyspace> keyspaces(List<String> names) throws IOException {
        return Waiting.result(named.values().iterator().next().status(names)).keyspaces();
    }

    List<AgentPeer> named() {
        return List.copyOf(named.values());
    }

    /** @param owner a node of the ring */
    AgentPeer of(String owner) throws IOException {
        AgentPeer known = byOwner.get(owner);
        if (known == null) {
            known = find(owner);
            byOwner.put(owner, known);
        }
        return known;
    }

    private AgentPeer find(String owner) throws IOException {
        for (Map.Entry<String, AgentPeer> agent : named.entrySet()) {
            if (isOf(agent.getKey(), owner)) {
                return agent.getValue();
            }
        }
        AgentPeer agent = new AgentPeer(connector, new InetSocketAddress(PeerAddress.host(owner), port));
        String endpoint = Waiting.result(agent.status(List.of())).endpoint();
        if (!isOf(endpoint, owner)) {
            throw new ClusterRefusedException(
                    "agent stands beside another node than it should, agent=" + agent.name() + ", node=" + owner
                            + ", found=" + endpoint,
                    "name agents that listen elsewhere than at their node's address and the first one's port, with"
                            + " --agent");
        }
        return agent;
    }

    private static boolean isOf(String endpoint, String owner) {
        return endpoint.equals(owner) || PeerAddress.host(endpoint).equals(owner);
    }

    /**
     * Who owns what of a keyspace, of the nodes of some data centres if any are named.
     *
     * @throws ClusterRefusedException when there is nothing to compare
     */
    Ownership owned(AgentKeyspace keyspace, List<String> dataCentres) throws ClusterRefusedException {
        List<String> unknown = new ArrayList<>(dataCentres);
        unknown.removeAll(keyspace.dataCentres().values());
        if (!unknown.isEmpty()) {
            throw command.usage("keyspace has no replicas in the data centre, keyspace=" + keyspace.name()
                    + ", data-centres=" + unknown + ", known="
                    + new TreeSet<>(keyspace.dataCentres().values()));
        }
        List<String> nodes = keyspace.dataCentres().entrySet().stream()
                .filter(owner -> dataCentres.isEmpty() || dataCentres.contains(owner.getValue()))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
        Ownership owned = Ownership.of(keyspace.ring(), nodes);
        if (owned.share() == 0) {
            throw new ClusterRefusedException(
                    "no range of the keyspace has two replicas, keyspace=" + keyspace.name() + ", nodes=" + nodes
                            + (dataCentres.isEmpty() ? "" : ", data-centres=" + dataCentres),
                    "leave it out: there is nothing to compare, and nothing is held");
        }
        return owned;
    }
}
