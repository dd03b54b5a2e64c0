package io.anneal.repair;

import static io.anneal.repair.Sessions.BUFFER_BYTES;
import static io.anneal.repair.Sessions.KEYS;
import static io.anneal.repair.Sessions.SCHEMA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.ByteWriter;
import io.anneal.net.Connection;
import io.anneal.net.ConnectionContents;
import io.anneal.net.PeerException;
import io.anneal.net.Verb;
import io.anneal.repair.message.OpenSession;
import io.anneal.repair.message.RepairVerb;
import io.anneal.repair.message.Texts;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections live long: a session that is over leaves nothing behind on them. */
@Timeout(120)
class ManySessionsTest {
    private static final int SESSIONS = 2_000;
    private static final Verb PEER = new Verb(900, "test.peer");

    private final TestTable table = new TestTable("follower", Sessions.rows(KEYS.get(1), 6), Optional.empty());
    private final AtomicReference<Connection> peer = new AtomicReference<>();

    private static ByteBuffer open(UUID id, TableSchema schema) {
        ByteWriter out = new ByteWriter(256);
        Texts.write(out, id);
        new OpenSession(id, "ks", "t", SchemaText.print(schema), 100, 1, BUFFER_BYTES, true, Optional.empty())
                .encode(out);
        return ByteBuffer.wrap(out.toByteArray());
    }

    private static ByteBuffer with(UUID id, ByteWriter content) {
        ByteWriter out = new ByteWriter(64);
        Texts.write(out, id);
        out.writeBytes(content.toByteArray());
        return ByteBuffer.wrap(out.toByteArray());
    }

    @Test
    void shouldLeaveNothingBehindOnALongConnection() throws IOException {
        try (Nodes nodes = new Nodes((handlers, own) -> {
            // One place: a session that stayed would keep the next one out.
            new RepairService(table.opener(), own.executor(), 1).register(handlers);
            handlers.register(PEER, (connection, request) -> {
                peer.set(connection);
                return CompletableFuture.completedFuture(request);
            });
        })) {
            Connection connection = nodes.connect();
            connection.call(PEER, ByteBuffer.allocate(1));
            for (int i = 0; i < SESSIONS; i++) {
                UUID id = new UUID(7, i);
                switch (i % 4) {
                    case 0 -> finished(connection, id);
                    case 1 -> refused(connection, RepairVerb.OPEN, open(id, HandMadeTable.schema(11)));
                    case 2 -> refused(connection, RepairVerb.OPEN, with(id, new ByteWriter(1)));
                    default -> {
                        connection.call(RepairVerb.OPEN, open(id, SCHEMA));
                        // Without terms it cannot be finished.
                        refused(connection, RepairVerb.FINISH, with(id, new ByteWriter(1)));
                    }
                }
            }

            // The last frames may be under way yet; until the time limit of the test.
            while (!ConnectionContents.isEmpty(connection) || !ConnectionContents.isEmpty(peer.get())) {
                Thread.onSpinWait();
            }
            while (table.opened.get() != table.closed.get() || nodes.budget().reservedBytes() > 0) {
                Thread.onSpinWait();
            }
            finished(connection, new UUID(8, 1));
        }
    }

    private static void finished(Connection connection, UUID id) throws IOException {
        connection.call(RepairVerb.OPEN, open(id, SCHEMA));
        ByteWriter terms = new ByteWriter(64);
        Sessions.TERMS.encode(terms);
        connection.call(RepairVerb.AGREE, with(id, terms));
        connection.call(RepairVerb.FINISH, with(id, new ByteWriter(1)));
    }

    private static void refused(Connection connection, Verb verb, ByteBuffer request) {
        assertThatThrownBy(() -> connection.call(verb, request))
                .isInstanceOfSatisfying(
                        PeerException.class,
                        failure -> assertThat(failure.code()).isNotEqualTo(PeerException.BUSY));
    }
}
