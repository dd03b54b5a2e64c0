package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.anneal.environment.HostEnvironment;
import io.anneal.schema.TableSchema;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists, element by element. */
final class TableListsTest {
    private static final String CREATE =
            "CREATE TABLE ks.t (k int, c int, l list<text>, s list<int> static, f frozen<list<int>>, m map<text, int>,"
                    + " PRIMARY KEY (k, c))";

    @TempDir
    private Path directory;

    private volatile Instant now = Instant.ofEpochSecond(1_700_000_000);
    private Store store;
    private Table table;

    @BeforeEach
    void openStore() throws IOException {
        store = Store.open(
                directory.resolve("store"),
                StoreConfig.defaults().withShardCount(2),
                HostEnvironment.system().withClock(() -> now));
        table = store.createTable(CREATE);
    }

    @AfterEach
    void closeStore() throws IOException {
        store.close();
    }

    private RowBuilder row() {
        return table.row().key("k", 1).clustering("c", 1);
    }

    private Object list() throws IOException {
        Optional<TableRow> row = table.row(Map.of("k", 1, "c", 1));
        return row.map(values -> values.value("l")).orElse(null);
    }

    @Test
    void shouldPrependInOrder() throws IOException {
        row().set("l", List.of("m")).insert();
        row().prepend("l", List.of("c", "d")).update();
        row().add("l", List.of("x", "y")).update();
        row().prepend("l", List.of("a", "b")).prepend("l", List.of("0")).update();
        assertThat(list()).isEqualTo(List.of("0", "a", "b", "c", "d", "m", "x", "y"));
    }

    @Test
    void shouldPrependAtOneTimeAsOften() throws IOException {
        long micros = 1_700_000_000_000_000L;
        row().timestampMicros(micros).add("l", List.of("m")).update();
        row().timestampMicros(micros).prepend("l", List.of("b", "c")).update();
        row().timestampMicros(micros).prepend("l", List.of("a")).update();
        assertThat(list()).isEqualTo(List.of("a", "b", "c", "m"));
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        row().timestampMicros(1).prepend("l", List.of("a")).update())
                .withMessageContaining("column=l")
                .withMessageContaining("timestampMicros=1");
    }

    @Test
    void shouldPlaceElementsByTheTimestampWhereverItIsGiven() throws IOException {
        long micros = 1_700_000_000_000_000L;
        row().add("l", List.of("late"))
                .prepend("l", List.of("a"))
                .timestampMicros(micros + 1)
                .update();
        row().timestampMicros(micros).add("l", List.of("early")).update();
        assertThat(list()).isEqualTo(List.of("a", "early", "late"));
    }

    @Test
    void shouldSetAndRemoveByIndex() throws IOException {
        row().set("l", List.of("a", "b", "c", "d")).insert();
        table.flush();
        row().setAt("l", 1, "B").update();
        row().removeAt("l", 0).setAt("l", 3, "D").update();
        assertThat(list()).isEqualTo(List.of("B", "c", "D"));
        row().setAt("l", 0, null).update();
        assertThat(list()).isEqualTo(List.of("c", "D"));
    }

    @Test
    void shouldRemoveAllOfAValueAndDoNothingWithoutOne() throws IOException {
        row().set("l", List.of("a", "b", "a", "c")).insert();
        row().remove("l", "a").update();
        assertThat(list()).isEqualTo(List.of("b", "c"));
        row().remove("l", "a").update();
        row().remove("l", "b").remove("l", "b").removeAt("l", 0).update();
        assertThat(list()).isEqualTo(List.of("c"));
        TableMutation mutation = table.mutation();
        mutation.row().key("k", 1).clustering("c", 1).remove("l", "none").update();
        mutation.apply();
        assertThat(list()).isEqualTo(List.of("c"));
    }

    /** The same is allowed and refused of a list that holds what is removed, and of one that does not. */
    @ParameterizedTest
    @ValueSource(strings = {"there", "absent"})
    void shouldKeepAMutationsPartitionWhateverAListHolds(String element) throws IOException {
        row().set("l", List.of("there")).insert();
        TableMutation mutation = table.mutation();
        assertThatIllegalStateException()
                .isThrownBy(() ->
                        mutation.row().clustering("c", 1).remove("l", element).update())
                .withMessageContaining("column=k");
        assertThatIllegalStateException()
                .isThrownBy(
                        () -> mutation.row().key("k", 1).remove("l", element).update())
                .withMessageContaining("column=c");
        mutation.row().key("k", 1).clustering("c", 1).remove("l", element).update();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> mutation.row()
                        .key("k", 2)
                        .clustering("c", 1)
                        .remove("l", element)
                        .update())
                .withMessageContaining("one partition");
        mutation.row().clustering("c", 2).set("l", List.of("x")).update();
        mutation.apply();
        assertThat(table.row(Map.of("k", 1, "c", 2)).orElseThrow().value("l")).isEqualTo(List.of("x"));
        assertThat(table.row(Map.of("k", 2, "c", 1))).isEmpty();
    }

    @Test
    void shouldDoNothingOfWritesThatChangeNothingHoweverTheyAreApplied() throws IOException {
        absent().apply();
        absent().applyAsync().join();
        assertThat(absent().build().isEmpty()).isTrue();
        table.apply(absent().build());
        store.batch().add(table, absent()).add(table, absent().build()).apply();
        StoreBatch batch = store.batch();
        batch.row(table).key("k", 1).clustering("c", 1).remove("l", "absent").update();
        batch.row(table).key("k", 1).clustering("c", 1).set("l", List.of("a")).update();
        batch.add(table, absent()).apply();
        assertThat(list()).isEqualTo(List.of("a"));
    }

    private TableMutation absent() throws IOException {
        TableMutation mutation = table.mutation();
        mutation.row().key("k", 1).clustering("c", 1).remove("l", "absent").update();
        return mutation;
    }

    @Test
    void shouldRefuseAMutationThatNamesNoKeyHoweverItIsApplied() throws IOException {
        assertThatIllegalStateException()
                .isThrownBy(() -> table.mutation().apply())
                .withMessageContaining("ks.t");
        assertThatIllegalStateException().isThrownBy(() -> table.mutation().applyAsync());
        assertThatIllegalStateException().isThrownBy(() -> table.mutation().build());
        StoreBatch batch = store.batch();
        assertThatIllegalStateException().isThrownBy(() -> batch.add(table, table.mutation()));
        batch.apply();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldInsertNoRowWhereOnlyAStaticListIsNamedWhateverItHolds(int element) throws IOException {
        table.row().key("k", 1).set("s", List.of(1, 3)).update();
        table.row().key("k", 1).remove("s", element).insert();
        table.row().key("k", 1).add("s", List.of()).insert();
        try (TableRows rows = table.partition(1)) {
            assertThat(rows.next().values()).containsEntry("c", null);
            assertThat(rows.next()).isNull();
        }
    }

    @Test
    void shouldTakeNoElementsAsAWriteOfTheColumn() throws IOException {
        row().add("l", List.of()).add("m", Map.of()).prepend("l", List.of()).update();
        assertThat(table.row(Map.of("k", 1, "c", 1))).isEmpty();
        assertThatIllegalStateException().isThrownBy(() -> row().update()).withMessageContaining("sets no column");
        assertThatIllegalStateException()
                .isThrownBy(() -> table.row().key("k", 1).add("m", Map.of()).update())
                .withMessageContaining("column=c");
        assertThatIllegalStateException()
                .isThrownBy(() -> row().add("m", Map.of()).deleteRow())
                .withMessageContaining("sets no columns");
        row().add("m", Map.of()).insert();
        assertThat(table.row(Map.of("k", 1, "c", 1))).isPresent();
    }

    @Test
    void shouldNameTheSizeWhenAnIndexIsOutOfRange() throws IOException {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> row().setAt("l", 0, "a").update())
                .withMessageContaining("index=0")
                .withMessageContaining("size=0");
        row().set("l", List.of("a", "b")).insert();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> row().setAt("l", -1, "a").update())
                .withMessageContaining("column=l")
                .withMessageContaining("index=-1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> row().removeAt("l", 2).update())
                .withMessageContaining("size=2");
        assertThat(list()).isEqualTo(List.of("a", "b"));
    }

    @Test
    void shouldCountOnlyWhatExists() throws IOException {
        row().set("l", List.of("old")).insert();
        row().add("l", List.of("brief")).ttlSeconds(10).update();
        row().add("l", List.of("last")).update();
        now = now.plusSeconds(20);
        row().setAt("l", 1, "LAST").update();
        assertThat(list()).isEqualTo(List.of("old", "LAST"));
        table.row().key("k", 1).deletePartition();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> row().removeAt("l", 0).update())
                .withMessageContaining("size=0");
    }

    @Test
    void shouldReachStaticLists() throws IOException {
        table.row().key("k", 1).set("s", List.of(1, 2, 3, 2)).update();
        table.row().key("k", 1).setAt("s", 0, 10).update();
        table.row().key("k", 1).remove("s", 2).prepend("s", List.of(9)).update();
        assertThat(table.row(Map.of("k", 1)).orElseThrow().value("s")).isEqualTo(List.of(9, 10, 3));
    }

    @Test
    void shouldReadWhatAMutationFoundNotWhatItWrites() throws IOException {
        row().set("l", List.of("a", "b")).insert();
        TableMutation mutation = table.mutation();
        mutation.row().key("k", 1).clustering("c", 1).prepend("l", List.of("0")).update();
        mutation.row().clustering("c", 1).setAt("l", 0, "A").update();
        mutation.apply();
        assertThat(list()).isEqualTo(List.of("0", "A", "b"));
    }

    @Test
    void shouldRefuseWhatIsNoListOrIsWrittenAsAWhole() throws IOException {
        row().set("l", List.of("a")).set("f", List.of(1)).insert();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> row().setAt("m", 0, 1))
                .withMessageContaining("no list")
                .withMessageContaining("column=m");
        assertThatIllegalArgumentException().isThrownBy(() -> row().prepend("f", List.of(1)));
        assertThatIllegalArgumentException().isThrownBy(() -> row().setAt("l", 0, 7));
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> row().setAt("l", 0, "b").set("l", List.of("c")).update())
                .withMessageContaining("as a whole")
                .withMessageContaining("column=l");
        assertThat(list()).isEqualTo(List.of("a"));
    }

    @Test
    void shouldRefuseToReadWhereSSTablesAreWritten() throws IOException {
        TableSchema schema = table.schema();
        try (SSTableWriter writer = SSTableWriter.builder(schema)
                .to(directory.resolve("written"))
                .timestampMicros(1_700_000_000_000_000L)
                .unsorted(1 << 20)) {
            writer.row()
                    .key("k", 1)
                    .clustering("c", 1)
                    .prepend("l", List.of("a"))
                    .update();
            assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(() -> writer.row()
                            .key("k", 1)
                            .clustering("c", 1)
                            .setAt("l", 0, "b")
                            .update())
                    .withMessageContaining("table=ks.t")
                    .withMessageContaining("column=l");
            writer.row().key("k", 1).clustering("c", 1).add("l", List.of()).update();
            assertThatIllegalStateException()
                    .isThrownBy(
                            () -> writer.row().key("k", 1).add("l", List.of()).update())
                    .withMessageContaining("column=c");
            assertThat(writer.finish()).hasSize(1);
        }
    }

    @Test
    void shouldDoAsAListDoesWhateverIsAsked() throws IOException {
        long seed = Long.getLong("anneal.seed", System.nanoTime());
        Random random = new Random(seed);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            String value = Integer.toString(random.nextInt(5));
            switch (random.nextInt(7)) {
                case 0 -> {
                    row().prepend("l", List.of(value, "p")).update();
                    expected.addAll(0, List.of(value, "p"));
                }
                case 1 -> {
                    row().add("l", List.of(value, "a")).update();
                    expected.addAll(List.of(value, "a"));
                }
                case 2, 3 -> {
                    if (!expected.isEmpty()) {
                        int index = random.nextInt(expected.size());
                        row().setAt("l", index, value).update();
                        expected.set(index, value);
                    }
                }
                case 4 -> {
                    if (!expected.isEmpty()) {
                        int index = random.nextInt(expected.size());
                        row().removeAt("l", index).update();
                        expected.remove(index);
                    }
                }
                case 5 -> {
                    row().remove("l", value).update();
                    expected.removeIf(value::equals);
                }
                default -> {
                    if (random.nextInt(10) == 0) {
                        table.flush();
                    }
                }
            }
            assertThat(list()).as("seed=%d, step=%d", seed, i).isEqualTo(expected.isEmpty() ? null : expected);
        }
    }
}
