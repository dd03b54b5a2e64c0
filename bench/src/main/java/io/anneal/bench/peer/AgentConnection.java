package io.anneal.bench.peer;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Requests and responses over the standard streams of a node; the protocol is drawn at {@code RequestLoop}. A thread of
 * its own reads, since a read of a pipe knows no deadline; it ends with the process.
 */
final class AgentConnection {
    private static final byte OK = 0;

    private final DataOutputStream requests;
    private final BlockingQueue<Response> responses = new LinkedBlockingQueue<>();

    private AgentConnection(DataOutputStream requests) {
        this.requests = requests;
    }

    static AgentConnection open(InputStream fromNode, OutputStream toNode, String threadName) {
        AgentConnection connection = new AgentConnection(new DataOutputStream(new BufferedOutputStream(toNode)));
        DataInputStream in = new DataInputStream(new BufferedInputStream(fromNode, 1 << 16));
        Thread reader = new Thread(() -> connection.readAll(in), threadName);
        reader.setDaemon(true);
        reader.start();
        return connection;
    }

    void send(List<String> strings) throws IOException {
        requests.writeInt(strings.size());
        for (String string : strings) {
            byte[] bytes = string.getBytes(StandardCharsets.UTF_8);
            requests.writeInt(bytes.length);
            requests.write(bytes);
        }
        requests.flush();
    }

    /** The next response, or null when none came in time. */
    Response receive(Duration timeout) throws InterruptedException {
        return responses.poll(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void readAll(DataInputStream in) {
        try (in) {
            while (true) {
                responses.add(read(in));
            }
        } catch (EOFException e) {
            responses.add(new Response(Status.GONE, List.of()));
        } catch (IOException e) {
            responses.add(new Response(Status.GONE, List.of(List.of(e.toString()))));
        }
    }

    private static Response read(DataInputStream in) throws IOException {
        Status status = in.readByte() == OK ? Status.OK : Status.FAILED;
        int rowCount = in.readInt();
        List<List<String>> rows = new ArrayList<>(rowCount);
        for (int i = 0; i < rowCount; i++) {
            int cellCount = in.readInt();
            List<String> cells = new ArrayList<>(cellCount);
            for (int j = 0; j < cellCount; j++) {
                int lengthBytes = in.readInt();
                cells.add(lengthBytes < 0 ? null : new String(in.readNBytes(lengthBytes), StandardCharsets.UTF_8));
            }
            rows.add(cells);
        }
        return new Response(status, rows);
    }

    enum Status {
        OK,
        FAILED,
        GONE
    }

    record Response(Status status, List<List<String>> rows) {}
}
