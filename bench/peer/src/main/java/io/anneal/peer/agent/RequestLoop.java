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

/**
 * Requests on standard input, responses on standard output.
 *
 * <pre>
 * request   count:int  string*                           the first string names the operation
 * response  status:byte  rows:int  (cells:int  string*)* status 0: the answer; 1: one row, the reason of the failure
 * string    length:int  UTF-8 bytes                      length -1: null
 * </pre>
 *
 * The first response is sent unasked when the process is ready. When standard input ends, the process halts: it never
 * outlives whoever started it.
 */
final class RequestLoop {
    /** Answers one request. */
    @FunctionalInterface
    interface Operations {
        List<List<String>> perform(String operation, List<String> arguments) throws Exception;
    }

    private static final byte OK = 0;
    private static final byte FAILED = 1;

    private final DataInputStream requests = new DataInputStream(new BufferedInputStream(System.in, 1 << 16));
    private final DataOutputStream responses;

    private RequestLoop(DataOutputStream responses) {
        this.responses = responses;
    }

    /** Takes the standard streams; to be called first, as whatever Cassandra prints must not run into the responses. */
    static RequestLoop open() {
        RequestLoop loop = new RequestLoop(new DataOutputStream(new BufferedOutputStream(System.out, 1 << 16)));
        System.setOut(new PrintStream(System.err, true, StandardCharsets.UTF_8));
        return loop;
    }

    /** Serves until standard input ends, and ends the process. */
    void run(Operations operations) {
        try {
            serve(operations);
        } catch (IOException e) {
            e.printStackTrace();
        } finally {
            // Its owner is gone, so nobody needs an orderly end; and Cassandra's threads would keep the JVM alive.
            Runtime.getRuntime().halt(0);
        }
    }

    private void serve(Operations operations) throws IOException {
        respond(OK, List.of());
        while (true) {
            List<String> request;
            try {
                request = readRequest();
            } catch (EOFException e) {
                return;
            }
            answer(operations, request);
        }
    }

    // Whatever goes wrong belongs to the request, a StackOverflowError of the CQL parser or an AssertionError of a
    // reader of broken bytes included; it is the outermost loop of the thread.
    private void answer(Operations operations, List<String> request) throws IOException {
        List<List<String>> rows;
        try {
            rows = operations.perform(request.get(0), request.subList(1, request.size()));
        } catch (Throwable t) {
            t.printStackTrace();
            respond(FAILED, List.of(List.of(Reasons.of(t))));
            return;
        }
        respond(OK, rows);
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
