package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.Mutation;
import io.anneal.fragment.MutationLimit;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.Row;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class TableMutationTest {
    private static final long NOW_SECONDS = 1_700_000_000;
    private static final TableSchema SCHEMA = schema("CREATE TABLE ks.orders (customer int, placed int, item text,"
            + " tags set<text>, list list<int>, name text static, PRIMARY KEY (customer, placed))");

    private final Sink sink = new Sink();

    /** Keeps what is applied; timestamps are 101, 102 and so on. */
    private static final class Sink implements MutationSink {
        final List<Mutation> applied = new ArrayList<>();
        private long lastMicros = 100;

        @Override
        public void apply(Mutation mutation) {
            applied.add(mutation);
        }

        @Override
        public CompletableFuture<Void> applyAsync(Mutation mutation) {
            apply(mutation);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public MutationLimit mutationLimit() {
            return new MutationLimit(Mutation.LENGTH_MAX_BYTES, "");
        }

        @Override
        public long nextTimestampMicros() {
            return ++lastMicros;
        }

        @Override
        public long nowSeconds() {
            return NOW_SECONDS;
        }

        @Override
        public FragmentCursor read(DecoratedKey key, Slices slices, boolean reversed) {
            throw new UnsupportedOperationException("nothing is read here");
        }
    }

    private static TableSchema schema(String text) {
        return CqlSchema.parse(text, "test.cql").tables().iterator().next();
    }

    private TableMutation mutation() {
        return new TableMutation(SCHEMA, sink);
    }

    private RowBuilder row() {
        return TableMutation.row(SCHEMA, sink);
    }

    /** The items of the mutation applied last, each as a line. */
    private List<String> applied() throws IOException {
        return lines(SCHEMA, sink.applied.get(sink.applied.size() - 1));
    }

    private static List<String> lines(TableSchema schema, Mutation mutation) throws IOException {
        List<String> lines = new ArrayList<>();
        EncodedItem item = new EncodedItem(schema);
        byte[] bytes = mutation.bytes();
        for (int at = 0; at < bytes.length; at = item.endOffset()) {
            item.wrap(bytes, at, bytes.length);
            assertThat(item.key().toDecoratedKey()).isEqualTo(mutation.key());
            RangeDeletion range = new RangeDeletion();
            switch (item.kind()) {
                case PARTITION_DELETION -> {
                    item.readPartitionDeletion(range);
                    lines.add("partition deleted@" + range.timestampMicros() + "/" + range.localDeletionTimeSeconds());
                }
                case RANGE_DELETION -> {
                    item.readRangeDeletion(range);
                    lines.add("range deleted@" + range.timestampMicros() + "/" + range.localDeletionTimeSeconds());
                }
                case STATIC_ROW, CLUSTERING_ROW -> {
                    Row row = new Row();
                    item.readRow(row);
                    lines.add(line(row));
                }
            }
        }
        return lines;
    }

    private static String line(Row row) {
        StringBuilder line = new StringBuilder(row.isStatic() ? "static" : "row");
        if (row.hasLiveness()) {
            line.append(" @").append(row.livenessTimestampMicros()).append(ttl(row.livenessTtlSeconds()));
            line.append(row.livenessTtlSeconds() == Row.NO_TTL ? "" : " until " + row.livenessExpirySeconds());
        }
        if (row.hasDeletion()) {
            line.append(" deleted@").append(row.deletionTimestampMicros());
            line.append("/").append(row.deletionLocalTimeSeconds());
        }
        for (int i = 0; i < row.entryCount(); i++) {
            line.append(row.isComplexDeletion(i) ? " all" : " cell").append(row.columnIndex(i));
            line.append("@").append(row.timestampMicros(i)).append(ttl(row.ttlSeconds(i)));
        }
        return line.toString();
    }

    private static String ttl(int seconds) {
        return seconds == Row.NO_TTL ? "" : " ttl " + seconds;
    }

    @Test
    void shouldApplyOneWriteAtOnceAtTheStoresTime() throws IOException {
        row().key("customer", 7)
                .clustering("placed", 1)
                .set("item", "bread")
                .set("name", "Ada")
                .insert();
        assertThat(applied()).containsExactly("static cell0@101", "row @101 cell0@101");

        row().key("customer", 7).clustering("placed", 1).deleteRow();
        assertThat(applied()).containsExactly("row deleted@102/" + NOW_SECONDS);

        TableMutation.rangeDeletion(SCHEMA, sink)
                .key("customer", 7)
                .clustering("placed", 1)
                .delete();
        assertThat(applied()).containsExactly("range deleted@103/" + NOW_SECONDS);
        assertThat(sink.applied).hasSize(3);
    }

    @Test
    void shouldTakeTheTimestampThatItIsGiven() throws IOException {
        row().key("customer", 7)
                .clustering("placed", 1)
                .timestampMicros(5)
                .ttlSeconds(60)
                .insert();
        assertThat(applied()).containsExactly("row @5 ttl 60 until " + (NOW_SECONDS + 60));
        assertThat(sink.lastMicros).isEqualTo(100);
    }

    @Test
    void shouldCollectWritesToOnePartitionInTheirOrder() throws IOException {
        TableMutation mutation = mutation();
        mutation.row().key("customer", 7).deletePartition();
        mutation.row().set("name", "Ada").update();
        mutation.row().clustering("placed", 1).set("tags", Set.of("fresh")).insert();
        mutation.rangeDeletion().from("placed", 2, true).delete();
        assertThat(sink.applied).isEmpty();
        mutation.apply();
        assertThat(applied())
                .containsExactly(
                        "partition deleted@101/" + NOW_SECONDS,
                        "static cell0@102",
                        "row @103 all2@102 cell2@103",
                        "range deleted@104/" + NOW_SECONDS);
        assertThat(sink.applied).hasSize(1);
    }

    @Test
    void shouldBuildWithoutApplying() throws IOException {
        TableMutation mutation = mutation();
        mutation.row().key("customer", 7).clustering("placed", 1).insert();
        Mutation built = mutation.build();
        assertThat(lines(SCHEMA, built)).containsExactly("row @101");
        assertThat(sink.applied).isEmpty();

        assertThatIllegalStateException().isThrownBy(mutation::apply).withMessageContaining("already");
        assertThatIllegalStateException().isThrownBy(mutation::row).withMessageContaining("ks.orders");
        assertThatIllegalStateException().isThrownBy(mutation::rangeDeletion);
    }

    @Test
    void shouldApplyWithoutWaiting() throws IOException {
        TableMutation mutation = mutation();
        mutation.row().key("customer", 7).clustering("placed", 1).insert();
        assertThat(mutation.applyAsync()).isCompleted();
        assertThat(applied()).containsExactly("row @101");
    }

    @Test
    void shouldRefuseASecondPartition() throws IOException {
        TableMutation mutation = mutation();
        mutation.row().key("customer", 7).clustering("placed", 1).insert();
        RowBuilder other = mutation.row().key("customer", 8).set("name", "x");
        HexFormat hex = HexFormat.of();
        assertThatIllegalArgumentException()
                .isThrownBy(other::update)
                .withMessageContaining(hex.toHexDigits(7))
                .withMessageContaining(hex.toHexDigits(8));
        mutation.apply();
        assertThat(applied()).containsExactly("row @101");
    }

    @Test
    void shouldRefuseToWriteNothing() {
        assertThatIllegalStateException().isThrownBy(() -> mutation().apply()).withMessageContaining("ks.orders");
        assertThatIllegalStateException()
                .isThrownBy(() -> mutation().row().set("name", "x").update())
                .withMessageContaining("column=customer");
    }

    @Test
    void shouldRefuseAWriteToAMutationThatWasApplied() throws IOException {
        TableMutation mutation = mutation();
        RowBuilder late = mutation.row().key("customer", 7).clustering("placed", 2);
        mutation.row().key("customer", 7).clustering("placed", 1).insert();
        mutation.apply();
        assertThatIllegalStateException().isThrownBy(late::insert).withMessageContaining("already");
    }

    @Test
    void shouldNeverPlaceTwoElementsOfListsAlike() throws IOException {
        for (int i = 0; i < 2; i++) {
            row().key("customer", 7)
                    .clustering("placed", 1)
                    .timestampMicros(5)
                    .add("list", List.of(1, 2))
                    .update();
        }
        Set<String> paths = new TreeSet<>();
        for (Mutation mutation : sink.applied) {
            Row row = new Row();
            new EncodedItem(SCHEMA)
                    .wrap(mutation.bytes(), 0, mutation.lengthBytes())
                    .readRow(row);
            for (int i = 0; i < row.entryCount(); i++) {
                paths.add(HexFormat.of()
                        .formatHex(row.pathBuffer(i), row.pathOffset(i), row.pathOffset(i) + row.pathLengthBytes(i)));
            }
        }
        assertThat(paths).hasSize(4);
    }

    @Test
    void shouldRefuseCountersByName() throws IOException {
        TableSchema counters = schema("CREATE TABLE ks.hits (id int PRIMARY KEY, hits counter)");
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> TableMutation.row(counters, sink).key("id", 1).set("hits", 1L))
                .withMessageContaining("table=ks.hits, column=hits");
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() ->
                        TableMutation.row(counters, sink).key("id", 1).counterShard("hits", new UUID(0, 1), 1, 1));
        TableMutation.row(counters, sink).key("id", 1).deleteRow();
        assertThat(lines(counters, sink.applied.get(0))).containsExactly("row deleted@101/" + NOW_SECONDS);
    }

    @Test
    void shouldHonourTheTablesTtl() throws IOException {
        TableSchema expiring = schema("CREATE TABLE ks.t (id int PRIMARY KEY, v int) WITH default_time_to_live = 3600");
        TableMutation mutation = new TableMutation(expiring, sink);
        mutation.row().setAll(Map.of("id", 1, "v", 1)).insert();
        mutation.row().setAll(Map.of("id", 1, "v", 1)).ttlSeconds(0).update();
        assertThat(lines(expiring, mutation.build()))
                .containsExactly(
                        "row @101 ttl 3600 until " + (NOW_SECONDS + 3600) + " cell0@101 ttl 3600", "row cell0@102");

        TableSchema wrong = schema("CREATE TABLE ks.t (id int PRIMARY KEY) WITH default_time_to_live = -1");
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> TableMutation.row(wrong, sink))
                .withMessageContaining("table=ks.t, default_time_to_live=-1");
    }
}
