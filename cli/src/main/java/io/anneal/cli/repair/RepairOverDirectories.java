package io.anneal.cli.repair;

import com.google.common.util.concurrent.MoreExecutors;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Repairs directories of this machine in one process. */
final class RepairOverDirectories {
    private static final long CLOSE_SECONDS = 30;
    private static final int THREADS_OF_PROCESSOR = 4;

    private final RepairTask task;
    private final HostEnvironment host;
    private final Optional<Path> schemaFile;

    RepairOverDirectories(RepairTask task, HostEnvironment host, Optional<Path> schemaFile) {
        this.task = task;
        this.host = host;
        this.schemaFile = schemaFile;
    }

    /**
     * @param repair all but the replicas
     * @param out where each replica's new SSTables go, or lie
     * @param budget memory for row buffers
     */
    void run(Repair repair, List<NamedReplica> named, Optional<Path> out, ByteBudget budget) throws IOException {
        try (OpenedDirectories opened = new OpenedDirectories(host, schemaFile, out, task.dryRun())) {
            List<RepairMember> replicas = new ArrayList<>();
            for (NamedReplica replica : named) {
                replicas.add(RepairMember.here(replica.name(), opened.open(replica)));
            }
            run(repair.between(replicas), replicas.size(), budget);
        }
    }

    /** What replicas do waits for disks and for nobody else, so that a few threads for each processor do. */
    private int threads(int replicas) {
        int useful =
                Math.max(replicas, THREADS_OF_PROCESSOR * Runtime.getRuntime().availableProcessors());
        return Math.min(useful, replicas * task.parallel());
    }

    private void run(Repair repair, int replicas, ByteBudget budget) throws IOException {
        ExecutorService executor = Executors.newFixedThreadPool(threads(replicas));
        try {
            repair.run(new RepairEnvironment(host, executor, budget).withTransfer(new StreamedRanges(host)));
        } finally {
            MoreExecutors.shutdownAndAwaitTermination(executor, CLOSE_SECONDS, TimeUnit.SECONDS);
        }
    }
}
