package io.anneal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SchemaTextTest {
    private static TableSchema reparsed(TableSchema table) {
        return CqlSchema.parse(SchemaText.print(table), "printed.cql")
                .table(table.keyspace(), table.name())
                .orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "all_types",
                "clustered",
                "collections",
                "coll_key",
                "counters",
                "dropped",
                "readded",
                "udts",
                "udt_key",
                "many_columns",
                "ttl_default"
            })
    void shouldGiveEqualTableWhenPrintedSnapshotIsParsed(String name) {
        TableSchema table = CqlSchema.parse(CqlSchemaTest.resource("snapshots/" + name + ".cql"), name)
                .table("corpus", name)
                .orElseThrow();

        assertThat(reparsed(table)).isEqualTo(table);
        assertThat(reparsed(table).fingerprint()).isEqualTo(table.fingerprint());
    }

    @Test
    void shouldGiveEqualTablesWhenPrintedKeyspaceIsParsed() {
        CqlSchema.parse(CqlSchemaTest.resource("keyspace.cql"), "keyspace.cql")
                .tables()
                .forEach(table -> assertThat(reparsed(table)).isEqualTo(table));
    }

    @Test
    void shouldQuoteNamesAndTextsWhenTheyNeedIt() {
        TableSchema table = TableSchema.builder("Ks", "ta\"ble")
                .id("2e52ce90-e54c-11f1-9953-9ddbc8d5a59d")
                .column("order", CqlTypes.INT, Column.Kind.PARTITION_KEY)
                .column("Ä", CqlTypes.reversed(CqlTypes.TEXT), Column.Kind.CLUSTERING)
                .column("x y", CqlTypes.map(CqlTypes.INT, CqlTypes.LEXICAL_UUID), Column.Kind.STATIC, 12, false)
                .options(new TableOptions(
                        TableOptions.GC_GRACE_UNKNOWN,
                        1.0E-4,
                        64,
                        Map.of("class", "it's"),
                        Map.of(),
                        true,
                        Map.of(
                                "comment",
                                "'; {'a': 'b'}",
                                "x",
                                "{'a': 'b', 'c': ''''}",
                                "Y",
                                "{",
                                "z",
                                "1.5",
                                "e",
                                "{}")))
                .build();

        assertThat(reparsed(table)).isEqualTo(table);
        assertThat(SchemaText.print(table)).contains("\"Ks\".\"ta\"\"ble\"").contains("\"order\" int");
    }

    /** A regular expression that repeats a choice takes a frame of the stack for each character. */
    @ParameterizedTest
    @ValueSource(ints = {1, 1_500, 1_000_000})
    void shouldReadMapsOfTextsOfAnyLength(int length) {
        String blob = "0x" + "ab".repeat(length);
        String quotes = "'".repeat(length);
        Map<String, String> map = Map.of("k", blob, quotes, quotes);
        assertThat(SchemaText.parseMap(SchemaText.map(map))).contains(map);
        assertThat(SchemaText.parseMap(SchemaText.map(map) + " ")).isEmpty();
        assertThat(SchemaText.parseMap("{'k': '" + blob)).isEmpty();
        String many = "'k': 'v', ".repeat(length);
        assertThat(SchemaText.parseMap("{" + many + "'k': 'v'}")).contains(Map.of("k", "v"));
        assertThat(SchemaText.parseMap("{" + many + "}")).isEmpty();
    }
}
