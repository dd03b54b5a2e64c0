package io.anneal.bench.peer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A running Cassandra node in a process of its own. CQL statements run as those of an external client do (the native
 * port is open too); everything else an operator does with SSTables runs inside the node's process.
 *
 * <p>Any thread may call, requests run one after the other. A path of an SSTable is the path of its Data component.
 * Every method throws {@link CassandraPeerException} when the node refuses or is gone. Closing it, or the end of this
 * JVM in whatever way, ends the node.
 */
public final class CassandraPeer implements AutoCloseable {
    private static final String COPY_TAG = "anneal-copy";
    /** Whatever the node's own address is. */
    private static final String JMX_ADDRESS = "127.0.0.1";

    private final PeerProcess process;
    private final NodeFiles files;
    private final AtomicInteger imports = new AtomicInteger();
    private final AtomicInteger dumps = new AtomicInteger();

    private CassandraPeer(PeerProcess process) {
        this.process = process;
        files = process.files();
    }

    /** Starts a node and waits until it accepts CQL clients. */
    public static CassandraPeer start(CassandraPeerConfig config) {
        return new CassandraPeer(PeerProcess.start(config, PeerProcess.Agent.NODE));
    }

    public CqlRows execute(String statement) {
        return CqlRows.of(request("EXECUTE", statement));
    }

    /** As {@link #execute}, with time to live and expiry judged as of that second. */
    public CqlRows executeAt(long nowSeconds, String statement) {
        return CqlRows.of(request("EXECUTE_AT", Long.toString(nowSeconds), statement));
    }

    /**
     * Executes statements in order, their values bound, and stops at the first that fails; answers what the last one
     * does. They happen at that second: what they delete is deleted then, what they let expire expires from then on, what
     * they read is judged as of then.
     */
    public CqlRows executeBound(long nowSeconds, List<BoundStatement> statements) {
        List<String> arguments = new ArrayList<>(List.of(Long.toString(nowSeconds)));
        for (BoundStatement statement : statements) {
            arguments.add(statement.text());
            arguments.add(Integer.toString(statement.values().size()));
            for (byte[] value : statement.values()) {
                arguments.add(value == null ? "null" : HexFormat.of().formatHex(value));
            }
        }
        return CqlRows.of(request("EXECUTE_BOUND", arguments.toArray(String[]::new)));
    }

    /**
     * Executes statements in order and stops at the first that fails, which the exception names. For many writes send
     * unlogged batches of some hundred: a tenth of the time of single statements.
     */
    public void executeAll(List<String> statements) {
        request("EXECUTE_ALL", statements.toArray(String[]::new));
    }

    /** The documents of a {@code SELECT JSON}. */
    public List<String> selectJson(String statement) {
        return execute(statement).column("[json]");
    }

    /** The statements that create a table, as {@code DESCRIBE TABLE} gives them. */
    public String describe(String keyspace, String table) {
        return String.join(
                "\n",
                execute("DESCRIBE TABLE " + quoted(keyspace) + "." + quoted(table))
                        .column("create_statement"));
    }

    public void flush(String keyspace, String table) {
        request("FLUSH", keyspace, table);
    }

    /** Compacts everything on disk into one SSTable, and waits. */
    public void compact(String keyspace, String table) {
        request("COMPACT", keyspace, table);
    }

    public void truncate(String keyspace, String table) {
        execute("TRUNCATE " + quoted(keyspace) + "." + quoted(table));
    }

    /** The live SSTables. */
    public List<Path> sstables(String keyspace, String table) {
        return paths(request("SSTABLES", keyspace, table));
    }

    /** Flushes and takes a snapshot; answers its directory, which holds {@code schema.cql} and a manifest too. */
    public Path snapshot(String keyspace, String table, String tag) {
        List<Path> directories = paths(request("SNAPSHOT", keyspace, table, tag));
        if (directories.size() != 1) {
            throw new CassandraPeerException("not exactly one snapshot directory, directories=" + directories);
        }
        return directories.get(0);
    }

    public void clearSnapshot(String keyspace, String table, String tag) {
        request("CLEAR_SNAPSHOT", keyspace, table, tag);
    }

    /** Flushes and copies a snapshot (SSTables, {@code schema.cql}, manifest) out; answers the copied SSTables. */
    public List<Path> copySSTables(String keyspace, String table, Path target) {
        Path snapshot = snapshot(keyspace, table, COPY_TAG);
        try {
            return copyFiles(snapshot, target).stream()
                    .filter(file -> file.getFileName().toString().endsWith("-Data.db"))
                    .toList();
        } finally {
            clearSnapshot(keyspace, table, COPY_TAG);
        }
    }

    /**
     * Imports copies of the SSTables of a directory after an extended verification; the directory stays as it is.
     *
     * @return how many were imported, which is all of them
     * @throws CassandraPeerException if there is no SSTable, or if not every one was imported, with Cassandra's reason
     *     for each
     */
    public int importDirectory(String keyspace, String table, Path directory) {
        ImportResult result = tryImportDirectory(keyspace, table, directory);
        if (!result.complete()) {
            throw new CassandraPeerException("SSTables refused, found=" + result.found() + ", imported="
                    + result.imported() + ", reasons=" + result.refusals());
        }
        return result.imported();
    }

    /** As {@link #importDirectory}, with refusals answered, not thrown. */
    public ImportResult tryImportDirectory(String keyspace, String table, Path directory) {
        // Cassandra takes the names from the last two directories, and leaves out a file where it finds none.
        Path round = files.importDirectory().resolve(Integer.toString(imports.incrementAndGet()));
        Path staging = round.resolve(keyspace).resolve(table);
        copyFiles(directory, staging);
        try {
            return ImportResult.of(request("IMPORT", keyspace, table, staging.toString()));
        } finally {
            delete(round);
        }
    }

    /**
     * Takes all SSTables out of the table but these, and deletes them, as no operator can: as if they had never come. Refuses
     * when one of these is not live. What is in memtables stays, and what is being compacted.
     */
    public void retainSSTables(String keyspace, String table, List<Path> sstables) {
        List<String> arguments = new ArrayList<>(List.of(keyspace, table));
        sstables.forEach(sstable -> arguments.add(sstable.toString()));
        request("RETAIN", arguments.toArray(String[]::new));
    }

    /** Extended verification of an SSTable, wherever it lies, as one of the table; returns if there is no objection. */
    public void verify(String keyspace, String table, Path data) {
        request("VERIFY", keyspace, table, data.toAbsolutePath().toString());
    }

    /** What {@code sstabledump -t} prints for an SSTable, wherever it lies. */
    public String dump(Path data) {
        Path target = files.dumpDirectory().resolve(dumps.incrementAndGet() + ".json");
        dump(data, target);
        try {
            String json = Files.readString(target);
            Files.delete(target);
            return json;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes what {@code sstabledump -t} prints for an SSTable to a file. */
    public void dump(Path data, Path target) {
        request(
                "DUMP",
                data.toAbsolutePath().toString(),
                target.toAbsolutePath().toString());
    }

    /** The token of a serialized partition key. */
    public long token(String keyspace, String table, byte[] key) {
        List<List<String>> answer =
                request("TOKEN", keyspace, table, HexFormat.of().formatHex(key));
        return Long.parseLong(answer.get(0).get(0));
    }

    /** Runs a nodetool command against this node; answers what it printed. */
    public String nodetool(String... arguments) {
        List<String> all = new ArrayList<>(List.of(
                "-h", JMX_ADDRESS, "-p", Integer.toString(process.ports().jmx())));
        all.addAll(List.of(arguments));
        return request("NODETOOL", all.toArray(String[]::new)).get(0).get(0);
    }

    /** The command line that runs a nodetool command against this node in a process of its own, as an operator's shell does. */
    public List<String> nodetoolCommand(String... arguments) {
        return process.nodetoolCommand(List.of(arguments));
    }

    /** Waits until this node sees that many nodes of its cluster alive, itself included. */
    public void awaitRing(int nodeCount) {
        request("AWAIT_RING", Integer.toString(nodeCount));
    }

    /**
     * Gives this node some tokens of its ring, and others to a node that does not run, until this is called again. So one node
     * owns a part of a ring of many: it refuses to import what is not its own, and to read it.
     *
     * @param others none to make it own everything again
     */
    public void own(Collection<Long> tokens, Collection<Long> others) {
        request("OWN", joined(tokens), joined(others));
    }

    /** Has a node that does not run be about to join the ring with some tokens, until this is called with none. */
    public void expect(Collection<Long> tokens) {
        request("EXPECT", joined(tokens));
    }

    private static String joined(Collection<Long> tokens) {
        return tokens.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    public CassandraPeerConfig config() {
        return process.config();
    }

    /** The port of the native protocol. */
    public int cqlPort() {
        return process.ports().cql();
    }

    /** The port other nodes of a cluster connect to. */
    public int storagePort() {
        return process.ports().storage();
    }

    /** The port of its management beans, at loopback only. */
    public int jmxPort() {
        return process.ports().jmx();
    }

    public long pid() {
        return process.pid();
    }

    public Path systemLog() {
        return files.systemLog();
    }

    /** Ends the node at once, as a crash of its process does; returns when it is no more. */
    public void kill() {
        process.kill();
    }

    /** Starts the node anew that was killed or closed, over its files and at its ports; this object is of no use any more. */
    public CassandraPeer startAgain() {
        return new CassandraPeer(process.startAgain());
    }

    /** Asks the node to stop, and kills it if it has not within half a minute. */
    @Override
    public void close() {
        process.close();
    }

    private List<List<String>> request(String operation, String... arguments) {
        return process.request(operation, arguments);
    }

    private static List<Path> paths(List<List<String>> answer) {
        return answer.stream().map(row -> Path.of(row.get(0))).toList();
    }

    private static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    private static List<Path> copyFiles(Path source, Path target) {
        List<Path> copies = new ArrayList<>();
        try (Stream<Path> entries = Files.list(source)) {
            Files.createDirectories(target);
            for (Path file : entries.filter(Files::isRegularFile).sorted().toList()) {
                copies.add(Files.copy(file, target.resolve(file.getFileName())));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return copies;
    }

    private static void delete(Path directory) {
        try (Stream<Path> entries = Files.walk(directory)) {
            for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(entry);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
