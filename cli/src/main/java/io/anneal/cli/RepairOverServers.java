package io.anneal.cli;

import io.anneal.net.Connection;
import io.anneal.net.NetClient;
import io.anneal.net.NetConfig;
import io.anneal.net.VerbHandlers;
import io.anneal.repair.RepairClient;
import io.anneal.repair.RepairException;
import io.anneal.repair.RepairReport;
import io.anneal.repair.RepairRunner;
import io.anneal.repair.RepairStatus;
import io.anneal.repair.message.RunRepair;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Starts a repair on the first of several servers and watches it until it is done. */
final class RepairOverServers {
    private static final long POLL_MS = 100;

    private final RepairTask task;

    RepairOverServers(RepairTask task) {
        this.task = task;
    }

    RepairReport run(List<String> replicas, NetConfig config, Progress progress)
            throws IOException, InterruptedException {
        ExecutorService executor = Executors.newCachedThreadPool();
        try (NetClient client = NetClient.open(config, new VerbHandlers(executor), new SecureRandom());
                Connection connection = new PatientConnector(client).open(RepairRunner.address(replicas.get(0)))) {
            RepairClient master = new RepairClient(connection);
            master.start(new RunRepair(
                    task.runId(),
                    task.table().keyspace(),
                    task.table().table(),
                    task.range(),
                    replicas.subList(1, replicas.size()),
                    task.bufferBytes(),
                    task.dryRun(),
                    task.staged(),
                    task.waivers()));
            return watch(master, replicas.get(0), progress);
        } finally {
            executor.shutdownNow();
        }
    }

    private static RepairReport watch(RepairClient master, String address, Progress progress)
            throws IOException, InterruptedException {
        RepairStatus status = master.status();
        while (status.isRunning()) {
            progress.update(status.bytesRead(), status.rowsRead());
            TimeUnit.MILLISECONDS.sleep(POLL_MS);
            status = master.status();
        }
        if (status.failure().isPresent()) {
            throw new RepairException(status.failure().get() + ", repair-master=" + address);
        }
        return status.report().orElseThrow();
    }
}
