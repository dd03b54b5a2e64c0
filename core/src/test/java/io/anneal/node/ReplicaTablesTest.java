package io.anneal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.net.Connection;
import io.anneal.net.NetConfig;
import io.anneal.net.NodeIdentity;
import io.anneal.net.PeerException;
import io.anneal.net.SharedToken;
import io.anneal.net.VersionRange;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The list of a replica's tables, as a peer asks for it: what a stranger sends is checked on both sides. */
@Timeout(60)
class ReplicaTablesTest {
    private Node server;
    private Node client;
    private Connection connection;

    @BeforeEach
    void connect() throws IOException {
        server = open();
        client = open();
        connection = client.client().open(server.listen(new InetSocketAddress("127.0.0.1", 0)));
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    private static Node open() {
        SharedToken token = SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.US_ASCII));
        NodeIdentity identity = new NodeIdentity(UUID.randomUUID(), "", Map.of());
        return Node.open(NetConfig.of(identity, Optional.of(token), new VersionRange(1, 1)), 2, new SecureRandom());
    }

    private List<String> ask() throws IOException {
        return ReplicaTables.ask(connection, "", "ks");
    }

    private void answers(ByteWriter answer) {
        server.handlers()
                .register(
                        ReplicaTables.TABLES,
                        (peer, question) -> CompletableFuture.completedFuture(ByteBuffer.wrap(answer.toByteArray())));
    }

    private static ByteWriter names(List<String> names) {
        ByteWriter out = new ByteWriter(64);
        Texts.write(out, names);
        return out;
    }

    @Test
    void shouldSayWhyAReplicaDoesNotTellItsTables() {
        server.replicas().add("one", (keyspace, table, staged) -> {
            throw new IOException("not asked for");
        });
        new ReplicaTables(server.replicas()).register(server.handlers());

        assertThatThrownBy(this::ask)
                .isInstanceOf(PeerException.class)
                .hasMessageContaining("replica does not tell which tables it has: name them, keyspace=ks");
        assertThatThrownBy(() -> connection.call(ReplicaTables.TABLES, ByteBuffer.wrap(new byte[] {9})))
                .hasMessageContaining("version of lists of tables is not spoken here, version=9");
        assertThatThrownBy(() -> connection.call(ReplicaTables.TABLES, ByteBuffer.wrap(new byte[] {1, 100})))
                .hasMessageContaining("request is malformed");
    }

    @Test
    void shouldTakeNamesInTheOrderOfTheAlphabetAndOnce() throws IOException {
        answers(names(List.of("b", "a", "b")));
        assertThat(ask()).containsExactly("a", "b");
    }

    @Test
    void shouldRefuseWhatIsNoName() {
        answers(names(List.of("a", "../b")));
        assertThatThrownBy(this::ask)
                .hasMessageContaining("answer is malformed")
                .hasMessageContaining("name=../b");
    }

    @Test
    void shouldRefuseACountThatNoKeyspaceHas() {
        ByteWriter many = new ByteWriter(16);
        many.writeUnsignedVInt((1 << 16) + 1);
        answers(many);
        assertThatThrownBy(this::ask).hasMessageContaining("answer is malformed");
    }

    @Test
    void shouldRefuseBytesBehindTheNames() {
        ByteWriter more = names(List.of("a"));
        more.writeByte(0);
        answers(more);
        assertThatThrownBy(this::ask).hasMessageContaining("answer is malformed");
    }
}
