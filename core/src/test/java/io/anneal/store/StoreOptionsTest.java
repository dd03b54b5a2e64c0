package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.schema.SchemaException;
import io.anneal.sstable.SSTableVersion;
import io.anneal.table.StoreConfig;
import io.anneal.table.SyncMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every option at its edges: a table is refused at once, or works to its end. */
final class StoreOptionsTest {
    private static final List<String> EDGES = List.of(
            "-2147483648",
            "-1",
            "0",
            "1",
            "2",
            "33",
            "630720001",
            "2147483647",
            "2147483648",
            "4294967297",
            "9223372036854775807",
            "9223372036854775808",
            "0.5",
            "1e-5",
            "6.72e-5",
            "1.5",
            "NaN",
            "Infinity",
            "",
            "x",
            "FALSE",
            "1MiB",
            "99999999TiB");

    private static final List<String> WORDS = List.of(
            "none",
            "ALL",
            "row",
            "high",
            "99p",
            "MIN(99p,50ms)",
            "BLOCKING",
            "HOURS",
            "DAYS",
            "EONS",
            "N, T4",
            "L2147483648");

    private static final int GROUP = 100;

    private static final List<String> OPTIONS = List.of(
            "bloom_filter_fp_chance",
            "gc_grace_seconds",
            "min_index_interval",
            "max_index_interval",
            "crc_check_chance",
            "default_time_to_live",
            "memtable_flush_period_in_ms",
            "speculative_retry",
            "additional_write_policy",
            "read_repair",
            "memtable",
            "cdc",
            "comment",
            "caching",
            "tombstone_gc",
            "id",
            "no_such_option");

    private static final Map<String, List<String>> COMPACTIONS = Map.of(
            "SizeTieredCompactionStrategy",
            List.of("min_threshold", "max_threshold", "bucket_low", "bucket_high", "min_sstable_size"),
            "LeveledCompactionStrategy",
            List.of("sstable_size_in_mb", "fanout_size", "single_sstable_uplevel", "min_threshold"),
            "TimeWindowCompactionStrategy",
            List.of(
                    "compaction_window_unit",
                    "compaction_window_size",
                    "timestamp_resolution",
                    "expired_sstable_check_frequency_seconds",
                    "unsafe_aggressive_sstable_expiration"),
            "UnifiedCompactionStrategy",
            List.of(
                    "scaling_parameters",
                    "target_sstable_size",
                    "min_sstable_size",
                    "flush_size_override",
                    "base_shard_count",
                    "sstable_growth",
                    "max_sstables_to_compact",
                    "overlap_inclusion_method"));

    private static final List<String> COMPACTION_OPTIONS = List.of(
            "enabled",
            "tombstone_threshold",
            "tombstone_compaction_interval",
            "unchecked_tombstone_compaction",
            "only_purge_repaired_tombstones",
            "provide_overlapping_tombstones",
            "log_all",
            "no_such_option");

    private static final List<String> COMPRESSION_OPTIONS = List.of(
            "enabled",
            "chunk_length_in_kb",
            "min_compress_ratio",
            "crc_check_chance",
            "compression_level",
            "lz4_compressor_type",
            "lz4_high_compressor_level",
            "no_such_option");

    @TempDir
    private Path directory;

    private static List<String> edges() {
        List<String> values = new ArrayList<>(EDGES);
        values.addAll(WORDS);
        return values;
    }

    /** {@code WITH} clauses; each says one thing that may be wrong. */
    private static List<String> clauses() {
        List<String> clauses = new ArrayList<>();
        for (String option : OPTIONS) {
            edges().forEach(value -> clauses.add(option + " = '" + value.replace("'", "''") + "'"));
            clauses.add(option + " = {}");
            clauses.add(option + " = {'mode': 'repair'}");
            clauses.add(option + " = {'mode': 'immediate'}");
            clauses.add(option + " = {'keys': 'ALL', 'rows_per_partition': '-1'}");
        }
        COMPACTIONS.forEach((name, own) -> own.forEach(option -> maps("compaction", name, option, clauses)));
        COMPACTION_OPTIONS.forEach(option -> maps("compaction", "SizeTieredCompactionStrategy", option, clauses));
        for (String name : List.of("LZ4Compressor", "ZstdCompressor")) {
            COMPRESSION_OPTIONS.forEach(option -> maps("compression", name, option, clauses));
        }
        for (String map : List.of("compaction", "compression")) {
            edges().forEach(value -> clauses.add(map + " = {'class': '" + value.replace("'", "''") + "'}"));
            clauses.add(map + " = {}");
            clauses.add(map + " = {'enabled': 'false'}");
        }
        return clauses;
    }

    private static void maps(String map, String className, String option, List<String> clauses) {
        edges().forEach(value -> clauses.add(
                map + " = {'class': '" + className + "', '" + option + "': '" + value.replace("'", "''") + "'}"));
    }

    private static StoreConfig config(SSTableVersion version) {
        return StoreConfig.defaults()
                .withShardCount(1)
                .withSyncMode(SyncMode.PERIODIC)
                .withVersion(version);
    }

    private static Set<String> tables(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("data").resolve("k"))) {
            return files.map(file -> file.getFileName().toString().replaceFirst("-.*", ""))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static Table create(Store store, String name, String clause) throws IOException {
        return store.createTable(
                "CREATE TABLE k." + name + " (id int, c int, v text, PRIMARY KEY (id, c)) WITH " + clause);
    }

    @ParameterizedTest
    @EnumSource(
            value = SSTableVersion.class,
            names = {"NB", "DA"})
    void shouldRefuseATableAtOnceOrServeItToTheEnd(SSTableVersion version) throws IOException {
        // Each version takes every other value.
        List<String> all = clauses();
        List<String> clauses = IntStream.range(0, all.size())
                .filter(i -> i % 2 == version.ordinal() % 2)
                .mapToObj(all::get)
                .toList();
        int refused = 0;
        int group = 0;
        for (int from = 0; from < clauses.size(); from += GROUP) {
            List<String> some = clauses.subList(from, Math.min(clauses.size(), from + GROUP));
            refused += serve(directory.resolve("store" + group++), version, some);
        }
        assertThat(refused).isBetween(clauses.size() / 2, clauses.size() * 9 / 10);
    }

    /** Returns how many were refused. */
    private static int serve(Path directory, SSTableVersion version, List<String> clauses) throws IOException {
        Map<String, String> made = new TreeMap<>();
        Set<String> refused = new TreeSet<>();
        try (Store store = Store.open(directory, config(version))) {
            for (String clause : clauses) {
                String name = "t" + (made.size() + refused.size());
                try {
                    write(create(store, name, clause), clause);
                    made.put(name, clause);
                } catch (SchemaException e) {
                    assertThat(e.getMessage()).as(clause).isNotBlank();
                    refused.add(name);
                }
                assertThat(store.failure()).as(clause).isEmpty();
            }
            assertThat(tables(directory)).isEqualTo(made.keySet());
            assertThat(store.metrics().keySet())
                    .noneMatch(key -> refused.stream().anyMatch(name -> key.contains("k." + name + ".")));
            // What was refused under a name does not stand in its way.
            for (String name : refused) {
                create(store, name, "comment = 'right now'");
                store.dropTable("k." + name);
                break;
            }
        }
        try (Store store = Store.open(directory, config(version))) {
            for (Map.Entry<String, String> entry : made.entrySet()) {
                assertServed(store.table("k." + entry.getKey()), entry.getValue());
            }
        }
        return refused.size();
    }

    private static void write(Table table, String clause) throws IOException {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 3; i++) {
                table.row()
                        .key("id", i)
                        .clustering("c", round)
                        .set("v", clause)
                        .ttlSeconds(0)
                        .insert();
            }
            table.row().key("id", 0).clustering("c", 7).deleteRow();
            table.flush();
        }
        table.compact();
        assertServed(table, clause);
    }

    private static void assertServed(Table table, String clause) throws IOException {
        try (TableRows rows = table.rows()) {
            int count = 0;
            while (rows.next() != null) {
                count++;
            }
            assertThat(count).as(clause).isEqualTo(6);
        }
    }

    @Test
    void shouldNotTakeTheIdOfAnotherTable() throws IOException {
        try (Store store = Store.open(directory, config(SSTableVersion.NB))) {
            Table first = create(store, "first", "comment = ''");
            first.row().key("id", 1).clustering("c", 1).set("v", "x").insert();
            String id = first.schema().id().orElseThrow();
            assertThatThrownBy(() -> create(store, "second", "id = " + id))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("table=k.second")
                    .hasMessageContaining("other=k.first");
            assertThat(store.findTable("k.second")).isEmpty();
            assertThat(first.row(Map.of("id", 1, "c", 1))).isPresent();
        }
    }
}
