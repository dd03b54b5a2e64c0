package io.anneal.repair;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.net.Connection;
import io.anneal.repair.message.RepairVerb;
import io.anneal.repair.message.RunRepair;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Starts a repair on the node that shall be its master, and watches it. The connection belongs to the caller. */
public final class RepairClient {
    private final Connection connection;

    public RepairClient(Connection connection) {
        this.connection = connection;
    }

    public void start(RunRepair repair) throws IOException {
        ByteWriter out = new ByteWriter(256);
        repair.encode(out);
        connection.call(RepairVerb.RUN, ByteBuffer.wrap(out.array(), 0, out.lengthBytes()));
    }

    public RepairStatus status() throws IOException {
        return RepairStatus.decode(new ByteReader().wrap(connection.call(RepairVerb.STATUS, ByteBuffer.allocate(0))));
    }
}
