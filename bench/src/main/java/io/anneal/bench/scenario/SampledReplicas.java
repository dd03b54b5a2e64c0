package io.anneal.bench.scenario;

import com.google.common.util.concurrent.MoreExecutors;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.key.TokenRange;
import io.anneal.key.TokenRanges;
import io.anneal.node.CassandraReplicas;
import io.anneal.repair.DriftSample;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import io.anneal.repair.RepairReport;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Drawn replicas as directories beside Cassandra, which this process compares: all of them, or a sample. One thread. */
final class SampledReplicas implements Closeable {
    private static final int CLOSE_SECONDS = 30;

    private final LongSupplier nanoTime;
    private final RepairData data;
    private final ByteBudget budget;
    private final OptionalInt parallel;
    private final List<RepairMember> members = new ArrayList<>();
    private final ExecutorService executor = Executors.newFixedThreadPool(RepairDraw.REPLICAS);

    private SampledReplicas(LongSupplier nanoTime, RepairData data, RepairSizes sizes) {
        this.nanoTime = nanoTime;
        this.data = data;
        budget = ByteBudget.of(sizes.memoryBytes());
        parallel = sizes.parallel();
    }

    /** @param directory takes links to the drawn files */
    static SampledReplicas open(LongSupplier nanoTime, RepairData data, RepairSizes sizes, Path directory)
            throws IOException {
        SampledReplicas opened = new SampledReplicas(nanoTime, data, sizes);
        TableSchema schema = data.shape().schema();
        for (Path drawn : data.replicas()) {
            Path replica = directory.resolve("beside-" + drawn.getFileName());
            Path table =
                    Files.createDirectories(replica.resolve(schema.keyspace()).resolve(schema.name()));
            Files.writeString(table.resolve("schema.cql"), SchemaText.print(schema));
            try (DirectoryStream<Path> files = Files.newDirectoryStream(drawn)) {
                for (Path file : files) {
                    Files.createLink(table.resolve(file.getFileName()), file);
                }
            }
            opened.members.add(
                    RepairMember.here(new CassandraReplicas(List.of(replica), Optional.empty(), Optional.empty())));
        }
        return opened;
    }

    /** Compares all rows. */
    Run whole() throws IOException {
        return compare(TokenRanges.of(TokenRange.FULL));
    }

    /** Compares a share of them, each time another one. */
    Run sample(double share, long seed) throws IOException {
        return compare(new DriftSample(share, seed).of(TokenRanges.of(TokenRange.FULL)));
    }

    private Run compare(TokenRanges ranges) throws IOException {
        ProcessStopwatch stopwatch = new ProcessStopwatch(nanoTime);
        Repair repair = Repair.of(data.shape().schema().qualifiedName())
                .between(members)
                .ranges(ranges.ranges())
                .dryRun(true);
        parallel.ifPresent(repair::parallel);
        RepairReport report = repair.run(new RepairEnvironment(HostEnvironment.system(), executor, budget));
        long rows = report.replicas().stream()
                .mapToLong(RepairReport.ReplicaReport::rowsRead)
                .sum();
        return stopwatch.run(rows, 0);
    }

    @Override
    public void close() {
        MoreExecutors.shutdownAndAwaitTermination(executor, CLOSE_SECONDS, TimeUnit.SECONDS);
    }
}
