package io.anneal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentCursor;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.net.Connection;
import io.anneal.net.Message;
import io.anneal.net.MessageStream;
import io.anneal.net.NetConfig;
import io.anneal.net.NetTimeouts;
import io.anneal.net.NodeIdentity;
import io.anneal.net.PeerException;
import io.anneal.net.SharedToken;
import io.anneal.net.VersionRange;
import io.anneal.net.Waiting;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many places of a replica behind a connection are one question, and nobody holds more of the answer than what was taken. */
@Timeout(60)
class FetchedPartitionsTest {
    private static final String TEXT =
            "CREATE TABLE ks.t (id int, at int, name text, home text static, PRIMARY KEY (id, at));";
    private static final TableSchema SCHEMA =
            CqlSchema.parse(TEXT, "test.cql").tables().iterator().next();
    private static final int ROWS = 300;

    @TempDir
    private Path directory;

    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger reads = new AtomicInteger();
    private final CountDownLatch closed = new CountDownLatch(1);
    private Store store;
    private Node served;
    private Node asking;
    private Connection connection;

    @BeforeEach
    void start() throws IOException {
        store = Store.open(directory, StoreConfig.defaults().withShardCount(1).withCompactionThreads(0));
        store.createTable(TEXT);
        start(NetTimeouts.DEFAULT);
    }

    private void start(NetTimeouts timeouts) throws IOException {
        served = node(timeouts, CanonicalEncoder.LAYOUT_VERSION);
        served.replicas().add("data", this::open);
        new PartitionReads(served.replicas()).register(served.handlers());
        asking = node(timeouts, CanonicalEncoder.LAYOUT_VERSION);
        connection = asking.client().open(served.listen(new InetSocketAddress("127.0.0.1", 0)));
    }

    @AfterEach
    void stop() throws IOException {
        asking.close();
        served.close();
        store.close();
    }

    private static Node node(NetTimeouts timeouts, int encoding) {
        NodeIdentity identity = new NodeIdentity(UUID.randomUUID(), "", Map.of());
        SharedToken token = SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.US_ASCII));
        return Node.open(
                NetConfig.of(
                                identity,
                                Optional.of(token),
                                new VersionRange(CanonicalEncoder.LAYOUT_VERSION_OLDEST, encoding))
                        .withTimeouts(timeouts),
                2,
                new SecureRandom());
    }

    /** The store's, of which reads and the close are seen. */
    private Replica open(String keyspace, String table, Optional<UUID> staged) throws IOException {
        opened.incrementAndGet();
        Replica replica = new StoreReplicas(store).open(keyspace, table, staged);
        return (Replica) Proxy.newProxyInstance(
                Replica.class.getClassLoader(), new Class<?>[] {Replica.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("read")) {
                        reads.incrementAndGet();
                    }
                    try {
                        return method.invoke(replica, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    } finally {
                        if (method.getName().equals("close")) {
                            closed.countDown();
                        }
                    }
                });
    }

    private static DecoratedKey key(int id) {
        return DecoratedKey.of(ByteBuffer.allocate(Integer.BYTES).putInt(id).array());
    }

    private static RingPosition row(int id, int at) {
        Clustering clustering =
                Clustering.of(ByteBuffer.allocate(Integer.BYTES).putInt(at).array());
        return RingPosition.of(key(id), PositionInPartition.at(clustering));
    }

    private static RingPosition whole(int id) {
        return RingPosition.of(key(id), PositionInPartition.START);
    }

    private void write(int id, String name) throws IOException {
        Table table = store.table("ks.t");
        for (int at = 0; at < ROWS; at++) {
            table.row()
                    .key("id", id)
                    .clustering("at", at)
                    .set("name", name + at)
                    .timestampMicros(10)
                    .insert();
        }
        table.row().key("id", id).set("home", "of " + name).timestampMicros(10).insert();
        table.row().key("id", id).timestampMicros(id).deletePartition();
    }

    private List<String> fragments(FragmentCursor cursor) throws IOException {
        List<String> found = new ArrayList<>();
        try (cursor) {
            while (cursor.advance() != null) {
                found.add(text(cursor));
            }
        }
        return found;
    }

    private static String text(FragmentCursor cursor) {
        return switch (cursor.kind()) {
            case PARTITION_START -> cursor.key().toDecoratedKey() + " " + cursor.partitionDeletionTimestampMicros();
            case STATIC_ROW, CLUSTERING_ROW -> encoded(cursor);
            case RANGE_TOMBSTONE_CHANGE -> "change";
            case PARTITION_END -> "end";
        };
    }

    private static String encoded(FragmentCursor cursor) {
        ByteWriter out = new ByteWriter(64);
        new CanonicalEncoder(SCHEMA, CanonicalEncoder.UNCLAMPED).row(cursor.key(), cursor.row(), out);
        return HexFormat.of().formatHex(out.toByteArray());
    }

    @Test
    void shouldTellOfEachPlaceWhatTheReplicaHasThereAndOpenTheTableOnce() throws IOException {
        for (int id = 1; id < 4; id++) {
            write(id, "x".repeat(id * 500));
        }
        List<RingPosition> places = new ArrayList<>(List.of(whole(2), row(7, 1), row(3, 1_000)));
        for (int at = 0; at < ROWS; at++) {
            places.add(row(1 + at % 3, at));
        }
        places.add(RingPosition.of(key(1), PositionInPartition.STATIC));
        places.addAll(List.of(whole(8), whole(3), whole(3)));

        try (FetchedPartitions asked = FetchedPartitions.ask(connection, "data", SCHEMA, places);
                Replica here = new StoreReplicas(store).open("ks", "t", Optional.empty())) {
            for (RingPosition place : places) {
                List<String> expected =
                        fragments(here.read(place.key().orElseThrow(), PartitionReads.slices(place.position())));
                Optional<FetchedPartition> found = asked.next();

                assertThat(found.isPresent()).as(place.toString()).isEqualTo(!expected.isEmpty());
                if (found.isPresent()) {
                    assertThat(fragments(found.get())).as(place.toString()).isEqualTo(expected);
                }
            }
            assertThatThrownBy(asked::next).isInstanceOf(NoSuchElementException.class);
        }
        assertThat(opened).hasValue(1);
        assertThat(reads).hasValue(places.size());
    }

    /** Each place is more than the stream lets the node send ahead. */
    @Test
    void shouldReadNoFurtherThanIsTaken() throws Exception {
        write(1, "x".repeat(8_000));
        List<RingPosition> places = Collections.nCopies(50, whole(1));

        try (FetchedPartitions asked = FetchedPartitions.ask(connection, "data", SCHEMA, places)) {
            assertThat(fragments(asked.next().orElseThrow())).hasSize(ROWS + 3);
        }

        assertThat(closed.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(reads.get()).isBetween(1, 3);
    }

    /** As when a pager has stopped the output. */
    @Test
    void shouldGoOnAfterTheStreamWasGivenUpSinceNothingWasTaken() throws Exception {
        write(1, "x".repeat(8_000));
        asking.close();
        served.close();
        start(new NetTimeouts(5_000, 15_000, 60_000, 60_000, 60_000, 2_000, 1_000));
        List<RingPosition> places = List.of(row(1, 1), whole(1), row(1, 2), whole(1), row(1, 3));

        try (FetchedPartitions asked = FetchedPartitions.ask(connection, "data", SCHEMA, places)) {
            assertThat(fragments(asked.next().orElseThrow())).hasSize(4);
            assertThat(closed.await(30, TimeUnit.SECONDS)).as("given up").isTrue();
            assertThat(fragments(asked.next().orElseThrow())).hasSize(ROWS + 3);
            assertThat(fragments(asked.next().orElseThrow())).hasSize(4);
            assertThat(fragments(asked.next().orElseThrow())).hasSize(ROWS + 3);
            assertThat(fragments(asked.next().orElseThrow())).hasSize(4);
        }
        assertThat(opened).hasValue(2);
    }

    @Test
    void shouldSayWhatIsWrongWithAQuestion() throws Exception {
        write(1, "a");
        TableSchema other = CqlSchema.parse(TEXT.replace("name text", "name blob"), "test.cql")
                .tables()
                .iterator()
                .next();

        assertFailure("data", other, whole(1), "schema differs from the reader's");
        assertFailure("elsewhere", SCHEMA, whole(1), "node has no replica of this name");
        assertThat(closed.await(30, TimeUnit.SECONDS)).isTrue();
    }

    private void assertFailure(String name, TableSchema schema, RingPosition place, String reason)
            throws ReplicaException {
        try (FetchedPartitions asked = FetchedPartitions.ask(connection, name, schema, List.of(place))) {
            assertThatThrownBy(asked::next)
                    .isInstanceOfSatisfying(
                            PeerException.class,
                            failed -> assertThat(failed.code()).isEqualTo(PartitionReads.REFUSED))
                    .hasMessageContaining(reason);
        }
    }

    /** As an earlier release asks, with no check of its own. */
    private static void ask(Connection earlier, TableSchema schema) throws IOException {
        ByteWriter out = new ByteWriter(256);
        out.writeByte(PartitionReads.VERSION);
        for (String text : List.of("data", schema.keyspace(), schema.name(), SchemaText.print(schema))) {
            Texts.write(out, text);
        }
        whole(1).encode(out);
        MessageStream messages = earlier.open(PartitionReads.READ).messages();
        messages.write(PartitionReads.KIND, ByteBuffer.wrap(out.toByteArray()));
        messages.stream().end();
        Waiting.result(messages.read()).ifPresent(Message::close);
    }

    @Test
    void shouldRefusePeersThatNumberTheColumnsInAnotherOrder() throws Exception {
        write(1, "a");
        TableSchema renumbered = CqlSchema.parse("CREATE TABLE ks.u (id int PRIMARY KEY, \"é\" int, b int)", "test.cql")
                .tables()
                .iterator()
                .next();
        store.createTable(renumbered);
        asking.close();
        asking = node(NetTimeouts.DEFAULT, CanonicalEncoder.LAYOUT_VERSION_OLDEST);
        connection = asking.client().open(served.listen(new InetSocketAddress("127.0.0.1", 0)));
        String reason = "one side runs an earlier Anneal, which numbers columns of this table in another order";

        assertThatThrownBy(() -> FetchedPartitions.ask(connection, "data", renumbered, List.of(whole(1))))
                .isInstanceOf(ReplicaException.class)
                .hasMessageContaining(reason)
                .hasMessageContaining("table=ks.u, encodingVersion=1, needed=2");
        assertThatThrownBy(() -> ask(connection, renumbered))
                .isInstanceOf(PeerException.class)
                .hasMessageContaining(reason);
        ask(connection, SCHEMA);
        try (FetchedPartitions asked = FetchedPartitions.ask(connection, "data", SCHEMA, List.of(whole(1)))) {
            assertThat(asked.next()).isPresent();
        }
    }
}
