package io.anneal.cli;

import com.google.common.util.concurrent.MoreExecutors;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.Replica;
import io.anneal.node.StagingArea;
import io.anneal.repair.LocalParticipant;
import io.anneal.repair.Participant;
import io.anneal.repair.RepairConfig;
import io.anneal.repair.RepairException;
import io.anneal.repair.RepairListener;
import io.anneal.repair.RepairMaster;
import io.anneal.repair.RepairReport;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Repairs directories of this machine in one process, a thread for each replica. */
final class RepairOverDirectories {
    private final RepairTask task;
    private final InstantSource clock;
    private final Optional<Path> schemaFile;

    RepairOverDirectories(RepairTask task, InstantSource clock, Optional<Path> schemaFile) {
        this.task = task;
        this.clock = clock;
        this.schemaFile = schemaFile;
    }

    /**
     * @param out where each replica's new SSTables go, or lie
     * @param rows where differing rows are named; null for nowhere
     */
    RepairReport run(List<NamedReplica> named, Optional<Path> out, Progress progress, PrintStream rows)
            throws IOException {
        List<StagingArea> stagings = new ArrayList<>();
        try {
            List<CassandraReplicas> replicas = new ArrayList<>();
            for (NamedReplica replica : named) {
                if (out.isPresent()) {
                    stagings.add(open(out.get().resolve(replica.name()), replica.owner()));
                }
                replicas.add(new CassandraReplicas(
                        List.of(replica.directory()),
                        schemaFile,
                        out.map(present -> stagings.get(stagings.size() - 1))));
            }
            return repair(replicas, progress, rows);
        } finally {
            for (StagingArea staging : stagings) {
                staging.close();
            }
        }
    }

    private StagingArea open(Path directory, String owner) throws IOException {
        if (task.dryRun() && !Files.isDirectory(directory)) {
            // Nothing is made by looking.
            throw new RepairException("nothing is staged there, directory=" + directory);
        }
        return StagingArea.open(directory, owner, clock);
    }

    private RepairReport repair(List<CassandraReplicas> replicas, Progress progress, PrintStream rows)
            throws IOException {
        String keyspace = task.table().keyspace();
        String table = task.table().table();
        List<ExecutorService> executors = new ArrayList<>();
        List<Participant> followers = new ArrayList<>();
        try (Replica own = replicas.get(0).open(keyspace, table, task.staged())) {
            for (CassandraReplicas follower : replicas.subList(1, replicas.size())) {
                executors.add(Executors.newSingleThreadExecutor());
                followers.add(new LocalParticipant(
                        "follower " + executors.size(), follower, executors.get(executors.size() - 1)));
            }
            Watch watch = new Watch(own.schema(), progress, rows);
            try (RepairMaster master = new RepairMaster(config(), own, followers, watch)) {
                return master.run();
            }
        } finally {
            followers.forEach(Participant::close);
            for (ExecutorService executor : executors) {
                // Ends behind the closing of its replica, which removes what was not finished.
                MoreExecutors.shutdownAndAwaitTermination(executor, 30, TimeUnit.SECONDS);
            }
        }
    }

    private RepairConfig config() {
        return new RepairConfig(
                task.runId(),
                task.table().keyspace(),
                task.table().table(),
                task.range(),
                task.bufferBytes(),
                clock.instant().getEpochSecond(),
                new SecureRandom().nextLong(),
                task.dryRun(),
                task.staged(),
                task.waivers());
    }

    /** Shows progress and names rows. */
    private static final class Watch implements RepairListener {
        private final TableSchema schema;
        private final Progress progress;
        private final PrintStream rows;

        Watch(TableSchema schema, Progress progress, PrintStream rows) {
            this.schema = schema;
            this.progress = progress;
            this.rows = rows;
        }

        @Override
        public void progress(long windows, long rowsRead, long bytesRead, RingPosition boundary) {
            progress.update(bytesRead, rowsRead);
        }

        @Override
        public void deletionDiffers(DecoratedKey key) {
            if (rows != null) {
                rows.println("differs: key=" + KeyText.of(schema, new KeyView().wrap(key)) + " deletion");
            }
        }

        @Override
        public void rowDiffers(RingPosition position) {
            if (rows == null) {
                return;
            }
            PositionInPartition place = position.position();
            rows.println("differs: key="
                    + KeyText.of(schema, new KeyView().wrap(position.key().orElseThrow()))
                    + (place.region() == PositionInPartition.Region.STATIC
                            ? " static"
                            : " clustering=" + KeyText.of(schema, place.prefix())));
        }
    }
}
