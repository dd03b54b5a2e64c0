package io.anneal.repair;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.net.Connection;
import io.anneal.net.Message;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerException;
import io.anneal.net.Waiting;
import io.anneal.repair.message.RepairVerb;
import io.anneal.repair.message.RunRepair;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Runs a repair on the node that shall be its master, and watches it. The connection belongs to the caller. */
final class RepairClient {
    private final Connection connection;

    RepairClient(Connection connection) {
        this.connection = connection;
    }

    /**
     * Waits until the repair is done; an interrupt aborts it.
     *
     * @param listener is told the progress; while it does not return, the repair comes to rest
     * @throws RepairException when the repair failed
     * @throws PeerException when it was not begun, with code {@code busy} for want of room; or the peer is lost
     */
    RepairReport run(RunRepair repair, RepairListener listener) throws IOException {
        MessageStream messages = connection.open(RepairVerb.RUN).messages();
        listener.endsWhen(() -> messages.stream().closed().isDone());
        boolean done = false;
        try {
            ByteWriter out = new ByteWriter(256);
            out.writeByte(RepairVerb.VERSION);
            repair.encode(out);
            messages.write(RepairStatus.KIND, ByteBuffer.wrap(out.array(), 0, out.lengthBytes()));
            RepairStatus status = next(messages);
            while (status.isRunning()) {
                listener.progress(status.windows(), status.rowsRead(), status.bytesRead(), status.covered());
                if (status.found().isPresent()) {
                    listener.keeps(status.found().get());
                }
                messages.write(RepairStatus.HEARD, ByteBuffer.allocate(0));
                status = next(messages);
            }
            messages.stream().end();
            done = true;
            return result(status);
        } finally {
            if (!done) {
                messages.stream().reset(RepairCode.ABORTED, "whoever asked for the repair has ended it");
            }
        }
    }

    private RepairReport result(RepairStatus status) throws RepairException {
        if (status.failure().isPresent()) {
            throw status.failure().get().exception(connection.address().toString());
        }
        return status.report().orElseThrow();
    }

    private RepairStatus next(MessageStream messages) throws IOException {
        Optional<Message> message = Waiting.result(messages.read());
        if (message.isEmpty()) {
            throw wrong("the peer ended the stream before the repair", null);
        }
        try (Message present = message.get()) {
            return RepairStatus.decode(new ByteReader().wrap(present.content()));
        } catch (ByteUnderflowException | IllegalArgumentException malformed) {
            throw wrong("status of the repair is malformed, cause=" + malformed.getMessage(), malformed);
        }
    }

    private PeerException wrong(String reason, Throwable cause) {
        return new PeerException(
                connection.address().toString(), RepairVerb.RUN.name(), PeerException.MALFORMED, reason, cause);
    }
}
