package io.anneal.repair;

import io.anneal.io.ByteUnderflowException;
import io.anneal.net.Connection;
import io.anneal.net.PeerAddress;
import io.anneal.net.PeerException;
import io.anneal.node.PeerRun;
import io.anneal.repair.message.RepairVerb;
import io.anneal.repair.message.RunRepair;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.List;
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
     * @param listener is called with the progress; while it does not return, the repair pauses
     * @throws RepairException when the repair failed
     * @throws PeerException when it was not begun, with code {@code busy} for want of room; or the peer is lost
     */
    RepairReport run(RunRepair repair, RepairListener listener) throws IOException {
        try (PeerRun<RepairStatus> run =
                new PeerRun<>(connection, RepairVerb.RUN, RepairStatus::decode, RepairCode.ABORTED)) {
            listener.endsWhen(run::isGone);
            EndWish wish = new EndWish();
            Optional<TableSchema> schema = Optional.empty();
            try {
                RepairStatus status = run.ask(out -> {
                    out.writeByte(RepairVerb.VERSION);
                    repair.encode(out);
                });
                listener.endsEarlyBy(wish);
                while (status.isRunning()) {
                    tell(status, listener);
                    listener.progress(status.windows(), status.rowsRead(), status.bytesRead(), status.covered());
                    if (status.found().isPresent()) {
                        listener.keeps(status.found().get());
                    }
                    if (status.differences().isPresent()) {
                        schema = Optional.of(tell(status.differences().get(), repair, schema, listener));
                    }
                    status = run.next(out -> wish.write(out, listener.nanosLeft() <= 0));
                    wish.answered(status.endAnswer());
                }
                run.end();
                wish.requireHeard();
                tell(status, listener);
                status.failure().flatMap(RepairFailure::kept).ifPresent(listener::unfinished);
                return result(status);
            } finally {
                wish.end();
            }
        }
    }

    private static void tell(RepairStatus status, RepairListener listener) {
        if (status.tableId().isPresent()) {
            listener.opens(status.tableId());
        }
        status.endsAt().ifPresent(listener::endsAt);
    }

    /** Tells what the master found, and at first of which table; returns that. */
    private TableSchema tell(
            RepairStatus.Differences found, RunRepair repair, Optional<TableSchema> known, RepairListener listener)
            throws IOException {
        try {
            TableSchema schema =
                    known.orElseGet(() -> CqlSchema.parse(found.schemaText(), "schema of the repair master")
                            .table(repair.keyspace(), repair.table())
                            .orElseThrow(() -> new IllegalArgumentException("its schema text is of another table")));
            if (known.isEmpty()) {
                listener.begins(schema, List.of());
            }
            DifferenceCodec.tell(found.bytes(), schema, listener);
            return schema;
        } catch (IllegalArgumentException | SchemaException | ByteUnderflowException malformed) {
            throw new RepairException(
                    "repair master told differences that cannot be read, master="
                            + PeerAddress.text(connection.address()) + ", cause=" + malformed.getMessage(),
                    malformed);
        }
    }

    private RepairReport result(RepairStatus status) throws RepairException {
        if (status.failure().isPresent()) {
            throw status.failure().get().exception(PeerAddress.text(connection.address()));
        }
        return status.report().orElseThrow();
    }
}
