package io.anneal.peer.agent;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.cassandra.service.CassandraDaemon;

/**
 * Starts a Cassandra node in this process and serves it over the standard streams, so that writing, flushing,
 * dumping, verifying and importing cost one JVM instead of one for each step.
 *
 * <pre>
 * request   count:int  string*                           the first string names the operation
 * response  status:byte  rows:int  (cells:int  string*)* status 0: the answer; 1: one row, the reason of the failure
 * string    length:int  UTF-8 bytes                      length -1: null
 * </pre>
 *
 * The first response is sent unasked when the node accepts CQL clients. When standard input ends, the process halts:
 * a node never outlives whoever started it.
 */
public final class PeerAgent {
    private static final byte OK = 0;
    private static final byte FAILED = 1;

    private final DataInputStream requests;
    private final DataOutputStream responses;
    private final CqlOperations cql = new CqlOperations();
    private final TableOperations tables = new TableOperations();

    private PeerAgent(DataInputStream requests, DataOutputStream responses) {
        this.requests = requests;
        this.responses = responses;
    }

    /** Runs the node until standard input ends. */
    public static void main(String[] arguments) {
        DataOutputStream responses = new DataOutputStream(new BufferedOutputStream(System.out, 1 << 16));
        DataInputStream requests = new DataInputStream(new BufferedInputStream(System.in, 1 << 16));
        // Whatever Cassandra prints must not run into the responses.
        System.setOut(new PrintStream(System.err, true, StandardCharsets.UTF_8));
        new CassandraDaemon().activate();
        try {
            new PeerAgent(requests, responses).serve();
        } catch (IOException e) {
            e.printStackTrace();
        } finally {
            // Its owner is gone, so nobody needs an orderly end; and Cassandra's threads would keep the JVM alive.
            Runtime.getRuntime().halt(0);
        }
    }

    private void serve() throws IOException {
        respond(OK, List.of());
        while (true) {
            List<String> request;
            try {
                request = readRequest();
            } catch (EOFException e) {
                return;
            }
            answer(request);
        }
    }

    // Whatever goes wrong belongs to the request, a StackOverflowError of the CQL parser or an AssertionError of a
    // reader of broken bytes included; it is the outermost loop of the thread.
    private void answer(List<String> request) throws IOException {
        List<List<String>> rows;
        try {
            rows = perform(request);
        } catch (Throwable t) {
            t.printStackTrace();
            respond(FAILED, List.of(List.of(Reasons.of(t))));
            return;
        }
        respond(OK, rows);
    }

    private List<List<String>> perform(List<String> request) throws Exception {
        List<String> arguments = request.subList(1, request.size());
        return switch (request.get(0)) {
            case "EXECUTE" -> cql.execute(arguments.get(0));
            case "EXECUTE_AT" -> cql.executeAt(Long.parseLong(arguments.get(0)), arguments.get(1));
            case "EXECUTE_BOUND" ->
                cql.executeBound(Long.parseLong(arguments.get(0)), arguments.subList(1, arguments.size()));
            case "EXECUTE_ALL" -> cql.executeAll(arguments);
            case "FLUSH" -> tables.flush(arguments.get(0), arguments.get(1));
            case "COMPACT" -> tables.compact(arguments.get(0), arguments.get(1));
            case "SSTABLES" -> tables.sstables(arguments.get(0), arguments.get(1));
            case "SNAPSHOT" -> tables.snapshot(arguments.get(0), arguments.get(1), arguments.get(2));
            case "CLEAR_SNAPSHOT" -> tables.clearSnapshot(arguments.get(0), arguments.get(1), arguments.get(2));
            case "IMPORT" -> tables.importDirectory(arguments.get(0), arguments.get(1), arguments.get(2));
            case "VERIFY" -> tables.verify(arguments.get(0), arguments.get(1), arguments.get(2));
            case "TOKEN" -> tables.token(arguments.get(0), arguments.get(1), arguments.get(2));
            case "AWAIT_RING" -> Ring.awaitMembers(Integer.parseInt(arguments.get(0)));
            case "DUMP" -> Tools.dump(arguments.get(0), arguments.get(1));
            case "NODETOOL" -> Tools.nodetool(arguments);
            default -> throw new IllegalArgumentException("unknown operation, name=" + request.get(0));
        };
    }

    private List<String> readRequest() throws IOException {
        int count = requests.readInt();
        List<String> strings = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            byte[] bytes = new byte[requests.readInt()];
            requests.readFully(bytes);
            strings.add(new String(bytes, StandardCharsets.UTF_8));
        }
        return strings;
    }

    private void respond(byte status, List<List<String>> rows) throws IOException {
        responses.writeByte(status);
        responses.writeInt(rows.size());
        for (List<String> row : rows) {
            responses.writeInt(row.size());
            for (String cell : row) {
                if (cell == null) {
                    responses.writeInt(-1);
                    continue;
                }
                byte[] bytes = cell.getBytes(StandardCharsets.UTF_8);
                responses.writeInt(bytes.length);
                responses.write(bytes);
            }
        }
        responses.flush();
    }
}
