package io.anneal.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;

/** A server on one host of a simulated network and a client on another, with an echo. */
final class SimulatedPair implements AutoCloseable {
    static final InetAddress SERVER = SimulatedNetwork.address(1);
    static final InetAddress CLIENT = SimulatedNetwork.address(2);

    final SimulatedNetwork network;
    final ExecutorService executor;
    final VerbHandlers handlers;
    final List<IOException> failures = new ArrayList<>();
    final NetServer server;
    final NetClient client;

    Connection connection;

    private SimulatedPair(long seed, NetConfig config) throws IOException {
        network = new SimulatedNetwork(seed);
        executor = network.executor();
        handlers = new VerbHandlers(executor)
                .register(NetFixture.ECHO, (peer, request) -> CompletableFuture.completedFuture(request));
        server = NetServer.bind(
                config,
                new InetSocketAddress(SERVER, 7000),
                handlers,
                network.random(),
                failures::add,
                network.host(SERVER));
        client = NetClient.open(config, handlers, network.random(), network.host(CLIENT));
    }

    static SimulatedPair started(long seed) throws IOException {
        return started(seed, NetFixture.config());
    }

    static SimulatedPair started(long seed, NetConfig config) throws IOException {
        return new SimulatedPair(seed, config);
    }

    static SimulatedPair connected(long seed) throws IOException {
        SimulatedPair pair = started(seed);
        pair.connection = pair.connect();
        return pair;
    }

    Connection connect() throws IOException {
        return client.open(server.address());
    }

    NetClient client(NetConfig config, InetAddress address) throws IOException {
        return NetClient.open(config, handlers, network.random(), network.host(address));
    }

    void bothWays(SimulatedFaults faults) {
        network.faults(CLIENT, SERVER, faults);
        network.faults(SERVER, CLIENT, faults);
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
