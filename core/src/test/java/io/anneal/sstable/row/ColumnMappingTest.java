package io.anneal.sstable.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.row.SerializationHeader.HeaderColumn;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ColumnMappingTest {
    private static final Path FILE = Path.of("nb-1-big-Statistics.db");
    private static final TableSchema SCHEMA = TableSchema.builder("ks", "t")
            .partitionKey("k", "int")
            .column("a", "int")
            .column("b", "int")
            .column("é", "int")
            .column("l", "set<int>")
            .column("ñ", "set<int>")
            .build();

    private static ColumnMapping of(String... names) throws CorruptSSTableException {
        List<HeaderColumn> header = Stream.of(names)
                .map(name ->
                        new HeaderColumn(name, SCHEMA.column(name).orElseThrow().type()))
                .toList();
        return ColumnMapping.of(header, Column.Kind.REGULAR, SCHEMA, FILE);
    }

    @Test
    void shouldTakeColumnsInTheOrderOfCassandra() throws CorruptSSTableException {
        for (ColumnMapping mapping : List.of(of("é", "a", "b", "ñ", "l"), of("a", "b"), of("é"), of("a", "ñ"), of())) {
            assertThat(mapping.isInFormerOrder()).isFalse();
        }
    }

    @Test
    void shouldTakeColumnsInTheOrderOfEarlierReleases() throws CorruptSSTableException {
        ColumnMapping mapping = of("a", "b", "é", "l", "ñ");

        assertThat(mapping.isInFormerOrder()).isTrue();
        assertThat(List.of(mapping.schemaIndex(0), mapping.schemaIndex(1), mapping.schemaIndex(2)))
                .containsExactly(1, 2, 0);
        assertThat(of("é", "l", "ñ").isInFormerOrder()).isTrue();
    }

    @Test
    void shouldRefuseColumnsInAnyOtherOrder() {
        for (List<String> names : List.of(
                List.of("b", "a"),
                List.of("é", "b", "a"),
                List.of("b", "a", "é"),
                List.of("b", "é", "a"),
                List.of("é", "a", "l", "ñ"),
                List.of("a", "é", "ñ", "l"),
                List.of("l", "a"),
                List.of("a", "a"))) {
            assertThatThrownBy(() -> of(names.toArray(String[]::new)))
                    .as(names.toString())
                    .isInstanceOf(CorruptSSTableException.class)
                    .hasMessageContaining("columns of the header are out of order")
                    .hasMessageContaining(FILE.toString());
        }
    }
}
