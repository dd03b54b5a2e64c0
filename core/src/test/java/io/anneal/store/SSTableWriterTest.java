package io.anneal.store;

import static io.anneal.sstable.SSTableVersion.NB;
import static io.anneal.sstable.SSTableVersion.OA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.JavaValues;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.EncodingBase;
import io.anneal.sstable.SSTableReader;
import io.anneal.store.directory.CassandraDirectory;
import io.anneal.store.directory.Formats;
import io.anneal.store.directory.StagingDirectory;
import io.anneal.store.directory.TableDirectories;
import io.anneal.store.directory.TableSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SSTableWriterTest {
    private static final long FIRST_SEED = Long.getLong("anneal.seed", 0);
    private static final long MICROS = 1_700_000_000_000_000L;
    private static final long MEMORY_BYTES = 1 << 20;

    private static final TableSchema READINGS = schema("CREATE TABLE ks.readings (id int, at int, name text, home text"
            + " static, tags set<text>, list list<int>, props map<text, int>, PRIMARY KEY (id, at))");
    private static final TableSchema COUNTERS = schema("CREATE TABLE ks.counters (id int PRIMARY KEY, hits counter)");

    @TempDir
    private Path directory;

    private static TableSchema schema(String text) {
        return CqlSchema.parse(text, "test.cql").tables().iterator().next();
    }

    private SSTableWriter unsorted(TableSchema schema) throws IOException {
        return SSTableWriter.builder(schema)
                .to(directory)
                .format(NB)
                .timestampMicros(MICROS)
                .unsorted(MEMORY_BYTES);
    }

    /** Every fragment of the merge of what was written, as a line. */
    private static List<String> lines(List<Descriptor> written, TableSchema schema) throws IOException {
        TableDirectories table =
                CassandraDirectory.of(written.get(0).directory()).onlyTable();
        try (SSTables sstables = SSTables.open(new TableSource(table, written, Optional.of(schema)));
                FragmentCursor cursor = sstables.scan(TokenRange.Linear.ALL)) {
            for (SSTableReader reader : sstables.readers()) {
                reader.verify();
            }
            return lines(cursor, schema);
        }
    }

    private static List<String> lines(FragmentCursor cursor, TableSchema schema) throws IOException {
        List<String> lines = new ArrayList<>();
        for (FragmentKind kind = cursor.advance(); kind != null; kind = cursor.advance()) {
            switch (kind) {
                case PARTITION_START ->
                    lines.add("partition "
                            + JavaValues.fromBytes(
                                    schema.partitionKey().get(0).type(),
                                    cursor.key().buffer(),
                                    cursor.key().offset(),
                                    cursor.key().lengthBytes())
                            + since(cursor.partitionDeletionTimestampMicros()));
                case STATIC_ROW, CLUSTERING_ROW -> lines.add(line(schema, cursor.row()));
                case RANGE_TOMBSTONE_CHANGE -> {
                    RangeTombstoneChange change = cursor.rangeTombstoneChange();
                    lines.add((change.weight() < 0 ? "before " : "after ")
                            + clustering(schema, change.prefix())
                            + since(change.timestampMicros()));
                }
                case PARTITION_END -> {}
            }
        }
        return lines;
    }

    private static String since(long micros) {
        return micros == Long.MIN_VALUE ? "" : " deleted@" + (micros - MICROS);
    }

    private static String clustering(TableSchema schema, Clustering clustering) {
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < clustering.size(); i++) {
            values.add(JavaValues.fromBytes(
                    schema.clustering().get(i).type(),
                    clustering.buffer(),
                    clustering.offset(i),
                    clustering.lengthBytes(i)));
        }
        return values.toString();
    }

    private static String line(TableSchema schema, Row row) {
        StringBuilder line =
                new StringBuilder(row.isStatic() ? "static" : "row " + clustering(schema, row.clustering()));
        if (row.hasLiveness()) {
            line.append(" live@").append(row.livenessTimestampMicros() - MICROS);
        }
        line.append(since(row.deletionTimestampMicros()));
        for (int i = 0; i < row.entryCount(); i++) {
            var column = (row.isStatic() ? schema.staticColumns() : schema.regularColumns()).get(row.columnIndex(i));
            line.append(' ').append(column.name());
            if (row.pathLengthBytes(i) != Row.ABSENT && !column.type().cqlName().startsWith("list")) {
                line.append('[')
                        .append(column.type().pathText(row.pathBuffer(i), row.pathOffset(i), row.pathLengthBytes(i)))
                        .append(']');
            }
            if (row.isComplexDeletion(i) || row.isTombstone(i)) {
                line.append(since(row.timestampMicros(i)));
                continue;
            }
            line.append('=')
                    .append(column.type()
                            .cellType(row.pathBuffer(i), row.pathOffset(i), row.pathLengthBytes(i))
                            .toText(row.valueBuffer(i), row.valueOffset(i), row.valueLengthBytes(i)));
            line.append(row.isExpiring(i) ? " until " + row.localDeletionTimeSeconds(i) : "");
        }
        return line.toString();
    }

    @Test
    void shouldWriteRowsInAnyOrder() throws IOException {
        List<Descriptor> written;
        try (SSTableWriter writer = unsorted(READINGS)) {
            writer.row().key("id", 7).clustering("at", 2).set("name", "b").insert();
            writer.row().key("id", 7).clustering("at", 1).set("name", "a").update();
            writer.row().key("id", 7).set("home", "here").update();
            written = writer.finish();
        }
        assertThat(lines(written, READINGS))
                .containsExactly("partition 7", "static home=here", "row [1] name=a", "row [2] live@0 name=b");
        assertThat(written)
                .singleElement()
                .satisfies(d -> assertThat(d.directory())
                        .isEqualTo(directory.toRealPath().resolve("ks/readings")));
    }

    @Test
    void shouldReconcileWritesToOneRow() throws IOException {
        List<Descriptor> written;
        try (SSTableWriter writer = unsorted(READINGS)) {
            writer.row()
                    .key("id", 1)
                    .clustering("at", 1)
                    .set("name", "new")
                    .timestampMicros(MICROS + 5)
                    .update();
            writer.row().key("id", 1).clustering("at", 1).set("name", "old").insert();
            writer.row().key("id", 1).clustering("at", 2).set("name", "gone").insert();
            writer.row()
                    .key("id", 1)
                    .clustering("at", 2)
                    .timestampMicros(MICROS + 1)
                    .deleteRow();
            written = writer.finish();
        }
        assertThat(lines(written, READINGS))
                .containsExactly("partition 1", "row [1] live@0 name=new", "row [2] deleted@1");
    }

    @Test
    void shouldWriteCollectionsAsCqlDoes() throws IOException {
        List<Descriptor> written;
        try (SSTableWriter writer = unsorted(READINGS)) {
            writer.row()
                    .key("id", 1)
                    .clustering("at", 1)
                    .set("tags", Set.of("x", "y"))
                    .set("list", List.of(3, 1, 2))
                    .set("props", Map.of())
                    .update();
            writer.row()
                    .key("id", 1)
                    .clustering("at", 1)
                    .timestampMicros(MICROS + 1)
                    .add("list", List.of(9))
                    .add("props", Map.of("a", 1))
                    .remove("tags", "x")
                    .update();
            written = writer.finish();
        }
        assertThat(lines(written, READINGS))
                .containsExactly(
                        "partition 1",
                        "row [1] list deleted@-1 list=3 list=1 list=2 list=9 props deleted@-1 props[a]=1"
                                + " tags deleted@-1 tags[x] deleted@1 tags[y]=");
    }

    @Test
    void shouldWriteEveryKindOfDeletion() throws IOException {
        List<Descriptor> written;
        try (SSTableWriter writer = unsorted(READINGS)) {
            writer.row().key("id", 1).timestampMicros(MICROS - 10).deletePartition();
            writer.rangeDeletion()
                    .key("id", 1)
                    .from("at", 3, true)
                    .to("at", 6, false)
                    .delete();
            writer.rangeDeletion()
                    .key("id", 1)
                    .from("at", 5, false)
                    .timestampMicros(MICROS + 1)
                    .delete();
            writer.row()
                    .key("id", 1)
                    .clustering("at", 4)
                    .set("name", "shadowed")
                    .insert();
            writer.row()
                    .key("id", 1)
                    .clustering("at", 4)
                    .set("name", "seen")
                    .timestampMicros(MICROS + 1)
                    .update();
            writer.row()
                    .key("id", 1)
                    .clustering("at", 9)
                    .set("name", "shadowed")
                    .insert();
            writer.row()
                    .key("id", 1)
                    .clustering("at", 1)
                    .delete("name")
                    .delete("tags")
                    .update();
            written = writer.finish();
        }
        assertThat(lines(written, READINGS))
                .containsExactly(
                        "partition 1 deleted@-10",
                        "row [1] name deleted@0 tags deleted@0",
                        "before [3] deleted@0",
                        "row [4] name=seen",
                        "after [5] deleted@1",
                        "after []");
    }

    @Test
    void shouldLetValuesExpire() throws IOException {
        List<Descriptor> written;
        try (SSTableWriter writer = unsorted(READINGS)) {
            writer.row()
                    .key("id", 1)
                    .clustering("at", 1)
                    .set("name", "a")
                    .ttlSeconds(60)
                    .update();
            writer.row()
                    .key("id", 2)
                    .clustering("at", 1)
                    .set("name", "a")
                    .ttlSeconds(60)
                    .localTimeSeconds(40)
                    .update();
            written = writer.finish();
        }
        assertThat(lines(written, READINGS))
                .contains("row [1] name=a until " + (MICROS / 1_000_000 + 60), "row [1] name=a until 100");
    }

    @Test
    void shouldTakeRowsAsMaps() throws IOException {
        List<Descriptor> written;
        Map<String, Object> values = new LinkedHashMap<>(Map.of("id", 1, "at", 2, "name", "a"));
        values.put("tags", null);
        try (SSTableWriter writer = unsorted(READINGS)) {
            writer.insert(values, MICROS + 3);
            written = writer.finish();
        }
        assertThat(lines(written, READINGS)).containsExactly("partition 1", "row [2] live@3 name=a tags deleted@3");
    }

    @Test
    void shouldWriteAnSSTableForEachFullMemory() throws IOException {
        long seed = Long.getLong("anneal.seed", 4711);
        Random random = new Random(seed);
        Map<String, String> expected = new TreeMap<>();
        List<Descriptor> written;
        try (SSTableWriter writer =
                SSTableWriter.builder(READINGS).to(directory).unsorted(SSTableWriter.Builder.MEMORY_MIN_BYTES)) {
            for (int i = 0; i < 5_000; i++) {
                int id = random.nextInt(50);
                int at = random.nextInt(50);
                writer.row()
                        .key("id", id)
                        .clustering("at", at)
                        .set("name", "v" + i)
                        .timestampMicros(MICROS + i)
                        .update();
                expected.put(id + "/row [" + at + "]", "v" + i);
            }
            written = writer.finish();
        }
        assertThat(written).as("seed %d", seed).hasSizeGreaterThan(3);
        Map<String, String> found = new TreeMap<>();
        String partition = "";
        for (String line : lines(written, READINGS)) {
            if (line.startsWith("partition ")) {
                partition = line.substring(10);
            } else {
                found.put(partition + "/" + line.split(" name=")[0], line.split(" name=")[1]);
            }
        }
        assertThat(found).as("seed %d", seed).isEqualTo(expected);
    }

    @Test
    void shouldStreamSortedRows() throws IOException {
        List<Descriptor> written;
        try (SSTableWriter writer = SSTableWriter.builder(READINGS)
                .to(directory)
                .timestampMicros(MICROS)
                .sorted()) {
            writer.row().key("id", 1).set("home", "x").update();
            writer.rangeDeletion().key("id", 1).clustering("at", 1).delete();
            for (int at = 1; at < 1000; at++) {
                writer.row()
                        .key("id", 1)
                        .clustering("at", at)
                        .set("name", "a")
                        .timestampMicros(MICROS + 1)
                        .update();
                writer.row()
                        .key("id", 1)
                        .clustering("at", at)
                        .set("tags", Set.of())
                        .update();
            }
            written = writer.finish();
        }
        assertThat(lines(written, READINGS))
                .hasSize(1 + 1 + 2 + 999)
                .startsWith(
                        "partition 1",
                        "static home=x",
                        "before [1] deleted@0",
                        "row [1] name=a",
                        "after [1]",
                        "row [2] name=a tags deleted@-1");
    }

    @Test
    void shouldRefuseSortedRowsOutOfOrder() throws IOException {
        try (SSTableWriter writer = SSTableWriter.builder(READINGS)
                .to(directory)
                .timestampMicros(MICROS)
                .sorted()) {
            writer.row().key("id", 1).clustering("at", 2).set("name", "a").update();
            assertThatIllegalStateException()
                    .isThrownBy(
                            () -> writer.row().key("id", 1).clustering("at", 1).insert())
                    .withMessageContaining("out of order");
            assertThatIllegalStateException().isThrownBy(writer::row).withMessageContaining("failed=true");
            assertThatIllegalStateException().isThrownBy(writer::finish);
        }
        assertNothingRemains();
        try (SSTableWriter writer = SSTableWriter.builder(READINGS)
                .to(directory)
                .timestampMicros(MICROS)
                .sorted()) {
            writer.row().key("id", 1).clustering("at", 2).insert();
            // Token of 1 is less than that of 2's, and greater than 7's: checked below, whichever it is.
            assertThatIllegalStateException()
                    .isThrownBy(() -> {
                        for (int id = 2; id < 20; id++) {
                            writer.row().key("id", id).clustering("at", 2).insert();
                        }
                    })
                    .withMessageContaining("partitions out of order");
        }
    }

    private void assertNothingRemains() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            assertThat(files.filter(Files::isRegularFile)
                            .map(f -> f.getFileName().toString()))
                    .isEmpty();
        }
    }

    @Test
    void shouldLeaveNothingWhenNotFinished() throws IOException {
        try (SSTableWriter writer = SSTableWriter.builder(READINGS)
                .to(directory)
                .timestampMicros(MICROS)
                .unsorted(64 * 1024)) {
            for (int i = 0; i < 3_000; i++) {
                writer.row().key("id", i).clustering("at", i).insert();
            }
        }
        assertNothingRemains();
    }

    @Test
    void shouldWriteNothingWhenThereIsNothing() throws IOException {
        try (SSTableWriter writer = unsorted(READINGS)) {
            assertThat(writer.finish()).isEmpty();
        }
        assertNothingRemains();
    }

    @Test
    void shouldSayWhatIsWrongWithARowAndGoOn() throws IOException {
        try (SSTableWriter writer = unsorted(READINGS)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> writer.row().key("id", "seven"))
                    .withMessageContainingAll("column=id", "type=int", "java.lang.String");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> writer.row().set("nme", "x"))
                    .withMessageContaining("column=nme");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> writer.row().key("name", "x"))
                    .withMessageContaining("column=name");
            assertThatIllegalArgumentException().isThrownBy(() -> writer.row().set("id", 1));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> writer.row().add("name", Set.of("x")))
                    .withMessageContaining("column=name");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> writer.row().add("tags", Map.of()))
                    .withMessageContaining("column=tags");
            assertThatIllegalArgumentException().isThrownBy(() -> writer.row().ttlSeconds(-1));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> writer.row().set("name", "a").set("name", "b"))
                    .withMessageContaining("twice");
            assertThatIllegalStateException()
                    .isThrownBy(() -> writer.row().key("id", 1).insert())
                    .withMessageContaining("column=at");
            assertThatIllegalStateException()
                    .isThrownBy(() -> writer.row().clustering("at", 1).insert())
                    .withMessageContaining("column=id");
            assertThatIllegalStateException()
                    .isThrownBy(
                            () -> writer.row().key("id", 1).clustering("at", 1).update());
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> writer.rangeDeletion()
                            .key("id", 1)
                            .from("at", 2, true)
                            .to("at", 1, true)
                            .delete());
            RowBuilder row = writer.row().key("id", 1).clustering("at", 1);
            row.insert();
            assertThatIllegalStateException().isThrownBy(row::insert).withMessageContaining("already");
            assertThat(lines(writer.finish(), READINGS)).containsExactly("partition 1", "row [1] live@0");
            assertThatIllegalStateException().isThrownBy(writer::row).withMessageContaining("finished=true");
        }
    }

    @Test
    void shouldTakeTheTimestampAfterTheElementsOfAList() throws IOException {
        try (SSTableWriter writer =
                SSTableWriter.builder(READINGS).to(directory).unsorted(MEMORY_BYTES)) {
            writer.row()
                    .key("id", 1)
                    .clustering("at", 1)
                    .set("list", List.of(1, 2))
                    .timestampMicros(MICROS)
                    .update();
            assertThat(lines(writer.finish(), READINGS))
                    .containsExactly("partition 1", "row [1] list deleted@-1 list=1 list=2");
        }
    }

    @Test
    void shouldWantATimestamp() throws IOException {
        try (SSTableWriter writer =
                SSTableWriter.builder(READINGS).to(directory).unsorted(MEMORY_BYTES)) {
            assertThatIllegalStateException()
                    .isThrownBy(
                            () -> writer.row().key("id", 1).clustering("at", 1).insert())
                    .withMessageContaining("timestampMicros");
        }
    }

    @Test
    void shouldWriteCountersAsShards() throws IOException {
        List<Descriptor> written;
        try (SSTableWriter writer = SSTableWriter.builder(COUNTERS)
                .to(directory)
                .timestampMicros(MICROS)
                .sorted()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> writer.row().key("id", 1).set("hits", 5L))
                    .withMessageContaining("shard");
            writer.row().key("id", 1).counterShard("hits", new UUID(1, 2), 1, 5).update();
            written = writer.finish();
        }
        try (SSTableReader reader = Formats.open(written.get(0));
                FragmentCursor cursor = reader.scan(COUNTERS, TokenRange.Linear.ALL)) {
            cursor.advance();
            cursor.advance();
            Row row = cursor.row();
            assertThat(JavaValues.fromBytes(
                            COUNTERS.regularColumns().get(0).type(),
                            row.valueBuffer(0),
                            row.valueOffset(0),
                            row.valueLengthBytes(0)))
                    .isEqualTo(5L);
        }
    }

    private static SSTableWriter open(SSTableWriter.Builder builder, boolean sorted) throws IOException {
        return sorted ? builder.sorted() : builder.unsorted(MEMORY_BYTES);
    }

    private static void assertRefused(WriteEnd write, String... facts) {
        assertThatIllegalArgumentException()
                .isThrownBy(write::run)
                .withMessageStartingWith("write does not fit the table, table=ks.")
                .withMessageContainingAll(facts)
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("corrupt", "offset="));
    }

    private interface WriteEnd {
        void run() throws IOException;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldRefuseAtOnceWhatTheFormatDoesNotHoldAndGoOn(boolean sorted) throws IOException {
        TableSchema texts =
                schema("CREATE TABLE ks.texts (id int, at text, name text, home text static, tags set<text>,"
                        + " PRIMARY KEY (id, at))");
        List<Descriptor> written;
        try (SSTableWriter writer =
                open(SSTableWriter.builder(texts).to(directory).format(NB).timestampMicros(MICROS), sorted)) {
            writer.row().key("id", 1).clustering("at", "a").set("name", "first").insert();
            assertRefused(
                    () -> writer.row()
                            .key("id", 1)
                            .clustering("at", "b")
                            .set("home", "half")
                            .set("name", "b")
                            .ttlSeconds(WriteTime.TTL_MAX_SECONDS)
                            .insert(),
                    "nb ends in 2038",
                    "ttlSeconds=630720000");
            long late = Integer.MAX_VALUE;
            assertRefused(
                    () -> writer.row().key("id", 1).localTimeSeconds(late).deletePartition(),
                    "localDeletionTimeSeconds=2147483647");
            assertRefused(
                    () -> writer.row()
                            .key("id", 1)
                            .clustering("at", "b")
                            .localTimeSeconds(late)
                            .deleteRow(),
                    "localDeletionTimeSeconds=2147483647");
            assertRefused(
                    () -> writer.rangeDeletion()
                            .key("id", 1)
                            .from("at", "b", true)
                            .localTimeSeconds(late)
                            .delete(),
                    "localDeletionTimeSeconds=2147483647");
            assertRefused(
                    () -> writer.row()
                            .key("id", 1)
                            .clustering("at", "b".repeat(0x10000))
                            .insert(),
                    "lengthBytes=65536");
            assertRefused(
                    () -> writer.rangeDeletion()
                            .key("id", 1)
                            .from("at", "b".repeat(0x10000), true)
                            .delete(),
                    "lengthBytes=65536");
            writer.row().key("id", 1).clustering("at", "c").set("name", "last").insert();
            written = writer.finish();
        }
        assertThat(lines(written, texts))
                .containsExactly("partition 1", "row [a] live@0 name=first", "row [c] live@0 name=last");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldRefuseDeletionsThatALaterFormatDoesNotHold(boolean sorted) throws IOException {
        try (SSTableWriter writer =
                open(SSTableWriter.builder(READINGS).to(directory).format(OA), sorted)) {
            assertRefused(
                    () -> writer.row().key("id", 1).timestampMicros(-1).deletePartition(), "timestampMicros=-1, min=0");
            assertRefused(
                    () -> writer.row()
                            .key("id", 1)
                            .clustering("at", 1)
                            .timestampMicros(1)
                            .localTimeSeconds(0xFFFF_FFFEL)
                            .deleteRow(),
                    "localDeletionTimeSeconds=4294967294");
            writer.row().key("id", 1).clustering("at", 1).timestampMicros(1).deleteRow();
            assertThat(writer.finish()).hasSize(1);
        }
    }

    @Test
    void shouldRefuseDeletionsOutOfReachOfTheBaseThatASortedWriterIsGiven() throws IOException {
        try (SSTableWriter writer = SSTableWriter.builder(READINGS)
                .to(directory)
                .format(OA)
                .timestampMicros(MICROS)
                .encodingBase(new EncodingBase(0, 0, 0))
                .sorted()) {
            assertRefused(
                    () -> writer.row()
                            .key("id", 1)
                            .clustering("at", 1)
                            .localTimeSeconds(1L << 31)
                            .deleteRow(),
                    "localDeletionTimeSeconds=2147483648, max=2147483647");
            writer.row()
                    .key("id", 1)
                    .clustering("at", 1)
                    .localTimeSeconds(Integer.MAX_VALUE)
                    .deleteRow();
            assertThat(writer.finish()).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldRefuseWhatIsLongerThanCassandraReads(boolean sorted) throws IOException {
        TableSchema blobs =
                schema("CREATE TABLE ks.blobs (id int PRIMARY KEY, a blob, b blob, c blob, v vector<float, 3>)");
        ByteBuffer large = ByteBuffer.allocate(87 << 20);
        try (SSTableWriter writer =
                open(SSTableWriter.builder(blobs).to(directory).timestampMicros(MICROS), sorted)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> writer.row()
                            .key("id", 1)
                            .set("a", large)
                            .set("b", large)
                            .set("c", large)
                            .insert())
                    .withMessageContaining("maxBytes=268435456");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> writer.row().key("id", 1).set("v", List.of(1f, 2f)))
                    .withMessageContaining("column=v");
            writer.row().key("id", 1).set("v", List.of(1f, 2f, 3f)).insert();
            assertThat(writer.finish()).hasSize(1);
        }
    }

    @Test
    void shouldRefuseTimesThatNoFormatHolds() throws IOException {
        try (SSTableWriter writer = unsorted(READINGS)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> writer.row().localTimeSeconds(Long.MAX_VALUE))
                    .withMessageContaining("localTimeSeconds=9223372036854775807");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> writer.rangeDeletion().localTimeSeconds(Long.MAX_VALUE));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> writer.row()
                            .key("id", 1)
                            .clustering("at", 1)
                            .set("tags", Set.of())
                            .timestampMicros(Long.MIN_VALUE + 1)
                            .update())
                    .withMessageContaining("timestampMicros");
        }
    }

    /** A random write, with where it stands in the order of the table. */
    private record Placed(int id, int region, int at, int weight, Writing writing) {}

    private interface Writing {
        void to(SSTableWriter writer) throws IOException;
    }

    private static Placed randomWrite(Random random) {
        int id = random.nextInt(3);
        int at = random.nextInt(12);
        long micros = MICROS + random.nextInt(20);
        String value = "v" + random.nextInt(5);
        int ttlSeconds = random.nextInt(2) * 60;
        return switch (random.nextInt(12)) {
            case 0 ->
                new Placed(
                        id,
                        0,
                        0,
                        0,
                        writer -> writer.row()
                                .key("id", id)
                                .timestampMicros(micros - 10)
                                .deletePartition());
            case 1 ->
                new Placed(
                        id,
                        1,
                        0,
                        0,
                        writer -> writer.row()
                                .key("id", id)
                                .set("home", value)
                                .timestampMicros(micros)
                                .update());
            case 2, 3, 4 -> {
                int to = at + random.nextInt(5);
                boolean includes = random.nextBoolean();
                boolean toInclusive = random.nextBoolean() || to == at && includes;
                boolean fromInclusive = includes || to == at;
                yield new Placed(
                        id,
                        2,
                        at,
                        fromInclusive ? -1 : 1,
                        writer -> writer.rangeDeletion()
                                .key("id", id)
                                .from("at", at, fromInclusive)
                                .to("at", to == at ? to + 1 : to, toInclusive)
                                .timestampMicros(micros)
                                .delete());
            }
            case 5 ->
                new Placed(
                        id,
                        2,
                        at,
                        0,
                        writer -> writer.row()
                                .key("id", id)
                                .clustering("at", at)
                                .timestampMicros(micros)
                                .deleteRow());
            case 6 ->
                new Placed(
                        id,
                        2,
                        at,
                        0,
                        writer -> writer.row()
                                .key("id", id)
                                .clustering("at", at)
                                .set("tags", Set.of(value))
                                .timestampMicros(micros)
                                .update());
            default ->
                new Placed(
                        id,
                        2,
                        at,
                        0,
                        writer -> writer.row()
                                .key("id", id)
                                .clustering("at", at)
                                .set("name", value)
                                .ttlSeconds(ttlSeconds)
                                .timestampMicros(micros)
                                .insert());
        };
    }

    private List<Descriptor> write(SSTableWriter.Builder builder, long memoryBytes, List<Placed> writes)
            throws IOException {
        try (SSTableWriter writer = memoryBytes == 0 ? builder.sorted() : builder.unsorted(memoryBytes)) {
            for (Placed write : writes) {
                write.writing().to(writer);
            }
            return writer.finish();
        }
    }

    @Test
    void shouldWriteTheSameHoweverItIsSplit() throws IOException {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + 40; seed++) {
            Random random = new Random(seed);
            List<Placed> writes = new ArrayList<>();
            for (int i = 0; i < 120; i++) {
                writes.add(randomWrite(random));
            }
            List<Descriptor> apart = new ArrayList<>();
            for (int i = 0; i < writes.size(); i += 40) {
                apart.addAll(write(
                        SSTableWriter.builder(READINGS).to(directory.resolve("apart" + seed)),
                        MEMORY_BYTES,
                        writes.subList(i, i + 40)));
            }
            List<Descriptor> together =
                    write(SSTableWriter.builder(READINGS).to(directory.resolve("one" + seed)), MEMORY_BYTES, writes);
            List<Placed> sorted = new ArrayList<>(writes);
            sorted.sort(Comparator.<Placed>comparingLong(
                            write -> DecoratedKey.of(JavaValues.toBytes(CqlTypes.INT, write.id()))
                                    .token())
                    .thenComparingInt(Placed::region)
                    .thenComparingInt(Placed::at)
                    .thenComparingInt(Placed::weight));
            List<Descriptor> streamed =
                    write(SSTableWriter.builder(READINGS).to(directory.resolve("sorted" + seed)), 0, sorted);

            List<String> expected = lines(apart, READINGS);
            assertThat(apart).as("seed %d", seed).hasSize(3);
            assertThat(together).as("seed %d", seed).hasSize(1);
            assertThat(lines(together, READINGS)).as("seed %d", seed).isEqualTo(expected);
            assertThat(lines(streamed, READINGS)).as("seed %d", seed).isEqualTo(expected);
            try (SSTableReader reader = Formats.open(together.get(0));
                    FragmentCursor raw = reader.scan(READINGS, TokenRange.Linear.ALL)) {
                assertThat(lines(raw, READINGS)).as("raw, seed %d", seed).isEqualTo(expected);
            }
        }
    }

    @Test
    void shouldSayThatADirectoryIsTaken() throws IOException {
        try (SSTableWriter writer = unsorted(READINGS)) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> unsorted(READINGS))
                    .withMessageContainingAll(
                            "in use", "pid=" + ProcessHandle.current().pid());
            assertThat(writer.finish()).isEmpty();
        }
    }

    @Test
    void shouldRunManyAtOnce() throws IOException {
        TableSchema other = schema("CREATE TABLE ks.other (id int PRIMARY KEY)");
        try (StagingDirectory shared = StagingDirectory.open(directory);
                SSTableWriter first = SSTableWriter.builder(READINGS).to(shared).unsorted(MEMORY_BYTES);
                SSTableWriter second =
                        SSTableWriter.builder(READINGS).to(shared).unsorted(MEMORY_BYTES);
                SSTableWriter third = SSTableWriter.builder(other).to(shared).sorted()) {
            first.row().key("id", 1).clustering("at", 1).timestampMicros(MICROS).insert();
            second.row()
                    .key("id", 2)
                    .clustering("at", 1)
                    .timestampMicros(MICROS)
                    .insert();
            third.row().key("id", 3).timestampMicros(MICROS).insert();
            List<Descriptor> all = new ArrayList<>(first.finish());
            all.addAll(second.finish());
            assertThat(lines(all, READINGS)).hasSize(4);
            assertThat(lines(third.finish(), other)).containsExactly("partition 3", "row [] live@0");
        }
    }
}
