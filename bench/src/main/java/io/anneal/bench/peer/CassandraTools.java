package io.anneal.bench.peer;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Cassandra's own readers and writer in a process of its own, no server behind them: what to measure ours against. The
 * process stays, so that its code is as warm as ours after some runs. As with {@link CassandraPeer} any thread may
 * call, requests run one after the other, and {@link CassandraPeerException} says what went wrong.
 */
public final class CassandraTools implements AutoCloseable {
    private final PeerProcess process;

    private CassandraTools(PeerProcess process) {
        this.process = process;
    }

    /** Starts the process and waits for it. Assertions are off, as a fair comparison wants it. */
    public static CassandraTools start(CassandraPeerConfig config) {
        List<String> options = new ArrayList<>(config.jvmOptions());
        options.add("-da");
        options.add("-Dcassandra.schema.force_load_local_keyspaces=true");
        return new CassandraTools(
                PeerProcess.start(config.withSettings(config.yamlLines(), options), PeerProcess.Agent.TOOLS));
    }

    /**
     * Reads the SSTables of a table with Cassandra's scanner, through its merge where there are several, and looks at
     * every cell.
     *
     * @param createTable the statement that creates the table
     */
    public PeerRun scan(String createTable, List<Path> data) {
        List<String> arguments = new ArrayList<>();
        arguments.add(createTable);
        data.forEach(file -> arguments.add(file.toAbsolutePath().toString()));
        return PeerRun.of(process.request("SCAN", arguments.toArray(String[]::new)));
    }

    /**
     * Writes the rows of an SSTable with a sorted {@code CQLSSTableWriter} into an empty directory. Rows are decoded
     * outside of what is measured, some thousand at a time.
     *
     * @param createTable the statement that creates the table; its partition key has one column
     */
    public PeerRun write(String createTable, Path source, Path directory) {
        return PeerRun.of(process.request(
                "WRITE",
                createTable,
                source.toAbsolutePath().toString(),
                directory.toAbsolutePath().toString()));
    }

    /** Ends the process. */
    @Override
    public void close() {
        process.close();
    }
}
