package io.anneal.simulation;

import io.anneal.net.NetClient;
import io.anneal.net.NetConfig;
import io.anneal.net.NetServer;
import io.anneal.net.VerbHandlers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Replicas that are reached over real loopback connections. */
final class LoopbackFollowers extends RemoteFollowers {
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final Random nonces = new Random(1);
    private final long budgetBytes;

    LoopbackFollowers() {
        this(NetConfig.BUDGET_BYTES_DEFAULT);
    }

    LoopbackFollowers(long budgetBytes) {
        this.budgetBytes = budgetBytes;
    }

    @Override
    NetServer serve(int number, MemoryReplica replica) throws IOException {
        VerbHandlers handlers = new VerbHandlers(executor);
        register(handlers, replica, executor);
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        return NetServer.bind(config(number, budgetBytes), address, handlers, nonces);
    }

    @Override
    NetClient newClient() {
        return NetClient.open(config(0, budgetBytes), new VerbHandlers(executor), nonces);
    }

    @Override
    public void close() {
        super.close();
        executor.shutdown();
    }
}
