package io.anneal.cli.repair;

import io.anneal.environment.HostEnvironment;
import io.anneal.net.Connector;
import io.anneal.net.NetClient;
import io.anneal.net.NetConfig;
import io.anneal.net.VerbHandlers;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import io.anneal.repair.RepairRunner;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Has the first of several servers repair, and watches it until it is done. */
final class RepairOverServers {
    private final HostEnvironment host;

    RepairOverServers(HostEnvironment host) {
        this.host = host;
    }

    /** @param repair all but the replicas */
    void run(Repair repair, List<String> replicas, NetConfig config) throws IOException {
        ExecutorService executor = Executors.newCachedThreadPool();
        try (NetClient client = NetClient.open(config, new VerbHandlers(executor), host.random())) {
            Connector nodes = client.keepAll(RepairServer.CONNECT_PATIENCE_MS);
            List<RepairMember> members = replicas.stream()
                    .map(address -> RepairMember.at(nodes, RepairRunner.address(address)))
                    .toList();
            repair.between(members).run(new RepairEnvironment(host, executor, config.budget()));
        } finally {
            executor.shutdownNow();
        }
    }
}
