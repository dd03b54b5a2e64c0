package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows in loops and streams. */
final class TableStreamTest {
    private static final int ROWS = 500;

    @TempDir
    private Path directory;

    private Store store;
    private Table table;

    @BeforeEach
    void openStore() throws IOException {
        store = Store.open(directory, StoreConfig.defaults().withShardCount(2));
        table = store.createTable(
                "CREATE TABLE ks.t (k int, c int, data blob, props map<text, blob>, PRIMARY KEY (k, c))");
        TableMutation mutation = table.mutation();
        for (int c = 0; c < ROWS; c++) {
            mutation.row()
                    .key("k", 1)
                    .clustering("c", c)
                    .set("data", bytes(c))
                    .set("props", Map.of("p", bytes(-c)))
                    .insert();
        }
        mutation.apply();
        table.flush();
    }

    @AfterEach
    void closeStore() throws IOException {
        store.close();
    }

    private static ByteBuffer bytes(int number) {
        return ByteBuffer.allocate(64).putInt(60, number);
    }

    @Test
    void shouldKeepRowsThatOutliveTheNextStep() throws IOException {
        List<TableRow> kept = new ArrayList<>();
        try (TableRows rows = table.partition(1)) {
            for (TableRow row : rows) {
                kept.add(row);
            }
        }
        store.close();
        assertThat(kept).hasSize(ROWS);
        for (int c = 0; c < ROWS; c++) {
            assertThat(kept.get(c).value("c")).isEqualTo(c);
            assertThat(kept.get(c).value("data")).isEqualTo(bytes(c));
            assertThat(kept.get(c).value("props")).isEqualTo(Map.of("p", bytes(-c)));
        }
    }

    @Test
    void shouldStreamRowsAndReleaseThemAtTheEnd() throws IOException {
        TableRows rows = table.partition(RowRange.from(10), 1);
        try (Stream<TableRow> stream = rows.stream()) {
            assertThat(stream.map(row -> row.value("c", Integer.class))
                            .filter(c -> c % 2 == 0)
                            .limit(3))
                    .containsExactly(10, 12, 14);
        }
        assertThatIllegalStateException().isThrownBy(rows::next).withMessageContaining("closed");
    }

    @Test
    void shouldGoOnInALoopWhereNextHasStopped() throws IOException {
        try (TableRows rows = table.partition(RowRange.ALL.limit(3), 1)) {
            assertThat(rows.next().value("c")).isEqualTo(0);
            Iterator<TableRow> iterator = rows.iterator();
            assertThat(iterator.hasNext()).isTrue();
            assertThat(iterator.next().value("c")).isEqualTo(1);
            assertThat(iterator.next().value("c")).isEqualTo(2);
            assertThat(iterator.hasNext()).isFalse();
            assertThatExceptionOfType(NoSuchElementException.class).isThrownBy(iterator::next);
        }
    }

    @Test
    void shouldReadOnceOnly() throws IOException {
        try (TableRows rows = table.rows()) {
            rows.iterator();
            assertThatIllegalStateException()
                    .isThrownBy(rows::stream)
                    .withMessageContaining("read once")
                    .withMessageContaining("table=ks.t");
        }
    }

    @Test
    void shouldNotCallAClosedObjectAnEmptyOne() throws IOException {
        TableRows rows = table.rows();
        rows.close();
        assertThatIllegalStateException()
                .isThrownBy(() -> rows.iterator().hasNext())
                .withMessageContaining("closed");
    }

    @Test
    void shouldThrowWhatAFileIsWrongAboutFromALoop() throws IOException {
        IOException wrong = new IOException("disk is gone");
        TableRows rows = new TableRows(
                table.schema(),
                List.of(() -> {
                    throw wrong;
                }),
                0);
        try (Stream<TableRow> stream = rows.stream()) {
            assertThatExceptionOfType(UncheckedIOException.class)
                    .isThrownBy(stream::toList)
                    .withCause(wrong);
        }
    }
}
