package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.faults.Commands;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentCursor;
import io.anneal.merge.MergeCursor;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.directory.StagingDirectory;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.RandomFragments;
import io.anneal.testkit.RandomFragments.Feature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counters in files: what the statistics say of old shards, and what repair makes of that. */
class CounterFilesTest {
    private static final long SEED = Long.getLong("anneal.seed", 3);

    @TempDir
    private Path directory;

    private Path write(String replica, Set<Feature> features) throws IOException {
        TableOptions options = new TableOptions(864_000, 0.01, 128, Map.of(), Map.of(), false, Map.of());
        RandomFragments fragments = new RandomFragments(SEED, 30, options, features);
        FragmentList list = fragments.next(1);
        TableSchema schema = list.schema();
        assertThat(schema.hasCounters()).isTrue();
        try (StagingDirectory target = StagingDirectory.open(directory.resolve(replica));
                StagedWriter writer = new StagedWriter(
                        target.target(schema),
                        SSTableWriterConfig.defaults(30),
                        StagedWriter.SIZE_LIMIT_DEFAULT_BYTES);
                FragmentCursor merged = MergeCursor.of(schema, List.of(list.cursor()), CanonicalEncoder.UNCLAMPED)) {
            writer.append(merged);
            writer.finish();
            Path table = target.tableDirectory(schema);
            Files.writeString(table.resolve("schema.cql"), SchemaText.print(schema));
            return table;
        }
    }

    private static Path data(Path table) throws IOException {
        try (Stream<Path> files = Files.list(table)) {
            return files.filter(file -> file.getFileName().toString().endsWith(Component.DATA.fileSuffix()))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void shouldSayInStatisticsWhetherThereAreLegacyShards() throws IOException {
        try (SSTableReader global = Content.open(data(write("a", Set.of(Feature.COUNTERS))));
                SSTableReader legacy =
                        Content.open(data(write("b", Set.of(Feature.COUNTERS, Feature.LEGACY_SHARDS))))) {
            assertThat(global.statistics().hasLegacyCounterShards()).isFalse();
            assertThat(legacy.statistics().hasLegacyCounterShards()).isTrue();
        }
    }

    @Test
    void shouldRepairGlobalShardsAndRefuseLegacyOnesByName() throws IOException {
        Path global = write("a", Set.of(Feature.COUNTERS));
        Path same = write("c", Set.of(Feature.COUNTERS));
        Path legacy = write("b", Set.of(Feature.COUNTERS, Feature.LEGACY_SHARDS));

        assertThat(repair(global, same).exitCode()).isZero();
        Commands.Result refused = repair(global, legacy);
        assertThat(refused.exitCode()).isEqualTo(5);
        assertThat(refused.err())
                .contains("ANL-3003")
                .contains("counters with local or remote shards of Cassandra 2.0 or earlier are not repaired")
                .contains("table=ks.t")
                .contains(legacy.toString());
    }

    private static Commands.Result repair(Path... replicas) {
        return Commands.run(
                "repair",
                "--table",
                "ks.t",
                "--full-replicas",
                "--dry-run",
                "--dir",
                replicas[0].toString(),
                "--dir",
                replicas[1].toString());
    }

    @Test
    void shouldRewriteLegacyShardsAsTheyAre() throws IOException {
        Path legacy = write("b", Set.of(Feature.COUNTERS, Feature.LEGACY_SHARDS));
        Path target = directory.resolve("rewritten");

        Commands.Result result = Commands.run("sstable", "rewrite", legacy.toString(), "--to", target.toString());

        assertThat(result.exitCode()).as(result.err()).isZero();
        Path rewritten;
        try (Stream<Path> files = Files.walk(target)) {
            rewritten = files.filter(file -> file.getFileName().toString().endsWith(Component.DATA.fileSuffix()))
                    .findFirst()
                    .orElseThrow();
        }
        assertThat(Content.withoutPositions(List.of(Content.dump(rewritten, 0))))
                .isEqualTo(Content.withoutPositions(List.of(Content.dump(data(legacy), 0))));
        try (SSTableReader reader = Content.open(rewritten)) {
            assertThat(reader.statistics().hasLegacyCounterShards()).isTrue();
        }
    }
}
