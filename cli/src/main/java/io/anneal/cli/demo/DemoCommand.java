package io.anneal.cli.demo;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.OutputDirectory;
import io.anneal.cli.command.Progress;
import io.anneal.cli.command.Subcommand;
import io.anneal.cli.repair.CommandNode;
import io.anneal.key.TokenRange;
import io.anneal.net.NetConfig;
import io.anneal.net.SharedToken;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.Replica;
import io.anneal.node.StagingArea;
import io.anneal.repair.DeletionDifference;
import io.anneal.repair.DifferenceListener;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import io.anneal.repair.RepairReport;
import io.anneal.repair.RowDifference;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code anneal demo}: three embedded replicas, made to differ, repaired over loopback, and read to prove it. */
@Command(
        name = "demo",
        description = "The tour: three replicas that differ become equal, with only the differing rows on the wire.")
public final class DemoCommand extends Subcommand {
    private static final int REPLICAS = 3;
    private static final long SEED = 20_261_121;
    private static final int TOKEN_BYTES = 32;

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "100000",
            description = "Rows; ${DEFAULT-VALUE} unless told.")
    private int rows;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Keep the replicas' files here, instead of deleting them.")
    private Path keep;

    @Override
    protected void addChecks(OptionChecks checks) {
        checks.add(
                "--rows", () -> require(rows >= 1 && rows <= 50_000_000, "--rows takes a number from 1 to 50,000,000"));
    }

    @Override
    protected int execute() throws IOException {
        if (keep != null) {
            OutputDirectory.requireEmpty("--dir", keep);
        }
        Path directory = keep == null ? Files.createTempDirectory("anneal-demo") : Files.createDirectories(keep);
        try {
            return run(directory);
        } finally {
            if (keep == null) {
                MoreFiles.deleteRecursively(directory, RecursiveDeleteOption.ALLOW_INSECURE);
            }
        }
    }

    private int run(Path directory) throws IOException {
        say("writing three replicas of demo.readings, " + rows + " rows, as Cassandra's nb SSTables ...");
        long startNanos = environment().nanoTime().getAsLong();
        DemoData data = new DemoData(rows, SEED, nowSeconds());
        List<StagingArea> stagings = new ArrayList<>();
        try {
            List<CassandraReplicas> replicas = new ArrayList<>();
            try (Progress progress = progress("writing").total(data.valueBytes(REPLICAS))) {
                for (int i = 0; i < REPLICAS; i++) {
                    Path replica = directory.resolve("replica-" + (i + 1));
                    data.write(replica.resolve("data"), i, progress);
                    stagings.add(StagingArea.open(
                            replica.resolve("staging"),
                            "replica-" + (i + 1),
                            environment().clock()));
                    replicas.add(new CassandraReplicas(
                            List.of(replica.resolve("data")), Optional.empty(), Optional.of(stagings.get(i))));
                }
            }
            long writtenNanos = environment().nanoTime().getAsLong();
            say(String.format(Locale.ROOT, "written in %.1f s", seconds(startNanos, writtenNanos)));
            return show(replicas, directory);
        } finally {
            for (StagingArea staging : stagings) {
                staging.close();
            }
        }
    }

    private int show(List<CassandraReplicas> replicas, Path directory) throws IOException {
        List<ReplicaReading> before = read(replicas, Optional.empty(), Set.of());
        if (before.get(0).equalTo(before.get(1)) && before.get(0).equalTo(before.get(2))) {
            say("the replicas do not differ: --rows is too small for one difference in a thousand rows");
        }
        say("repairing over loopback: replica-1 is the master, replica-2 and replica-3 listen on 127.0.0.1 ...");
        Set<Long> differing = new HashSet<>();
        long startNanos = environment().nanoTime().getAsLong();
        RepairReport report = repair(replicas, new DifferenceListener() {
            @Override
            public void deletionDiffers(DeletionDifference difference) {
                differing.add(difference.key().token());
            }

            @Override
            public void rowDiffers(RowDifference difference) {
                difference.place().key().ifPresent(key -> differing.add(key.token()));
            }
        });
        double repairSeconds = seconds(startNanos, environment().nanoTime().getAsLong());
        List<ReplicaReading> after =
                read(replicas, Optional.of(report.sessionIds().get(0)), differing);
        boolean equal = after.get(0).equalTo(after.get(1)) && after.get(0).equalTo(after.get(2));
        DemoTable table = new DemoTable(report, before, after, repairSeconds);
        if (json()) {
            table.write(resultFields(), equal);
            resultFields().writeStringField("directory", keep == null ? null : directory.toString());
            return equal ? ExitCode.YES : ExitCode.NO;
        }
        table.print(out());
        if (equal) {
            out().printf(
                            Locale.ROOT,
                            "The three replicas are equal: each was read again and holds %,d rows with the combined hash %016x%016x.%n",
                            after.get(0).rows(),
                            after.get(0).hash().high(),
                            after.get(0).hash().low());
        } else {
            out().println("The three replicas are NOT equal: this is a bug, please report it.");
        }
        if (keep != null) {
            out().println("The replicas' files are in " + directory);
        }
        return equal ? ExitCode.YES : ExitCode.NO;
    }

    private RepairReport repair(List<CassandraReplicas> replicas, DifferenceListener listener) throws IOException {
        byte[] secret = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(secret);
        SharedToken token = SharedToken.of(secret);
        List<CommandNode> followers = new ArrayList<>();
        try (CommandNode master = CommandNode.open(config(token))) {
            List<RepairMember> members = new ArrayList<>(List.of(RepairMember.here(replicas.get(0))));
            for (CassandraReplicas replica : replicas.subList(1, replicas.size())) {
                InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
                CommandNode follower = CommandNode.serve(any, replica, config(token), host());
                followers.add(follower);
                members.add(RepairMember.at(master.node().peers(), follower.address()));
            }
            return Repair.of(DemoData.KEYSPACE + "." + DemoData.TABLE)
                    .between(members)
                    .range(TokenRange.FULL)
                    .differences(listener)
                    .run(new RepairEnvironment(host(), master.node().executor(), budget()));
        } finally {
            followers.forEach(CommandNode::close);
        }
    }

    private NetConfig config(SharedToken token) {
        return CommandNode.config(UUID.randomUUID(), Optional.of(token), budget());
    }

    private static List<ReplicaReading> read(
            List<CassandraReplicas> replicas, Optional<UUID> staged, Set<Long> dirtyTokens) throws IOException {
        List<ReplicaReading> readings = new ArrayList<>();
        for (CassandraReplicas replica : replicas) {
            try (Replica table = replica.open(DemoData.KEYSPACE, DemoData.TABLE, staged)) {
                readings.add(ReplicaReading.of(table, dirtyTokens));
            }
        }
        return readings;
    }

    private static double seconds(long startNanos, long endNanos) {
        return (endNanos - startNanos) / (double) TimeUnit.SECONDS.toNanos(1);
    }
}
