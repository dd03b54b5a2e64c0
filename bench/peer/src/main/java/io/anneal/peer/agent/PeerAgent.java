package io.anneal.peer.agent;

import java.util.List;
import org.apache.cassandra.service.CassandraDaemon;

/**
 * Starts a Cassandra node in this process and serves it over the standard streams ({@link RequestLoop}), so that
 * writing, flushing, dumping, verifying and importing cost one JVM instead of one for each step. It is ready when the
 * node accepts CQL clients. It is compiled against 5.0: an older node does what needs none of the classes that came later.
 */
public final class PeerAgent {
    private final CqlOperations cql = new CqlOperations();

    private PeerAgent() {}

    /** Runs the node until standard input ends. */
    public static void main(String[] arguments) {
        RequestLoop loop = RequestLoop.open();
        new CassandraDaemon().activate();
        loop.run(new PeerAgent()::perform);
    }

    private List<List<String>> perform(String operation, List<String> arguments) throws Exception {
        return switch (operation) {
            case "EXECUTE" -> cql.execute(arguments.get(0));
            case "EXECUTE_AT" -> cql.executeAt(Long.parseLong(arguments.get(0)), arguments.get(1));
            case "EXECUTE_BOUND" ->
                cql.executeBound(Long.parseLong(arguments.get(0)), arguments.subList(1, arguments.size()));
            case "EXECUTE_ALL" -> cql.executeAll(arguments);
            case "FLUSH" -> TableOperations.flush(arguments.get(0), arguments.get(1));
            case "COMPACT" -> TableOperations.compact(arguments.get(0), arguments.get(1));
            case "SSTABLES" -> TableOperations.sstables(arguments.get(0), arguments.get(1));
            case "SNAPSHOT" -> TableOperations.snapshot(arguments.get(0), arguments.get(1), arguments.get(2));
            case "CLEAR_SNAPSHOT" ->
                TableOperations.clearSnapshot(arguments.get(0), arguments.get(1), arguments.get(2));
            case "IMPORT" -> TableOperations.importDirectory(arguments.get(0), arguments.get(1), arguments.get(2));
            case "RETAIN" ->
                TableOperations.retain(arguments.get(0), arguments.get(1), arguments.subList(2, arguments.size()));
            case "VERIFY" -> TableOperations.verify(arguments.get(0), arguments.get(1), arguments.get(2));
            case "TOKEN" -> TableOperations.token(arguments.get(0), arguments.get(1), arguments.get(2));
            case "AWAIT_RING" -> Ring.awaitMembers(Integer.parseInt(arguments.get(0)));
            case "OWN" -> Ring.own(arguments.get(0), arguments.get(1));
            case "EXPECT" -> Ring.expect(arguments.get(0));
            case "DUMP" -> Tools.dump(arguments.get(0), arguments.get(1));
            case "APPLY_ROWS" ->
                StoreOperations.write(
                        TableOperations.table(arguments.get(0), arguments.get(1)),
                        Long.parseLong(arguments.get(2)),
                        Long.parseLong(arguments.get(3)),
                        Integer.parseInt(arguments.get(4)),
                        Boolean.parseBoolean(arguments.get(5)));
            case "READ_ROWS" ->
                StoreOperations.read(
                        TableOperations.table(arguments.get(0), arguments.get(1)),
                        Long.parseLong(arguments.get(2)),
                        Long.parseLong(arguments.get(3)),
                        Integer.parseInt(arguments.get(4)));
            case "PAGE_ROWS" ->
                PagedSelects.read(Integer.parseInt(arguments.get(0)), arguments.subList(1, arguments.size()));
            case "TAKE" ->
                StoreOperations.take(TableOperations.table(arguments.get(0), arguments.get(1)), arguments.get(2));
            case "AUTO_COMPACTION" ->
                TableOperations.autoCompaction(
                        arguments.get(0), arguments.get(1), Boolean.parseBoolean(arguments.get(2)));
            case "COMPACT_MEASURED" ->
                StoreOperations.compact(TableOperations.table(arguments.get(0), arguments.get(1)));
            case "NODETOOL" -> Tools.nodetool(arguments);
            default -> throw new IllegalArgumentException("unknown operation, name=" + operation);
        };
    }
}
