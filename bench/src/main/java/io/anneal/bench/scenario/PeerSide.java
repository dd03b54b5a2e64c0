package io.anneal.bench.scenario;

import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.bench.peer.CassandraPeerConfig;
import io.anneal.bench.peer.CassandraTools;
import io.anneal.bench.peer.PeerRun;
import io.anneal.bench.peer.PeerSSTableVersion;
import io.anneal.schema.SchemaText;
import io.anneal.sstable.Component;
import io.anneal.sstable.SSTableVersion;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Cassandra's contenders, in one process that stays for a whole scenario. */
final class PeerSide implements Closeable {
    private final TemporaryDirectory directory;
    private final CassandraTools tools;

    private PeerSide(TemporaryDirectory directory, CassandraTools tools) {
        this.directory = directory;
        this.tools = tools;
    }

    /** @param version what its writer writes */
    static PeerSide start(SSTableVersion version) throws IOException {
        TemporaryDirectory directory = TemporaryDirectory.create("anneal-bench-cassandra");
        try {
            CassandraPeerConfig config =
                    CassandraPeerConfig.in(directory.path()).withVersion(writtenBy(version));
            return new PeerSide(directory, CassandraTools.start(config));
        } catch (RuntimeException e) {
            try (directory) {
                throw e;
            }
        }
    }

    static PeerSSTableVersion writtenBy(SSTableVersion version) {
        return Arrays.stream(PeerSSTableVersion.values())
                .filter(known -> known.name().equals(version.name()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "Cassandra does not write this version any more, version=" + version.text()));
    }

    /** Its scanner over the table's SSTables, merged if there are several. */
    Contender scan(GeneratedTable table) {
        String createTable = SchemaText.print(table.schema());
        List<Path> data = table.readers().stream()
                .map(reader -> reader.descriptor().file(Component.DATA))
                .toList();
        return contender(table, () -> tools.scan(createTable, data));
    }

    /** Its sorted writer, given the rows of the table's first SSTable. */
    Contender write(GeneratedTable table) {
        String createTable = SchemaText.print(table.schema());
        Path source = table.readers().get(0).descriptor().file(Component.DATA);
        return contender(table, () -> {
            try (TemporaryDirectory target = table.directory().createInside("cassandra")) {
                return tools.write(createTable, source, target.path());
            }
        });
    }

    @FunctionalInterface
    private interface PeerWork {
        PeerRun run() throws IOException;
    }

    private static Contender contender(GeneratedTable table, PeerWork work) {
        return new Contender(BenchSystem.CASSANDRA, () -> {
            PeerRun run = work.run();
            if (run.rows() != table.rowCount()) {
                throw new IllegalStateException("rows of Cassandra are not what was written, rows=" + run.rows()
                        + ", expected=" + table.rowCount());
            }
            return new Run(run.rows(), table.dataLengthBytes(), run.wallNanos(), run.cpuNanos(), run.allocatedBytes());
        });
    }

    @Override
    public void close() throws IOException {
        try (directory) {
            tools.close();
        }
    }
}
