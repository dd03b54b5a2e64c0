package io.anneal.simulation;

import io.anneal.net.NetClient;
import io.anneal.net.NetConfig;
import io.anneal.net.NetServer;
import io.anneal.net.SimulatedNetwork;
import io.anneal.net.VerbHandlers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;

/** Replicas that are reached over a simulated network, each on a host of its own. */
final class SimulatedFollowers extends RemoteFollowers {
    static final InetAddress MASTER = SimulatedNetwork.address(1);

    private static final int PORT = 7000;

    private final SimulatedNetwork network;
    private final long budgetBytes;

    SimulatedFollowers(SimulatedNetwork network) {
        this(network, NetConfig.BUDGET_BYTES_DEFAULT);
    }

    SimulatedFollowers(SimulatedNetwork network, long budgetBytes) {
        this.network = network;
        this.budgetBytes = budgetBytes;
    }

    /** @param number of the follower, from 1 */
    static InetAddress host(int number) {
        return SimulatedNetwork.address(1 + number);
    }

    @Override
    NetServer serve(int number, MemoryReplica replica) throws IOException {
        ExecutorService executor = network.executor();
        VerbHandlers handlers = new VerbHandlers(executor);
        register(handlers, replica, executor);
        return NetServer.bind(
                config(number, budgetBytes),
                new InetSocketAddress(host(number), PORT),
                handlers,
                network.random(),
                failure -> {},
                network.host(host(number)));
    }

    @Override
    NetClient newClient() {
        return NetClient.open(
                config(0, budgetBytes), new VerbHandlers(network.executor()), network.random(), network.host(MASTER));
    }
}
