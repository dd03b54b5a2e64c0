package io.anneal.bench.peer;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A JVM with Cassandra on its class path and an agent that answers requests. Any thread may call, requests run one after
 * the other. Closing it, or the end of this JVM in whatever way, ends it.
 */
final class PeerProcess implements AutoCloseable {
    /** What runs inside: a whole node, or its tools alone. */
    enum Agent {
        NODE("PeerAgent"),
        TOOLS("ToolsAgent");

        private final String mainClass;

        Agent(String simpleName) {
            mainClass = "io.anneal.peer.agent." + simpleName;
        }

        String mainClass() {
            return mainClass;
        }
    }

    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);

    private final CassandraPeerConfig config;
    private final Agent agent;
    private final NodeFiles files;
    private final PeerPorts ports;
    private final Process process;
    private final Thread killer;
    private final AgentConnection connection;

    private PeerProcess(
            CassandraPeerConfig config,
            Agent agent,
            NodeFiles files,
            PeerPorts ports,
            Process process,
            Thread killer,
            AgentConnection connection) {
        this.config = config;
        this.agent = agent;
        this.files = files;
        this.ports = ports;
        this.process = process;
        this.killer = killer;
        this.connection = connection;
    }

    /** Starts the process and waits until its agent is ready. */
    static PeerProcess start(CassandraPeerConfig config, Agent agent) {
        NodeFiles files = new NodeFiles(config.directory());
        PeerPorts ports = PeerPorts.choose(config.address(), config.directory());
        try {
            files.create(config, ports);
        } catch (IOException e) {
            throw notStarted(config, e);
        }
        return start(config, agent, files, ports);
    }

    private static CassandraPeerException notStarted(CassandraPeerConfig config, IOException e) {
        return new CassandraPeerException("peer could not be started, directory=" + config.directory(), e);
    }

    private static PeerProcess start(CassandraPeerConfig config, Agent agent, NodeFiles files, PeerPorts ports) {
        PeerInstallation installation = PeerInstallation.locate(config.release());
        Process process;
        try {
            process = new ProcessBuilder(NodeCommand.of(config, installation, files, ports, agent))
                    .directory(config.directory().toFile())
                    .redirectError(files.standardError().toFile())
                    .start();
        } catch (IOException e) {
            throw notStarted(config, e);
        }

        Thread killer = new Thread(process::destroyForcibly, "cassandra-peer-killer");
        Runtime.getRuntime().addShutdownHook(killer);
        AgentConnection connection = AgentConnection.open(
                process.getInputStream(), process.getOutputStream(), "cassandra-peer-" + process.pid());

        PeerProcess peer = new PeerProcess(config, agent, files, ports, process, killer, connection);
        peer.response("START", config.startTimeout());
        return peer;
    }

    /** Another process over what this one, which has ended, left, at the same ports. */
    PeerProcess startAgain() {
        return start(config, agent, files, ports);
    }

    CassandraPeerConfig config() {
        return config;
    }

    NodeFiles files() {
        return files;
    }

    PeerPorts ports() {
        return ports;
    }

    /** What starts {@code nodetool} in a process of its own. */
    List<String> nodetoolCommand(List<String> arguments) {
        return NodeCommand.nodetool(PeerInstallation.locate(config.release()), files, ports, arguments);
    }

    long pid() {
        return process.pid();
    }

    /** Asks the process to stop, and kills it if it has not within half a minute. */
    @Override
    public void close() {
        try {
            // Not Process.destroy, which closes the streams as well and so would halt the agent at once.
            process.toHandle().destroy();
            if (!process.waitFor(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                kill();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        removeKiller();
    }

    synchronized List<List<String>> request(String operation, String... arguments) {
        List<String> strings = new ArrayList<>(arguments.length + 1);
        strings.add(operation);
        strings.addAll(List.of(arguments));
        try {
            connection.send(strings);
        } catch (IOException e) {
            kill();
            throw new CassandraPeerException("peer is gone, operation=" + operation + files.logTail(), e);
        }
        return response(operation, config.requestTimeout());
    }

    private List<List<String>> response(String operation, Duration timeout) {
        AgentConnection.Response response;
        try {
            response = connection.receive(timeout);
        } catch (InterruptedException e) {
            kill();
            Thread.currentThread().interrupt();
            throw new CassandraPeerException("interrupted, operation=" + operation, e);
        }
        if (response == null) {
            // Its answer would be taken for that of the next request.
            kill();
            throw new CassandraPeerException(
                    "peer did not answer in time, operation=" + operation + ", timeout=" + timeout + files.logTail());
        }
        return switch (response.status()) {
            case OK -> response.rows();
            case FAILED ->
                throw new CassandraPeerException("peer refused, operation=" + operation + ", reason="
                        + response.rows().get(0).get(0));
            case GONE -> {
                kill();
                throw new CassandraPeerException(
                        "peer ended, operation=" + operation + ", exitCode=" + process.exitValue() + files.logTail());
            }
        };
    }

    /** Returns when the process is no more. */
    void kill() {
        process.destroyForcibly();
        boolean interrupted = false;
        while (process.isAlive()) {
            try {
                process.waitFor();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        removeKiller();
    }

    private void removeKiller() {
        try {
            Runtime.getRuntime().removeShutdownHook(killer);
        } catch (IllegalStateException ignored) {
            // This JVM is ending, so the hook runs; killing a process that has ended does nothing.
        }
    }
}
