package io.anneal.cli;

import io.anneal.net.Connector;
import io.anneal.net.NetClient;
import io.anneal.net.NetConfig;
import io.anneal.net.VerbHandlers;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import io.anneal.repair.RepairReport;
import io.anneal.repair.RepairRunner;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Has the first of several servers repair, and watches it until it is done. */
final class RepairOverServers {
    private final RepairTask task;
    private final InstantSource clock;

    RepairOverServers(RepairTask task, InstantSource clock) {
        this.task = task;
        this.clock = clock;
    }

    RepairReport run(List<String> replicas, NetConfig config, Progress progress) throws IOException {
        ExecutorService executor = Executors.newCachedThreadPool();
        SecureRandom random = new SecureRandom();
        try (NetClient client = NetClient.open(config, new VerbHandlers(executor), random)) {
            Connector nodes = client.keepAll(RepairServer.CONNECT_PATIENCE_MS);
            List<RepairMember> members = replicas.stream()
                    .map(address -> RepairMember.at(nodes, RepairRunner.address(address)))
                    .toList();
            return task.repair()
                    .between(members)
                    .listener(new RepairWatch(progress, null))
                    .run(new RepairEnvironment(executor, config.budget(), clock, random, TimeUnit.NANOSECONDS::sleep));
        } finally {
            executor.shutdownNow();
        }
    }
}
