package io.anneal.bench.scenario;

import io.anneal.bench.data.TableShape;
import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.io.Closing;
import io.anneal.schema.TableSchema;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Three nodes of Cassandra that run, an agent beside each, and what an operator types: {@code nodetool repair -full}, or
 * {@code anneal cluster repair}, each in a process of its own. Nodes and agents stay for all cases. One thread.
 */
final class ClusterSides implements Closeable {
    /** Of all that the loopback device has carried, from the start of the machine on. */
    private static final Path DEVICES = Path.of("/proc/net/dev");

    private static final String LOOPBACK = "lo:";
    private static final int HEAP_MIB = 1500;
    /** As a node has by default. */
    static final int TOKENS = 16;

    private static final String RESIDENT = "VmRSS:";
    private static final int KIBIBYTE = 1024;
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int FIRST = 1;
    private static final int STOP_SECONDS = 30;
    private static final double SECOND_NANOS = 1e9;

    private final BenchConfig config;
    private final List<String> command;
    private final TemporaryDirectory directory;
    private final RepairNodes nodes;
    private final Path token;
    private final List<Process> agents = new CopyOnWriteArrayList<>();
    /** Agents would outlive a benchmark that is interrupted; nodes look after that themselves. */
    private final Thread killer = new Thread(() -> agents.forEach(Process::destroyForcibly), "bench-agents-killer");

    /** Of each agent, as it says. */
    private final List<String> addresses = new ArrayList<>();

    /**
     * What a command took, to its end.
     *
     * @param cpuSeconds of nodes, of agents, and of the command with its JVM's start
     * @param sentBytes that the loopback device carried, whoever sent them, headers included
     * @param sstables that nodes have got by it
     * @param output that the command printed, without its errors
     */
    record ClusterRun(
            double wallSeconds,
            double nodesSeconds,
            double agentsSeconds,
            double commandSeconds,
            OptionalDouble othersSeconds,
            long sentBytes,
            int sstables,
            String output) {
        double cpuSeconds() {
            return nodesSeconds + agentsSeconds + commandSeconds;
        }
    }

    private ClusterSides(
            BenchConfig config, List<String> command, TemporaryDirectory directory, RepairNodes nodes, Path token) {
        this.config = config;
        this.command = command;
        this.directory = directory;
        this.nodes = nodes;
        this.token = token;
        Runtime.getRuntime().addShutdownHook(killer);
    }

    /**
     * @param command the words that start {@code anneal}, before its arguments
     * @param tokens of each node
     * @param shape of the table that is there
     */
    static ClusterSides start(BenchConfig config, List<String> command, int tokens, TableShape shape)
            throws IOException {
        List<Closeable> opened = new ArrayList<>();
        boolean ready = false;
        try {
            TemporaryDirectory directory = TemporaryDirectory.create("anneal-bench-cluster");
            opened.add(0, directory);
            RepairNodes nodes =
                    RepairNodes.start(config.nanoTime(), config.version(), tokens, HEAP_MIB, List.of(shape));
            opened.add(0, nodes);
            Path token = Files.createFile(
                    directory.path().resolve("token"),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(token, "of a benchmark on this machine alone\n");
            ClusterSides sides = new ClusterSides(config, command, directory, nodes, token);
            opened.clear();
            opened.add(sides);
            for (CassandraPeer node : nodes.ring().nodes()) {
                sides.startAgent(node);
            }
            ready = true;
            return sides;
        } finally {
            if (!ready) {
                Closing.all(opened);
            }
        }
    }

    private void startAgent(CassandraPeer node) throws IOException {
        int number = agents.size() + FIRST;
        String host = node.config().address();
        String port = addresses.isEmpty() ? "0" : addresses.get(0).split(":")[1];
        List<String> words = new ArrayList<>(command);
        words.addAll(List.of(
                "agent",
                "--jmx",
                "127.0.0.1:" + node.jmxPort(),
                "--cql",
                host + ":" + node.cqlPort(),
                "--listen",
                host + ":" + port,
                "--directory",
                directory.path().resolve("agent-" + number).toString(),
                "--token-file",
                token.toString()));
        Process agent =
                new ProcessBuilder(words).redirectError(log(number).toFile()).start();
        agents.add(agent);
        BufferedReader out = new BufferedReader(new InputStreamReader(agent.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        String said = "listening on ";
        if (line == null || !line.startsWith(said)) {
            throw new IOException("an agent does not start, said=" + line + ", log=" + Files.readString(log(number)));
        }
        addresses.add(line.substring(said.length()));
    }

    RepairNodes nodes() {
        return nodes;
    }

    List<Long> agents() {
        return agents.stream().map(Process::pid).toList();
    }

    /** Cassandra's own repair of whatever the nodes hold, asked of the first one. */
    ClusterRun cassandra(List<TableSchema> tables) throws IOException {
        List<String> words =
                new ArrayList<>(List.of("repair", "-full", tables.get(0).keyspace()));
        tables.forEach(table -> words.add(table.name()));
        ClusterRun run = run(tables, nodes.ring().node(0).nodetoolCommand(words.toArray(String[]::new)), false);
        if (!run.output().contains("completed successfully")) {
            throw new IllegalStateException("Cassandra has not repaired, output=" + run.output());
        }
        return run;
    }

    /** Ours, asked of the first agent. */
    ClusterRun anneal(List<TableSchema> tables, String... options) throws IOException {
        List<String> words = new ArrayList<>(command);
        words.addAll(List.of(
                "cluster",
                "repair",
                "--agent",
                addresses.get(0),
                "--token-file",
                token.toString(),
                "--state",
                directory.path().resolve("state").toString()));
        tables.forEach(table -> words.add(table.qualifiedName()));
        words.addAll(List.of(options));
        return run(tables, words, true);
    }

    private ClusterRun run(List<TableSchema> tables, List<String> words, boolean isOwn) throws IOException {
        Path log = Files.createTempFile(directory.path(), "command", ".log");
        Path errors = Files.createTempFile(directory.path(), "command", ".errors");
        int sstablesBefore = sstables(tables);
        List<Long> counted = new ArrayList<>(nodes.processes());
        List<Long> idle = new ArrayList<>(agents());
        idle.add(ProcessHandle.current().pid());
        ProcessCpu ofNodes = new ProcessCpu(counted, idle);
        ProcessCpu ofAgents = new ProcessCpu(agents(), List.of());
        long childrenBefore = ProcessCpu.endedChildrenNanos();
        long bytesBefore = loopbackBytes();
        long before = config.nanoTime().getAsLong();
        Process process = new ProcessBuilder(words)
                .redirectError(errors.toFile())
                .redirectOutput(log.toFile())
                .start();
        process.getOutputStream().close();
        int exitCode = await(process);
        for (int i = 0; i < agents.size(); i++) {
            requireRunning(agents.get(i), log(i + FIRST));
        }
        long wallNanos = config.nanoTime().getAsLong() - before;
        long commandNanos = ProcessCpu.endedChildrenNanos() - childrenBefore;
        long nodesNanos = ofNodes.nanos();
        long agentsNanos = isOwn ? ofAgents.nanos() : 0;
        OptionalDouble others = ofNodes.othersNanos().stream()
                .mapToDouble(nanos -> Math.max(0, nanos - commandNanos) / SECOND_NANOS)
                .findFirst();
        long sentBytes = loopbackBytes() - bytesBefore;
        String output = Files.readString(log);
        String said = Files.readString(errors);
        Files.delete(log);
        Files.delete(errors);
        if (exitCode != 0) {
            throw new IllegalStateException("command failed, exitCode=" + exitCode + ", words=" + words + ", output="
                    + output + ", errors=" + said);
        }
        return new ClusterRun(
                wallNanos / SECOND_NANOS,
                nodesNanos / SECOND_NANOS,
                agentsNanos / SECOND_NANOS,
                commandNanos / SECOND_NANOS,
                others,
                sentBytes,
                sstables(tables) - sstablesBefore,
                output);
    }

    /** An agent that has ended says why, which the command that asked it does not know. */
    static void requireRunning(Process agent, Path log) throws IOException {
        if (!agent.isAlive()) {
            throw new IllegalStateException(
                    "an agent has ended, exitCode=" + agent.exitValue() + ", log=" + Files.readString(log));
        }
    }

    private Path log(int agent) {
        return directory.path().resolve("agent-" + agent + ".log");
    }

    /** What is resident of each agent, some seconds after the last command. */
    List<Long> idleAgentsBytes() throws IOException {
        long from = config.nanoTime().getAsLong();
        while (config.nanoTime().getAsLong() - from < IDLE_NANOS) {
            LockSupport.parkNanos(IDLE_NANOS);
        }
        List<Long> bytes = new ArrayList<>();
        for (Process agent : agents) {
            bytes.add(residentBytes(agent.pid()));
        }
        return bytes;
    }

    private static long residentBytes(long process) throws IOException {
        return Files.readAllLines(Path.of("/proc", Long.toString(process), "status")).stream()
                .filter(line -> line.startsWith(RESIDENT))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * KIBIBYTE)
                .findFirst()
                .orElseThrow(() -> new IOException("process has no memory, pid=" + process));
    }

    private static int await(Process process) throws IOException {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while a command of the benchmark runs");
        }
    }

    private int sstables(List<TableSchema> tables) {
        int count = 0;
        for (CassandraPeer node : nodes.ring().nodes()) {
            for (TableSchema table : tables) {
                count += node.sstables(table.keyspace(), table.name()).size();
            }
        }
        return count;
    }

    /** What came in: on this device that is what went out. */
    private static long loopbackBytes() throws IOException {
        return Files.readAllLines(DEVICES).stream()
                .map(String::strip)
                .filter(line -> line.startsWith(LOOPBACK))
                .mapToLong(line ->
                        Long.parseLong(line.substring(LOOPBACK.length()).strip().split(" +")[0]))
                .findFirst()
                .orElseThrow(() -> new IOException("no loopback device, file=" + DEVICES));
    }

    @Override
    public void close() throws IOException {
        try {
            stop();
        } finally {
            Runtime.getRuntime().removeShutdownHook(killer);
        }
    }

    private void stop() throws IOException {
        try (directory;
                nodes) {
            agents.forEach(agent -> agent.toHandle().destroy());
            for (Process agent : agents) {
                if (!agent.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                    agent.destroyForcibly();
                }
            }
        } catch (InterruptedException e) {
            agents.forEach(Process::destroyForcibly);
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while agents end");
        }
    }
}
