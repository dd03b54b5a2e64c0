package io.anneal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables {@code WITH COMPACT STORAGE}, as Cassandra 3.0 and later store them. */
class CompactStorageTest {
    private static TableSchema only(String text) {
        return CqlSchema.parse(text, "compact.cql").tables().iterator().next();
    }

    private static List<String> columns(TableSchema table) {
        return table.allColumns()
                .map(c -> c.kind() + " " + c.name() + " " + c.type().cqlName() + (table.isHidden(c) ? " hidden" : ""))
                .toList();
    }

    @Test
    void shouldStoreColumnsAsStaticOnesWhenThereIsNoClustering() {
        TableSchema table = only("CREATE TABLE k.t (p int PRIMARY KEY, b text, a int) WITH COMPACT STORAGE");

        assertThat(table.isCompactStorage()).isTrue();
        assertThat(columns(table))
                .containsExactly(
                        "PARTITION_KEY p int",
                        "CLUSTERING column1 text hidden",
                        "STATIC a int",
                        "STATIC b text",
                        "REGULAR value blob hidden");
    }

    @Test
    void shouldStoreNothingElseWhenThereAreClusteringAndValue() {
        TableSchema table = only("CREATE TABLE k.t (p int, c int, d text, v int, PRIMARY KEY (p, c, d))"
                + " WITH COMPACT STORAGE AND CLUSTERING ORDER BY (c DESC, d ASC)");

        assertThat(columns(table))
                .containsExactly("PARTITION_KEY p int", "CLUSTERING c int", "CLUSTERING d text", "REGULAR v int");
        assertThat(table.clustering().get(0).type().isReversed()).isTrue();
    }

    @Test
    void shouldStoreAValueWithoutTypeWhenNoneIsDeclared() {
        TableSchema table = only("CREATE TABLE k.t (p int, c int, PRIMARY KEY (p, c)) WITH COMPACT STORAGE");

        assertThat(columns(table))
                .containsExactly("PARTITION_KEY p int", "CLUSTERING c int", "REGULAR value empty hidden");
        assertThat(table.column("value").orElseThrow().type().className())
                .isEqualTo("org.apache.cassandra.db.marshal.EmptyType");
    }

    @Test
    void shouldCountInTheHiddenValueWhenColumnsAreCounters() {
        TableSchema statics = only("CREATE TABLE k.t (p int PRIMARY KEY, n counter) WITH COMPACT STORAGE");
        TableSchema dense =
                only("CREATE TABLE k.t (p int, c text, n counter, PRIMARY KEY (p, c)) WITH COMPACT STORAGE");

        assertThat(columns(statics)).contains("STATIC n counter", "REGULAR value counter hidden");
        assertThat(columns(dense)).containsExactly("PARTITION_KEY p int", "CLUSTERING c text", "REGULAR n counter");
    }

    @Test
    void shouldFindOtherNamesForHiddenColumnsWhenTheirsAreTaken() {
        TableSchema table = only("CREATE TABLE k.t (value int PRIMARY KEY, column1 int) WITH COMPACT STORAGE");

        assertThat(columns(table)).contains("CLUSTERING column2 text hidden", "REGULAR value1 blob hidden");
    }

    @ParameterizedTest
    @ValueSource(strings = {"nb", "older"})
    void shouldReadTheStatementInTheCommentOfASnapshot(String version) {
        String text = CqlSchemaTest.resource("snapshots/compact_static.cql");
        if (version.equals("older")) {
            text = text.replace("/*\nWarning", "/* Warning").replace("\n", "\r\n");
        }
        TableSchema table = CqlSchema.parse("-- \uD83D\uDE80 '\n/* no table */" + text, "snapshot.cql")
                .table("corpus", "compact_static")
                .orElseThrow();

        assertThat(columns(table))
                .containsExactly(
                        "PARTITION_KEY p int",
                        "CLUSTERING column1 text hidden",
                        "STATIC a int",
                        "STATIC b text",
                        "REGULAR value blob hidden");
        assertThat(table.id()).contains("2fcb16b0-e54c-11f1-9953-9ddbc8d5a59d");
        assertThat(table.options().gcGraceSeconds()).isEqualTo(864_000);
    }

    @Test
    void shouldReadAlterationsInTheCommentAndSayWhereTheyAreWrong() {
        String comment = "/*\nWarning: Table k.t omitted because it has constructs not compatible with CQL"
                + " (was created via legacy API).\nApproximate structure, for reference:\n\n"
                + "CREATE TABLE k.t (p int PRIMARY KEY, a int, gone text) WITH COMPACT STORAGE;\n"
                + "ALTER TABLE k.t DROP gone USING TIMESTAMP 7;\nALTER TABLE k.t ADD later int;\n*/";
        TableSchema table = only(comment);

        assertThat(columns(table)).contains("STATIC gone text", "STATIC later int");
        assertThat(table.column("gone").orElseThrow().dropTimeMicros()).isEqualTo(7);
        org.assertj.core.api.Assertions.assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> only(comment.replace("ADD later int", "ADD later integer")))
                .withMessageStartingWith("compact.cql:7:27: unknown type");
    }

    @Test
    void shouldBeAnOrdinaryTableWhenCompactStorageWasDropped() {
        TableSchema table = only("CREATE TABLE k.t (p int PRIMARY KEY, a int) WITH COMPACT STORAGE;"
                + "ALTER TABLE k.t DROP COMPACT STORAGE; ALTER TABLE k.t ADD r int;");

        assertThat(table.isCompactStorage()).isFalse();
        assertThat(columns(table))
                .containsExactly(
                        "PARTITION_KEY p int",
                        "CLUSTERING column1 text",
                        "STATIC a int",
                        "REGULAR r int",
                        "REGULAR value blob");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(p int PRIMARY KEY, a int, column1 text) WITH COMPACT STORAGE",
                "(p int, c int, PRIMARY KEY (p, c)) WITH COMPACT STORAGE",
                "(p int, c int, v blob, PRIMARY KEY (p, c)) WITH COMPACT STORAGE AND CLUSTERING ORDER BY (c DESC)",
                "(p int PRIMARY KEY, a int) WITH COMPACT STORAGE; ALTER TABLE k.t DROP a USING TIMESTAMP 5;"
                        + "ALTER TABLE k.t ADD a int",
                "(p int, c 'org.apache.cassandra.db.marshal.LexicalUUIDType', v 'EmptyType', PRIMARY KEY (p, c))"
            })
    void shouldGiveAnEqualTableWhenPrintedTextIsParsed(String definition) {
        TableSchema table = only("CREATE TABLE k.t " + definition);

        assertThat(only(SchemaText.print(table))).isEqualTo(table);
        assertThat(only(SchemaText.print(table)).fingerprint()).isEqualTo(table.fingerprint());
    }
}
