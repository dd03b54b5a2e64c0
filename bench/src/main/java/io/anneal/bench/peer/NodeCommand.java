package io.anneal.bench.peer;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The command line of a node's JVM. */
final class NodeCommand {
    /** Packages of the JDK that Cassandra 5.0 reaches into on Java 17, exported and opened. */
    private static final List<String> EXPORTS = List.of(
            "java.base/jdk.internal.misc",
            "java.base/java.lang.ref",
            "java.management.rmi/com.sun.jmx.remote.internal.rmi",
            "java.rmi/sun.rmi.registry",
            "java.rmi/sun.rmi.server",
            "java.sql/java.sql",
            "jdk.attach/sun.tools.attach",
            "jdk.compiler/com.sun.tools.javac.file",
            "jdk.unsupported/sun.misc");

    private static final List<String> OPENS = List.of(
            "java.base/java.io",
            "java.base/java.lang",
            "java.base/java.lang.module",
            "java.base/java.lang.reflect",
            "java.base/java.util",
            "java.base/jdk.internal.loader",
            "java.base/jdk.internal.math",
            "java.base/jdk.internal.module",
            "java.base/jdk.internal.ref",
            "java.base/jdk.internal.reflect",
            "java.base/jdk.internal.util.jar",
            "java.base/sun.nio.ch",
            "jdk.compiler/com.sun.tools.javac",
            "jdk.management/com.sun.management.internal");

    /** What older ones measure in their memtables by reflection. */
    private static final List<String> OPENS_OF_OLDER = List.of(
            "java.base/java.net",
            "java.base/java.nio",
            "java.base/java.util.concurrent",
            "java.base/java.util.concurrent.atomic",
            "java.base/java.util.concurrent.locks");

    /** As Cassandra's own script has it. */
    private static final int NODETOOL_HEAP_MIB = 128;

    private NodeCommand() {}

    /** {@code nodetool} in a process of its own, as an operator runs it. */
    static List<String> nodetool(
            PeerInstallation installation, NodeFiles files, PeerPorts ports, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(java());
        addAccess(command);
        command.addAll(List.of(
                "-Xmx" + NODETOOL_HEAP_MIB + "m",
                "-XX:ParallelGCThreads=1",
                "-Djava.io.tmpdir=" + files.temporaryDirectory(),
                "-Duser.home=" + files.temporaryDirectory(),
                "-Dcassandra.config=" + files.yaml().toUri(),
                "-Dcassandra.logdir=" + files.temporaryDirectory(),
                "-Dlogback.configurationFile=" + files.toolsLogback(),
                "-cp",
                installation.classPath(),
                "org.apache.cassandra.tools.NodeTool",
                "-h",
                "127.0.0.1",
                "-p",
                Integer.toString(ports.jmx())));
        command.addAll(arguments);
        return command;
    }

    private static void addAccess(List<String> command) {
        EXPORTS.forEach(name -> command.add("--add-exports=" + name + "=ALL-UNNAMED"));
        addOpens(command, OPENS);
    }

    private static void addOpens(List<String> command, List<String> names) {
        names.forEach(name -> command.add("--add-opens=" + name + "=ALL-UNNAMED"));
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    static List<String> of(
            CassandraPeerConfig config,
            PeerInstallation installation,
            NodeFiles files,
            PeerPorts ports,
            PeerProcess.Agent agent) {
        List<String> command = new ArrayList<>();
        command.add(java());
        addAccess(command);
        if (config.release().isOlder()) {
            addOpens(command, OPENS_OF_OLDER);
        }
        Stream.of(
                        "-Xms" + Math.min(config.heapMiB(), 256) + "m",
                        "-Xmx" + config.heapMiB() + "m",
                        "-XX:+UseG1GC",
                        "-XX:+ExitOnOutOfMemoryError",
                        // as Cassandra is shipped: what its assertions object to, it objects to
                        "-ea",
                        "-da:net.openhft...",
                        // standard output belongs to the protocol
                        "-XX:+DisplayVMOutputToStderr",
                        // A snapshot's schema.cql is written in it, and names need not be ASCII.
                        "-Dfile.encoding=UTF-8",
                        "-Djdk.attach.allowAttachSelf=true",
                        "-Dio.netty.tryReflectionSetAccessible=true",
                        "-javaagent:" + installation.memoryMeter(),
                        "-Djava.io.tmpdir=" + files.temporaryDirectory(),
                        // nodetool keeps a history there
                        "-Duser.home=" + files.temporaryDirectory(),
                        "-Dcassandra.config=" + files.yaml().toUri(),
                        "-Dcassandra.storagedir=" + config.directory(),
                        "-Dcassandra.logdir=" + files.logDirectory(),
                        "-Dlogback.configurationFile=" + files.logback(),
                        "-Dcassandra.jmx.local.port=" + ports.jmx(),
                        "-Dcassandra-foreground=yes",
                        // nothing to wait for: nobody else is in the ring, or its members are known to be up
                        "-Dcassandra.ring_delay_ms=100",
                        "-Dcassandra.skip_wait_for_gossip_to_settle=0",
                        "-Dcassandra.shutdown_announce_in_ms=0",
                        "-Dcassandra.consistent.rangemovement=false",
                        "-Dcassandra.superuser_setup_delay_ms=0",
                        // system tables need not survive a crash here
                        "-Dcassandra.unsafesystem=true")
                .forEach(command::add);
        command.addAll(config.jvmOptions());
        command.addAll(List.of("-cp", installation.classPath(), agent.mainClass()));
        return command;
    }
}
