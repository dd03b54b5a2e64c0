package io.anneal.architecture;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Who may import whom, below {@code io.anneal}: a package, and what it may import besides itself. What it names includes what that
 * may import in turn, but for the formats and the generated grammar, which are named or not. Packages whose turn has not come
 * stand here already.
 */
final class PackageTable {
    private static final Map<String, List<String>> DIRECT = new LinkedHashMap<>();
    /** Never reached through another package. */
    private static final Set<String> NAMED_ONLY = Set.of(
            "sstable.file",
            "sstable.row",
            "sstable.statistics",
            "sstable.data",
            "sstable.big",
            "sstable.bti",
            "schema.grammar");

    static {
        DIRECT.put("environment", List.of());
        DIRECT.put("io", List.of("environment"));
        DIRECT.put("metrics", List.of());
        DIRECT.put("schema.grammar", List.of());
        DIRECT.put("schema", List.of("io", "schema.grammar"));
        DIRECT.put("key", List.of("schema"));
        DIRECT.put("job", List.of("key", "metrics"));
        DIRECT.put("fragment", List.of("key"));
        // Writes to one row are reconciled as they come, which is the merge's business.
        DIRECT.put("memtable", List.of("merge"));
        DIRECT.put("commitlog", List.of("fragment"));
        DIRECT.put("sstable", List.of("fragment"));
        DIRECT.put("sstable.file", List.of("sstable"));
        DIRECT.put("sstable.row", List.of("sstable.file", "sstable"));
        DIRECT.put("sstable.statistics", List.of("sstable.row", "sstable.file", "sstable"));
        DIRECT.put("sstable.data", List.of("sstable.statistics", "sstable.row", "sstable.file", "sstable"));
        DIRECT.put("sstable.big", List.of("sstable.data", "sstable.row", "sstable.file", "sstable"));
        DIRECT.put("sstable.bti", List.of("sstable.data", "sstable.row", "sstable.file", "sstable"));
        DIRECT.put("merge", List.of("fragment"));
        DIRECT.put("compaction", List.of("sstable", "merge"));
        DIRECT.put("table", List.of("memtable", "commitlog", "compaction", "metrics"));
        DIRECT.put("store.directory", List.of("table", "sstable.big", "sstable.bti"));
        DIRECT.put("store", List.of("store.directory"));
        DIRECT.put("net", List.of("io", "metrics"));
        DIRECT.put("node", List.of("store", "net"));

        DIRECT.put("repair.hashes", List.of("io"));
        // Windows apply received deletions and purge for the hash, which is the merge's business.
        DIRECT.put("repair.row", List.of("merge"));
        DIRECT.put("repair.message", List.of("repair.hashes", "node"));
        DIRECT.put("repair.kept", List.of("repair.message", "repair.row"));
        DIRECT.put("repair", List.of("repair.hashes", "repair.row", "repair.message", "repair.kept", "node", "job"));

        DIRECT.put("streaming.message", List.of("node"));
        DIRECT.put("streaming", List.of("streaming.message", "node", "job"));

        DIRECT.put("paging.query", List.of("fragment", "net"));
        DIRECT.put("paging.querier", List.of("paging.query", "store"));
        DIRECT.put("paging.message", List.of("paging.query"));
        DIRECT.put("paging", List.of("paging.querier", "paging.message", "node"));

        DIRECT.put("dualdao.phase", List.of());
        DIRECT.put("dualdao.control", List.of("dualdao.phase"));
        DIRECT.put("dualdao.compare", List.of());
        DIRECT.put("dualdao.stats", List.of("dualdao.phase", "dualdao.compare"));
        DIRECT.put("dualdao.journal", List.of("dualdao.phase"));
        DIRECT.put("dualdao.order", List.of());
        DIRECT.put("dualdao.reflect", List.of());
        DIRECT.put("dualdao.operation", List.of("dualdao.compare", "dualdao.reflect"));
        DIRECT.put("dualdao.transaction", List.of());
        DIRECT.put(
                "dualdao.config",
                List.of(
                        "dualdao.control",
                        "dualdao.journal",
                        "dualdao.stats",
                        "dualdao.operation",
                        "dualdao.transaction"));
        DIRECT.put("dualdao.cassandra", List.of("dualdao.config"));
        DIRECT.put("dualdao.jdbc", List.of("dualdao.config"));
        DIRECT.put("dualdao.copy", List.of("dualdao.config", "dualdao.order"));
        DIRECT.put("dualdao.route", List.of("dualdao.copy"));
        DIRECT.put("dualdao", List.of("dualdao.route"));

        DIRECT.put("migrate.service", List.of("dualdao", "store"));
        DIRECT.put("migrate.bulk", List.of("dualdao", "merge", "job"));
        DIRECT.put("migrate.rows", List.of("migrate.bulk", "store"));
        DIRECT.put("migrate.page", List.of("dualdao", "io"));

        DIRECT.put("harness.store", List.of("migrate.service", "dualdao.cassandra"));
        DIRECT.put("harness.load", List.of("harness.store"));
        DIRECT.put("harness.report", List.of("dualdao"));
        DIRECT.put(
                "harness", List.of("migrate.rows", "migrate.page", "harness.load", "harness.report", "dualdao.jdbc"));

        DIRECT.put("agent", List.of("node"));

        DIRECT.put("testkit", List.of("store", "net", "dualdao.phase"));
        DIRECT.put("bench.peer", List.of());
        DIRECT.put("bench.data", List.of("store"));
        DIRECT.put("bench.measure", List.of("bench.data"));
        for (String measured : List.of(
                "io",
                "schema",
                "key",
                "fragment",
                "commitlog",
                "memtable",
                "sstable",
                "merge",
                "compaction",
                "store",
                "net")) {
            DIRECT.put("bench." + measured, List.of(measured, "bench.measure"));
        }
        DIRECT.put("bench.repair", List.of("repair", "bench.measure"));
        DIRECT.put("bench.oldrepair", List.of("streaming"));
        DIRECT.put("bench.streaming", List.of("streaming", "bench.measure"));
        DIRECT.put("bench.paging", List.of("paging", "bench.measure"));
        DIRECT.put("bench.dualdao", List.of("dualdao", "bench.measure"));
        DIRECT.put(
                "bench.scenario",
                List.of("dualdao", "repair", "paging", "bench.measure", "bench.peer", "bench.oldrepair"));
        DIRECT.put("cli.command", List.of("harness", "bench.scenario", "agent"));
        DIRECT.put("cli.sstable", List.of("cli.command"));
        DIRECT.put("cli.store", List.of("cli.command"));
        DIRECT.put("cli.migrate", List.of("cli.command"));
        DIRECT.put("cli.runs", List.of("cli.command"));
        DIRECT.put("cli.repair", List.of("cli.runs", "paging"));
        DIRECT.put("cli.rows", List.of("cli.repair"));
        DIRECT.put("cli.scan", List.of("cli.rows", "paging"));
        DIRECT.put("cli.stream", List.of("cli.repair"));
        DIRECT.put("cli.demo", List.of("cli.repair"));
        DIRECT.put(
                "cli",
                List.of(
                        "cli.sstable",
                        "cli.store",
                        "cli.migrate",
                        "cli.rows",
                        "cli.scan",
                        "cli.stream",
                        "cli.demo",
                        "bench.scenario",
                        "bench.repair",
                        "bench.streaming",
                        "bench.paging"));
    }

    private PackageTable() {}

    static Set<String> packages() {
        return DIRECT.keySet();
    }

    static List<String> direct(String name) {
        return DIRECT.get(name);
    }

    /** Everything that a package may import, itself included. */
    static Set<String> importable(String name) {
        Set<String> reached = new TreeSet<>(Set.of(name));
        Set<String> expanded = new HashSet<>();
        Deque<String> open = new ArrayDeque<>(DIRECT.get(name));
        reached.addAll(DIRECT.get(name));
        while (!open.isEmpty()) {
            String next = open.pop();
            if (expanded.add(next)) {
                DIRECT.get(next).stream()
                        .filter(further -> !NAMED_ONLY.contains(further))
                        .forEach(further -> {
                            reached.add(further);
                            open.push(further);
                        });
            }
        }
        return reached;
    }
}
