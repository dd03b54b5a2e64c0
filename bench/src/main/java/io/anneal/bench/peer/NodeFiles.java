package io.anneal.bench.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/** The directory of a node: writes its configuration, knows where its logs are. */
final class NodeFiles {
    private static final int TAIL_LINES = 40;
    private static final int TAIL_LINE_LENGTH_MAX = 500;

    private final Path directory;

    NodeFiles(Path directory) {
        this.directory = directory;
    }

    /** Creates the directory with the configuration; refuses one in use, as old commit logs would be replayed. */
    void create(CassandraPeerConfig config, PeerPorts ports) throws IOException {
        Files.createDirectories(directory);
        try (Stream<Path> entries = Files.list(directory)) {
            if (entries.findAny().isPresent()) {
                throw new CassandraPeerException("directory of the peer is not empty, directory=" + directory);
            }
        }
        for (String name : List.of("conf", "log", "import", "dump", "tmp")) {
            Files.createDirectory(directory.resolve(name));
        }
        Files.write(yaml(), yamlLines(config, ports));
        Files.writeString(logback(), LOGBACK);
        Files.writeString(toolsLogback(), TOOLS_LOGBACK);
    }

    Path yaml() {
        return directory.resolve("conf").resolve("cassandra.yaml");
    }

    Path logback() {
        return directory.resolve("conf").resolve("logback.xml");
    }

    Path toolsLogback() {
        return directory.resolve("conf").resolve("logback-tools.xml");
    }

    Path logDirectory() {
        return directory.resolve("log");
    }

    Path importDirectory() {
        return directory.resolve("import");
    }

    Path dumpDirectory() {
        return directory.resolve("dump");
    }

    Path temporaryDirectory() {
        return directory.resolve("tmp");
    }

    Path systemLog() {
        return logDirectory().resolve("system.log");
    }

    Path standardError() {
        return logDirectory().resolve("stderr.log");
    }

    /** The ends of both logs, for an exception. */
    String logTail() {
        return tail(standardError()) + tail(systemLog());
    }

    private static String tail(Path log) {
        try {
            List<String> lines = Files.readAllLines(log);
            StringBuilder tail = new StringBuilder("\n--- end of " + log.getFileName() + "\n");
            for (String line : lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size())) {
                tail.append(line, 0, Math.min(line.length(), TAIL_LINE_LENGTH_MAX))
                        .append('\n');
            }
            return tail.toString();
        } catch (IOException e) {
            return "\n--- " + log.getFileName() + " is not readable: " + e + "\n";
        }
    }

    private List<String> yamlLines(CassandraPeerConfig config, PeerPorts ports) {
        String own = config.address() + ":" + ports.storage();
        List<String> lines = new ArrayList<>(List.of(
                "cluster_name: anneal-peer",
                "num_tokens: 1",
                "initial_token: '" + initialToken(config) + "'",
                "auto_bootstrap: false",
                "partitioner: org.apache.cassandra.dht." + config.partitioner(),
                "endpoint_snitch: SimpleSnitch",
                "seed_provider:",
                "  - class_name: org.apache.cassandra.locator.SimpleSeedProvider",
                "    parameters: [ { seeds: '" + (config.seed().isEmpty() ? own : config.seed()) + "' } ]",
                "listen_address: " + config.address(),
                "rpc_address: " + config.address(),
                "native_transport_port: " + ports.cql(),
                "storage_port: " + ports.storage(),
                "data_file_directories: [ '" + directory.resolve("data") + "' ]",
                "commitlog_directory: '" + directory.resolve("commitlog") + "'",
                "saved_caches_directory: '" + directory.resolve("caches") + "'",
                "hints_directory: '" + directory.resolve("hints") + "'",
                "cdc_raw_directory: '" + directory.resolve("cdc") + "'",
                "commitlog_sync: periodic",
                "commitlog_sync_period: 10000ms",
                "commitlog_segment_size: 8MiB",
                "hinted_handoff_enabled: false",
                "dynamic_snitch: false",
                "auto_snapshot: false",
                "snapshot_before_compaction: false",
                // A broken SSTable is what many tests are about; it must not stop the node.
                "disk_failure_policy: ignore",
                "commit_failure_policy: ignore",
                "key_cache_size: 16MiB",
                "counter_cache_size: 4MiB",
                "memtable_heap_space: 192MiB",
                "memtable_offheap_space: 64MiB",
                "concurrent_compactors: 2",
                "compaction_throughput: 0MiB/s",
                "stream_throughput_outbound: 0MiB/s",
                "entire_sstable_stream_throughput_outbound: 0MiB/s",
                "inter_dc_stream_throughput_outbound: 0MiB/s",
                "entire_sstable_inter_dc_stream_throughput_outbound: 0MiB/s",
                "read_request_timeout: 20s",
                "range_request_timeout: 60s",
                "write_request_timeout: 20s",
                "counter_write_request_timeout: 20s",
                "cas_contention_timeout: 20s",
                "truncate_request_timeout: 60s",
                "request_timeout: 20s",
                "tombstone_warn_threshold: 1000000",
                "tombstone_failure_threshold: 100000000",
                "batch_size_warn_threshold: 16384KiB",
                "batch_size_fail_threshold: 65536KiB"));
        if (!config.release().isOlder()) {
            lines.add("storage_compatibility_mode: " + config.version().storageCompatibilityMode());
            lines.add("sstable: { selected_format: " + config.version().selectedFormat() + " }");
        }
        if (config.columnIndexSizeKiB() > 0) {
            lines.add("column_index_size: " + config.columnIndexSizeKiB() + "KiB");
        }
        lines.addAll(config.yamlLines());
        return config.release().yaml(lines);
    }

    /** Tokens of a partitioner that keeps the order of keys are bytes, in hexadecimal. */
    private static String initialToken(CassandraPeerConfig config) {
        return config.partitioner().equals("ByteOrderedPartitioner")
                ? HexFormat.of().toHexDigits(config.token())
                : Long.toString(config.token());
    }

    private static final String LOGBACK = """
            <configuration>
              <appender name="FILE" class="ch.qos.logback.core.FileAppender">
                <file>${cassandra.logdir}/system.log</file>
                <encoder><pattern>%-5level [%thread] %date{ISO8601} %F:%L - %msg%n</pattern></encoder>
              </appender>
              <root level="INFO"><appender-ref ref="FILE"/></root>
              <!-- one line of eight kilobytes, which hides the rest -->
              <logger name="org.apache.cassandra.config.Config" level="WARN"/>
            </configuration>
            """;

    private static final String TOOLS_LOGBACK = """
            <configuration>
              <appender name="STDERR" class="ch.qos.logback.core.ConsoleAppender">
                <target>System.err</target>
                <encoder><pattern>%-5level %date{ISO8601} %F:%L - %msg%n</pattern></encoder>
              </appender>
              <root level="WARN"><appender-ref ref="STDERR"/></root>
            </configuration>
            """;
}
