package io.anneal.bench.scenario;

import io.anneal.bench.data.TableShape;
import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A table of which three nodes have all alike, or nearly all. What is alike is one SSTable of each node, comes once and stays where
 * it is. What each node alone has got since is a further one, small, which is imported before each run and taken away after it, as
 * are those that repairs have made: so each run finds the same damage, in copies of the same files. One thread.
 */
final class SyncedRows {
    static final String ALIKE = "synced-100";
    static final String DAMAGED = "synced-99.9";
    /** The same as those, but that agents use nothing of what they have kept: every row is read. */
    static final String ALIKE_READ = "synced-100-read";

    static final String DAMAGED_READ = "synced-99.9-read";
    static final List<String> CASES = List.of(ALIKE, ALIKE_READ, DAMAGED, DAMAGED_READ);

    private static final Set<String> ALL_READ = Set.of(ALIKE_READ, DAMAGED_READ);
    private static final Set<String> WITH_DAMAGE = Set.of(DAMAGED, DAMAGED_READ);
    private static final String JSON = "--json";
    private static final String DRY_RUN = "--dry-run";
    private static final String READ_ALL = "--read-all";
    /** Rows that each node alone has, for each thousand that all have. */
    private static final int PER_THOUSAND = 1;

    private static final int READ_BYTES = 1 << 20;
    private static final String DATA_SUFFIX = "Data.db";

    private final ClusterSides sides;
    private final TableSchema table;
    /** Of each node, what it alone has got. */
    private final List<Path> since;

    /** Of each node, before anything has come since. */
    private final long rowCount;

    private final RepairData.Written lacking;
    /** Of each node, the SSTables with what is alike. */
    private final List<List<Path>> alike;
    /** Whether agents have read what nodes have, and keep what they found. */
    private boolean isKnown;

    private SyncedRows(
            ClusterSides sides,
            TableSchema table,
            List<Path> since,
            long rowCount,
            RepairData.Written lacking,
            List<List<Path>> alike) {
        this.sides = sides;
        this.table = table;
        this.since = since;
        this.rowCount = rowCount;
        this.lacking = lacking;
        this.alike = alike;
    }

    /**
     * Draws the rows and gives the nodes what is alike.
     *
     * @param directory for what comes and is taken away
     */
    static SyncedRows create(ClusterSides sides, BenchConfig config, TableShape shape, TemporaryDirectory directory)
            throws IOException {
        RepairDraw draw = RepairDraw.own(shape, config.rowCount(), PER_THOUSAND);
        TableSchema table = RepairData.schema(shape);
        List<List<Path>> alike = new ArrayList<>();
        long rowCount;
        // What nodes import is copied: the files of all rows need not be there twice.
        try (TemporaryDirectory drawn = directory.createInside("alike")) {
            rowCount = RepairData.write(draw, config.version(), drawn.path(), draw::isOnAll)
                    .rows();
            sides.nodes().ring().node(0).truncate(table.keyspace(), table.name());
            for (CassandraPeer node : sides.nodes().ring().nodes()) {
                node.importDirectory(table.keyspace(), table.name(), drawn.path());
                alike.add(node.sstables(table.keyspace(), table.name()));
            }
        }
        List<Path> since = new ArrayList<>();
        RepairData.Written lacking = new RepairData.Written(0, 0);
        for (int i = 0; i < RepairDraw.REPLICAS; i++) {
            int replica = i;
            Path target = Files.createDirectory(directory.path().resolve("since-" + replica));
            RepairData.write(draw, config.version(), target, number -> draw.hasAlone(replica, number));
            since.add(target);
            lacking = lacking.plus(RepairData.encode(draw, number -> !draw.has(replica, number)));
        }
        SyncedRows rows = new SyncedRows(sides, table, since, rowCount, lacking, alike);
        rows.readAll();
        return rows;
    }

    TableSchema table() {
        return table;
    }

    /** Encoded, of rows that nodes lack in a case, each as often as it is lacking. */
    long bytesLacking(String caseName) {
        return WITH_DAMAGE.contains(caseName) ? lacking.bytes() : 0;
    }

    /** Cassandra's own repair. Asked for all, it remembers nothing of repairs before: they would change nothing. */
    ClusterSides.ClusterRun cassandra(String caseName) throws IOException {
        reset();
        damage(caseName);
        return sides.cassandra(List.of(table));
    }

    /** Ours, some time after the last one, which found that all was alike. */
    ClusterSides.ClusterRun anneal(String caseName) throws IOException {
        reset();
        if (!ALL_READ.contains(caseName) && !isKnown) {
            requireEqual(sides.anneal(List.of(table), JSON));
            isKnown = true;
        }
        damage(caseName);
        return ALL_READ.contains(caseName)
                ? sides.anneal(List.of(table), JSON, READ_ALL)
                : sides.anneal(List.of(table), JSON);
    }

    /** Encoded, of rows that agents have read, each as often as it was read. */
    long bytesRead(ClusterSides.ClusterRun own) throws IOException {
        return sum(own, "bytes-read");
    }

    /** Each row that was lacking has come, and nothing else; and all were read, if a case says so. */
    void requireRepaired(String caseName, ClusterSides.ClusterRun run) throws IOException {
        if (ALL_READ.contains(caseName) && sum(run, "rows-read") < rowCount * RepairDraw.REPLICAS) {
            throw new IllegalStateException("not all rows were read, case=" + caseName + ", output=" + run.output());
        }
        if (!WITH_DAMAGE.contains(caseName)) {
            requireEqual(run);
            return;
        }
        if (sum(run, "rows-received") != lacking.rows()) {
            throw new IllegalStateException("the cluster was not repaired, case=" + caseName + ", rowsLacking="
                    + lacking.rows() + ", output=" + run.output());
        }
    }

    /** Nodes have all rows alike, after a repair of ours of what was damaged, whatever agents have kept. */
    void requireAlike(String caseName) throws IOException {
        if (WITH_DAMAGE.contains(caseName)) {
            requireEqual(sides.anneal(List.of(table), JSON, DRY_RUN, READ_ALL));
        }
    }

    /** Of all nodes. */
    private static long sum(ClusterSides.ClusterRun run, String field) throws IOException {
        return JsonValues.numbers(run.output(), field).stream()
                .mapToLong(number -> number)
                .sum();
    }

    private static void requireEqual(ClusterSides.ClusterRun run) throws IOException {
        if (!JsonValues.of(run.output(), "were-equal").equals(List.of("true"))) {
            throw new IllegalStateException("the nodes are not equal, output=" + run.output());
        }
    }

    /** What has come since is taken away. */
    void reset() throws IOException {
        for (int i = 0; i < alike.size(); i++) {
            CassandraPeer node = sides.nodes().ring().node(i);
            if (!node.sstables(table.keyspace(), table.name()).equals(alike.get(i))) {
                node.retainSSTables(table.keyspace(), table.name(), alike.get(i));
                isKnown = false;
            }
        }
    }

    private void damage(String caseName) throws IOException {
        if (WITH_DAMAGE.contains(caseName)) {
            for (int i = 0; i < since.size(); i++) {
                sides.nodes().ring().node(i).importDirectory(table.keyspace(), table.name(), since.get(i));
            }
        }
        readAll();
    }

    /** An import leaves nothing of the files in the page cache, and whoever comes first would pay for reading them from the disk. */
    private void readAll() throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(READ_BYTES);
        for (CassandraPeer node : sides.nodes().ring().nodes()) {
            for (Path data : node.sstables(table.keyspace(), table.name())) {
                for (Path component : components(data)) {
                    read(component, buffer);
                }
            }
        }
    }

    private static List<Path> components(Path data) throws IOException {
        String name = data.getFileName().toString();
        String prefix = name.substring(0, name.length() - DATA_SUFFIX.length());
        try (Stream<Path> files = Files.list(data.getParent())) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .toList();
        }
    }

    private static void read(Path file, ByteBuffer buffer) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            while (channel.read(buffer.clear()) >= 0) {
                assert buffer.position() > 0 : file;
            }
        }
    }
}
