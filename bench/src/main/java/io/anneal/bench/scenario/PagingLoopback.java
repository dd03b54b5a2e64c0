package io.anneal.bench.scenario;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.anneal.key.TokenRange;
import io.anneal.node.Node;
import io.anneal.paging.RemotePages;
import io.anneal.paging.query.ReadQuery;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * A table read over loopback from a node in a process of its own, row by row, one thread; beside it the Java driver, which reads the
 * same SSTables of a Cassandra node in pages as large. Both go through all rows and leave values as the bytes that came. Processor time
 * is that of both ends.
 */
final class PagingLoopback {
    private static final ReadQuery ALL = ReadQuery.ofRanges(List.of(TokenRange.FULL));
    private static final int NUMBER = 1;
    private static final int THREADS = 4;

    private final BenchConfig config;
    private final OwnCommand command;
    private final Series series;

    PagingLoopback(BenchConfig config, OwnCommand command, Series series) {
        this.config = config;
        this.command = command;
        this.series = series;
    }

    /** @param store is closed in this process, as another opens it */
    void measure(String caseName, PagedStore store, int pageRows, Optional<PagingPeer> peer) throws IOException {
        config.progress().accept(PagingScenario.NAME + " " + caseName + ": measuring");
        TableSchema schema = store.table().schema();
        PagingPeer.take(peer, store.table());
        String directory = store.stop().toString();
        try (PeerJvm server = PeerJvm.start(command, PagingNodePeer.class, List.of(directory));
                Node node = Node.open(StoreNode.config(NUMBER), THREADS, new Random(NUMBER));
                CqlSession session = peer.isPresent() ? peer.get().session() : null) {
            PagedScans scans = new PagedScans(
                    RemotePages.open(node.peers(), server.address(0), "", schema.keyspace(), schema.name()),
                    pageRows,
                    true);
            Contender own = contender(BenchSystem.ANNEAL, server.pid(), () -> scans.readRows(ALL));
            Warming.warm(config, own);
            Optional<Contender> driver = peer.map(
                    side -> contender(BenchSystem.CASSANDRA, side.pid(), () -> rows(session, schema, pageRows)));
            if (driver.isPresent()) {
                Warming.warm(config, driver.get());
            }
            for (int round = 0; round < config.runs(); round++) {
                Run run = own.work().run();
                series.add(caseName, own.system(), run);
                if (driver.isPresent()) {
                    Run other = driver.get().work().run();
                    PagingScenario.requireAll(other.rows(), run.rows());
                    series.add(caseName, BenchSystem.CASSANDRA, other);
                }
            }
        }
    }

    private interface Reading {
        long rows() throws IOException;
    }

    private Contender contender(BenchSystem system, long otherEnd, Reading reading) {
        return new Contender(system, () -> {
            ProcessCpu cpu = new ProcessCpu(List.of(ProcessHandle.current().pid(), otherEnd), List.of());
            long before = config.nanoTime().getAsLong();
            long rows = reading.rows();
            long wallNanos = config.nanoTime().getAsLong() - before;
            return new Run(rows, 0, wallNanos, cpu.nanos(), 0);
        });
    }

    private static long rows(CqlSession session, TableSchema schema, int pageRows) {
        long rows = 0;
        for (Row row : session.execute(SimpleStatement.newInstance("SELECT * FROM " + schema.qualifiedName())
                .setPageSize(pageRows))) {
            rows += row == null ? 0 : 1;
        }
        return rows;
    }
}
