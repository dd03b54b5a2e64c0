package io.anneal.simulation;

import io.anneal.io.ByteBudget;
import io.anneal.net.Connector;
import io.anneal.net.NetClient;
import io.anneal.net.NetConfig;
import io.anneal.net.SimulatedFaults.Cut;
import io.anneal.net.SimulatedNetwork;
import io.anneal.net.VerbHandlers;
import java.net.InetAddress;
import java.util.List;

/** The machine of a simulated network on which a command runs that has no replica: it asks a host to repair, and watches. */
final class AskingHost implements AutoCloseable {
    private static final int NUMBER = 1_000;
    private static final long BUDGET_BYTES = 64 << 20;

    private final SimulatedNetwork network;
    private final ByteBudget budget = ByteBudget.of(BUDGET_BYTES);
    private NetClient client;
    private Connector peers;
    private boolean running;
    private int starts;

    AskingHost(SimulatedNetwork network) {
        this.network = network;
    }

    InetAddress host() {
        return SimulatedNetwork.address(NUMBER);
    }

    ByteBudget budget() {
        return budget;
    }

    boolean isRunning() {
        return running;
    }

    int starts() {
        return starts;
    }

    /** Unless it runs. */
    void start() {
        if (running) {
            return;
        }
        NetConfig config = RemoteFollowers.config(NUMBER, budget.totalBytes()).withBudget(budget);
        client = NetClient.open(config, new VerbHandlers(network.executor()), network.random(), network.host(host()));
        peers = client.keepAll(ReplicaHost.CONNECT_PATIENCE_MS);
        running = true;
        starts++;
    }

    /** @param cut what the hosts learn of it */
    void die(Cut cut, List<ReplicaHost> hosts) {
        if (!running) {
            return;
        }
        running = false;
        for (ReplicaHost host : hosts) {
            network.cut(host(), host.host(), cut);
            network.cut(host.host(), host(), cut);
        }
        client.close();
    }

    /** Connections that are kept for all repairs. */
    Connector peers() {
        return peers;
    }

    /** Connections for one repair. */
    OneConnectionEach ownConnections() {
        return new OneConnectionEach(client);
    }

    @Override
    public void close() {
        if (running) {
            running = false;
            client.close();
        }
    }

    @Override
    public String toString() {
        return "the asker";
    }
}
