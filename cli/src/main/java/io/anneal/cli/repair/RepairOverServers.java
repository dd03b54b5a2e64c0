package io.anneal.cli.repair;

import io.anneal.cli.command.Progress;
import io.anneal.environment.HostEnvironment;
import io.anneal.net.Connector;
import io.anneal.net.NetClient;
import io.anneal.net.NetConfig;
import io.anneal.net.VerbHandlers;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import io.anneal.repair.RepairReport;
import io.anneal.repair.RepairRunner;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Has the first of several servers repair, and watches it until it is done. */
final class RepairOverServers {
    private final RepairTask task;
    private final HostEnvironment host;

    RepairOverServers(RepairTask task, HostEnvironment host) {
        this.task = task;
        this.host = host;
    }

    RepairReport run(List<String> replicas, NetConfig config, Progress progress) throws IOException {
        ExecutorService executor = Executors.newCachedThreadPool();
        try (NetClient client = NetClient.open(config, new VerbHandlers(executor), host.random())) {
            Connector nodes = client.keepAll(RepairServer.CONNECT_PATIENCE_MS);
            List<RepairMember> members = replicas.stream()
                    .map(address -> RepairMember.at(nodes, RepairRunner.address(address)))
                    .toList();
            return task.repair()
                    .between(members)
                    .progress(done -> progress.update(done.bytes(), done.rows(), done.secondsLeft()))
                    .run(new RepairEnvironment(host, executor, config.budget()));
        } finally {
            executor.shutdownNow();
        }
    }
}
