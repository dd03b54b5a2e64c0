package io.anneal.repair;

import static io.anneal.repair.Sessions.BUFFER_BYTES;
import static io.anneal.repair.Sessions.KEYS;
import static io.anneal.repair.Sessions.SCHEMA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.ByteBudget;
import io.anneal.key.TokenRange;
import io.anneal.net.Connection;
import io.anneal.net.ConnectionContents;
import io.anneal.net.PeerException;
import io.anneal.net.Verb;
import io.anneal.net.Waiting;
import io.anneal.node.Replicas;
import io.anneal.repair.message.OpenSession;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections live long: a session that is over leaves nothing behind on them. */
@Timeout(120)
class ManySessionsTest {
    private static final int SESSIONS = 2_000;
    private static final Verb PEER = new Verb(900, "test.peer");

    private final TestTable table = new TestTable("follower", Sessions.rows(KEYS.get(1), 6), Optional.empty());
    private final AtomicReference<Connection> peer = new AtomicReference<>();

    private static OpenSession open(UUID id, TableSchema schema) {
        return new OpenSession(
                id,
                "ks",
                "t",
                SchemaText.print(schema),
                List.of(TokenRange.FULL),
                100,
                1,
                BUFFER_BYTES,
                Sessions.REPLICAS,
                true,
                Optional.empty(),
                1);
    }

    @Test
    void shouldLeaveNothingBehindOnALongConnection() throws IOException {
        try (Nodes nodes = new Nodes((handlers, own) -> {
            // Three places: sessions that stayed would keep the next ones out.
            new RepairService(
                            Nodes.replicas(table.opener()),
                            own.executor(),
                            ByteBudget.of(31L * RepairConfig.BUFFER_MIN_BYTES))
                    .register(handlers);
            handlers.register(PEER, (connection, request) -> {
                peer.set(connection);
                return CompletableFuture.completedFuture(request);
            });
        })) {
            Connection connection = nodes.connect();
            connection.call(PEER, ByteBuffer.allocate(1));
            for (int i = 0; i < SESSIONS; i++) {
                UUID id = new UUID(7, i);
                RemoteParticipant session = new RemoteParticipant(connection, Replicas.THE_ONLY_ONE, 2);
                switch (i % 4) {
                    case 0 -> finished(session, id);
                    case 1 -> refused(session.open(open(id, HandMadeTable.schema(11))));
                    case 2 -> refused(session.read());
                    default -> {
                        Waiting.result(session.open(open(id, SCHEMA)));
                        // Without terms it cannot be finished.
                        refused(session.finish());
                    }
                }
            }

            // The last frames may be under way yet; until the time limit of the test.
            while (!ConnectionContents.isEmpty(connection) || !ConnectionContents.isEmpty(peer.get())) {
                LockSupport.parkNanos(1_000_000);
            }
            while (table.opened.get() != table.closed.get() || nodes.budget().reservedBytes() > 0) {
                LockSupport.parkNanos(1_000_000);
            }
            finished(new RemoteParticipant(connection, Replicas.THE_ONLY_ONE, 2), new UUID(8, 1));
        }
    }

    private static void finished(RemoteParticipant session, UUID id) throws IOException {
        Waiting.result(session.open(open(id, SCHEMA)));
        Waiting.result(session.agree(Sessions.TERMS));
        Sessions.readAll(session);
        Waiting.result(session.finish());
        session.close();
    }

    private static void refused(CompletableFuture<?> answer) {
        assertThatThrownBy(() -> Waiting.result(answer))
                .isInstanceOfSatisfying(
                        PeerException.class,
                        failure -> assertThat(failure.code()).isNotEqualTo(PeerException.BUSY));
    }
}
