package io.anneal.paging.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Row;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.key.TokenRange;
import io.anneal.merge.SelectCursor;
import io.anneal.paging.query.Condition.Operator;
import io.anneal.schema.TableSchema;
import io.anneal.store.Store;
import io.anneal.store.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RowFilterTest {
    private static final TableSchema SCHEMA = TableSchema.builder("ks", "t")
            .partitionKey("p1", "text")
            .partitionKey("p2", "int")
            .clusteringDescending("c", "int")
            .staticColumn("s", "text")
            .column("v", "int")
            .column("d", "duration")
            .column("many", "list<int>")
            .build();
    private static final long NOW_SECONDS = 2_000_000_000L;

    @TempDir
    private Path directory;

    private Store store;
    private Table table;

    @BeforeEach
    void fill() throws IOException {
        store = Store.open(directory);
        table = store.createTable(SCHEMA);
        for (int p = 0; p < 3; p++) {
            table.row().key("p1", "a" + p).key("p2", p).set("s", "static" + p).insert();
            for (int c = -2; c < 3; c++) {
                table.row()
                        .key("p1", "a" + p)
                        .key("p2", p)
                        .clustering("c", c)
                        .set("v", 10 * p + c)
                        .insert();
            }
        }
        table.row().key("p1", "b").key("p2", 7).clustering("c", 1).insert();
    }

    @AfterEach
    void close() throws IOException {
        store.close();
    }

    /** Values of c of the rows that meet the conditions, with the second part of the key, sorted. */
    private List<String> matched(Condition... conditions) throws IOException {
        RowFilter filter = new RowFilter(List.of(conditions));
        ByteWriter out = new ByteWriter(16);
        filter.encode(out);
        RowFilter decoded = RowFilter.decode(new ByteReader(Arrays.copyOf(out.array(), out.lengthBytes())));
        assertThat(decoded).isEqualTo(filter);
        RowMatcher matcher = decoded.bind(SCHEMA);
        List<String> found = new ArrayList<>();
        for (TokenRange.Linear range : TokenRange.FULL.unwrap()) {
            try (FragmentCursor cursor = new SelectCursor(table.scan(range), NOW_SECONDS)) {
                Row statics = null;
                for (FragmentKind kind = cursor.advance(); kind != null; kind = cursor.advance()) {
                    switch (kind) {
                        case PARTITION_START -> statics = null;
                        case STATIC_ROW -> statics = cursor.row().toRow();
                        case CLUSTERING_ROW -> {
                            if (matcher.matchesKey(cursor.key())
                                    && matcher.matchesStatic(statics)
                                    && matcher.matchesRow(cursor.row())) {
                                found.add(name(cursor));
                            }
                        }
                        default -> {}
                    }
                }
            }
        }
        found.sort(null);
        return found;
    }

    private static String name(FragmentCursor cursor) {
        byte[] key = cursor.key().toDecoratedKey().bytes();
        byte[] c = Arrays.copyOfRange(
                cursor.row().clustering().buffer(),
                cursor.row().clustering().offset(0),
                cursor.row().clustering().offset(0) + Integer.BYTES);
        return key[key.length - 2] + "/" + c[3];
    }

    private static Condition where(String column, String operator, Object value) {
        return Condition.of(SCHEMA, column, Operator.of(operator), value);
    }

    @Test
    void shouldCompareValuesAsTheirTypeDoesAlsoWhereTheColumnIsDescending() throws IOException {
        assertThat(matched(where("c", ">", 1))).containsExactly("0/2", "1/2", "2/2");
        assertThat(matched(where("c", "<=", -2))).containsExactly("0/-2", "1/-2", "2/-2");
        assertThat(matched(where("v", "<", 0))).containsExactly("0/-1", "0/-2");
        assertThat(matched(where("v", ">=", 21))).containsExactly("2/1", "2/2");
    }

    @Test
    void shouldCompareEachPartOfTheKey() throws IOException {
        assertThat(matched(where("p2", "=", 1), where("c", "=", 0))).containsExactly("1/0");
        assertThat(matched(where("p1", "IN", List.of("a2", "b")), where("c", "=", 1)))
                .containsExactly("2/1", "7/1");
        assertThat(matched(where("p1", ">", "a1"), where("p2", "!=", 7), where("c", "=", 1)))
                .containsExactly("2/1");
    }

    @Test
    void shouldPassOverRowsWithoutAValueWhateverTheOperator() throws IOException {
        assertThat(matched(where("v", "!=", 99), where("p2", "=", 7))).isEmpty();
        assertThat(matched(where("s", "!=", "x"), where("p2", "=", 7))).isEmpty();
        assertThat(matched(where("s", "=", "static1"), where("c", "=", 2))).containsExactly("1/2");
    }

    @Test
    void shouldRefuseWhatCannotBeCompared() {
        assertThatThrownBy(() -> where("many", "=", List.of(1))).hasMessageContaining("column=many");
        assertThatThrownBy(() -> where("d", "<", 1)).hasMessageContaining("durations have no order");
        assertThatThrownBy(() -> where("v", "<", "text")).hasMessageContaining("column=v");
        assertThatThrownBy(() -> where("v", "=", null)).hasMessageContaining("column=v");
        assertThatThrownBy(() -> where("nothing", "=", 1)).hasMessageContaining("column=nothing");
        assertThatThrownBy(() -> where("v", "=>", 1))
                .hasMessageContaining("operator=")
                .hasMessageContaining(">=");
        assertThatThrownBy(() -> where("v", "IN", List.of())).hasMessageContaining("values=0");
    }

    @Test
    void shouldRefuseValuesThatAPeerSendsWhichAreNoneOfTheType() {
        RowFilter filter = new RowFilter(List.of(new Condition("v", Operator.EQUAL, List.of(new byte[3]))));

        assertThatThrownBy(() -> filter.bind(SCHEMA))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("column=v");
    }

    @Test
    void shouldRefuseEveryEncodingThatIsCutShortOrHasAnotherByte() {
        ByteWriter out = new ByteWriter(16);
        new RowFilter(List.of(where("v", "IN", List.of(1, 2)), where("s", "=", "x"))).encode(out);
        byte[] whole = Arrays.copyOf(out.array(), out.lengthBytes());

        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> RowFilter.decode(new ByteReader(cut)))
                    .isInstanceOfAny(ByteUnderflowException.class, IllegalArgumentException.class);
        }
        for (int at = 0; at < whole.length; at++) {
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                byte[] flipped = whole.clone();
                flipped[at] ^= (byte) (1 << bit);
                try {
                    RowFilter.decode(new ByteReader(flipped));
                } catch (ByteUnderflowException | IllegalArgumentException expected) {
                    assertThat(expected).hasMessageNotContaining("OutOfMemory");
                }
            }
        }
    }
}
