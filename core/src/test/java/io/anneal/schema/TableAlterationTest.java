package io.anneal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableAlterationTest {
    private static final long NOW = 1_000;
    private static final TableSchema TABLE = table("CREATE TYPE k.u (a int, b text);"
            + "CREATE TYPE k.nested (l frozen<list<int>>);"
            + "CREATE TABLE k.t (p int, c int, s text static, v int, m map<int, text>, w u, f frozen<u>,"
            + " PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c DESC) AND gc_grace_seconds = 5 AND comment = 'here'"
            + " AND bloom_filter_fp_chance = 0.2;");
    private static final TableSchema FLAT = table("CREATE TABLE k.t (p int PRIMARY KEY, v int)");
    private static final TableSchema COUNTERS = table("CREATE TABLE k.t (p int PRIMARY KEY, n counter)");
    private static final TableSchema COMPACT =
            table("CREATE TABLE k.t (p int, c int, v int, PRIMARY KEY (p, c)) WITH COMPACT STORAGE");

    private static TableSchema table(String cql) {
        return CqlSchema.parse(cql, "test").tables().iterator().next();
    }

    private static TableSchema alter(TableSchema table, String... statements) {
        TableSchema altered = table;
        for (String statement : statements) {
            TableAlteration alteration = TableAlteration.parse(statement.replaceAll("(^|; )T ", "$1ALTER TABLE k.t "));
            assertThat(alteration.qualifiedName()).isEqualTo("k.t");
            altered = alteration.applyTo(altered, NOW);
        }
        return altered;
    }

    private static Column column(TableSchema table, String name) {
        return table.column(name).orElseThrow();
    }

    @Test
    void shouldAddColumns() {
        TableSchema altered =
                alter(TABLE, "T ADD b int, a set<frozen<u>>, st text static;", "T ADD (d frozen<u>, e u)");

        assertThat(column(altered, "b").type()).isEqualTo(CqlTypes.INT);
        assertThat(column(altered, "a").type().cqlName()).isEqualTo("set<frozen<u>>");
        assertThat(column(altered, "st").kind()).isEqualTo(Column.Kind.STATIC);
        assertThat(column(altered, "d").type()).isEqualTo(column(TABLE, "f").type());
        assertThat(column(altered, "e").type()).isEqualTo(column(TABLE, "w").type());
        assertThat(column(altered, "c").type().isReversed()).isTrue();
        assertThat(altered.options()).isEqualTo(TABLE.options());
        assertThat(table(SchemaText.print(altered))).isEqualTo(altered);
    }

    @Test
    void shouldAddColumnsOfTypesThatTheTextBrings() {
        TableSchema altered = alter(FLAT, "USE k; CREATE TYPE x (a int); ALTER TABLE t ADD v2 frozen<x>;");

        assertThat(column(altered, "v2").type().cqlName()).isEqualTo("frozen<x>");
        assertThat(table(SchemaText.print(altered))).isEqualTo(altered);
    }

    @Test
    void shouldDropAColumnAndKeepWhatItsOldCellsNeed() {
        TableSchema altered = alter(TABLE, "T DROP v", "T DROP (s, m) USING TIMESTAMP 77");

        assertThat(column(altered, "v").dropped()).isTrue();
        assertThat(column(altered, "v").dropTimeMicros()).isEqualTo(NOW);
        assertThat(column(altered, "m").dropTimeMicros()).isEqualTo(77);
        assertThat(column(altered, "s").dropTimeMicros()).isEqualTo(77);
        assertThat(table(SchemaText.print(altered))).isEqualTo(altered);
    }

    @Test
    void shouldAddADroppedColumnAgainWithItsDropTime() {
        TableSchema altered = alter(
                TABLE,
                "T DROP (v, m, f)",
                "T ADD v int",
                "T ADD (m map<int, blob>, f frozen<u>)",
                "T DROP v USING TIMESTAMP 3");

        assertThat(column(altered, "v").dropTimeMicros()).isEqualTo(NOW);
        assertThat(column(altered, "m").dropped()).isFalse();
        assertThat(column(altered, "m").dropTimeMicros()).isEqualTo(NOW);
        assertThat(table(SchemaText.print(altered))).isEqualTo(altered);
    }

    @Test
    void shouldRenameColumnsOfThePrimaryKey() {
        TableSchema altered = alter(TABLE, "T RENAME p TO id AND c TO \"At\"");

        assertThat(altered.partitionKey()).extracting(Column::name).containsExactly("id");
        assertThat(altered.clustering()).extracting(Column::name).containsExactly("At");
        assertThat(column(altered, "At").type().isReversed()).isTrue();
        assertThat(table(SchemaText.print(altered))).isEqualTo(altered);
    }

    @Test
    void shouldChangeTheOptionsThatAreNamedAlone() {
        TableSchema altered = alter(
                TABLE,
                "T WITH gc_grace_seconds = 9 AND compaction = {'class': 'LeveledCompactionStrategy'}"
                        + " AND default_time_to_live = 60 AND compression = {'enabled': 'false'}");

        assertThat(altered.options().gcGraceSeconds()).isEqualTo(9);
        assertThat(altered.options().compaction()).isEqualTo(Map.of("class", "LeveledCompactionStrategy"));
        assertThat(altered.options().compression()).isEqualTo(Map.of("enabled", "false"));
        assertThat(altered.options().others()).isEqualTo(Map.of("comment", "here", "default_time_to_live", "60"));
        assertThat(altered.options().bloomFilterFpChance()).isEqualTo(0.2);
    }

    @Test
    void shouldLeaveAloneWhatIsThereOrNotThereWhenTheTextSaysSo() {
        assertThat(alter(TABLE, "T ADD IF NOT EXISTS v text", "T DROP IF EXISTS x", "T RENAME IF EXISTS x TO y"))
                .isEqualTo(TABLE);
        assertThat(TableAlteration.parse("ALTER TABLE IF EXISTS k.t DROP v").saysIfExists())
                .isTrue();
        assertThat(TableAlteration.parse("ALTER TABLE k.t DROP IF EXISTS v").saysIfExists())
                .isFalse();
    }

    @Test
    void shouldMakeTheChangesOfTheBuilder() {
        TableAlteration alteration = TableAlteration.of("k.t")
                .userType("x", new LinkedHashMap<>(Map.of("a", "int")))
                .addColumn("n", "list<frozen<x>>")
                .addStaticColumn("st", "int")
                .dropColumn("v")
                .renameColumn("p", "id")
                .options(options -> options.withGcGraceSeconds(3));

        TableSchema altered = alteration.applyTo(TABLE, NOW);

        assertThat(altered)
                .isEqualTo(alter(
                        TABLE,
                        "CREATE TYPE k.x (a int); ALTER TABLE k.t ADD n list<frozen<x>>, st int static",
                        "T DROP v",
                        "T RENAME p TO id",
                        "T WITH gc_grace_seconds = 3"));
        assertThat(alteration.applyTo(TABLE, NOW)).isEqualTo(altered);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            T ADD v int                                    | column is there already
            T ADD p int                                    | column is there already
            T ADD x int, x int                             | column is there already
            T ADD x counter                                | counter is added to a table of other columns
            T ADD x unknown                                | unknown type
            T ADD x list<list<int>>                        | type within a collection must be frozen
            T DROP p                                       | column of the primary key cannot be dropped
            T DROP c                                       | column of the primary key cannot be dropped
            T DROP x                                       | no such column
            T DROP w                                       | user-defined type that is not frozen cannot be dropped
            T DROP v USING TIMESTAMP 1.5                   | a whole number is wanted here
            T DROP v USING TIMESTAMP -9223372036854775808  | timestamp is reserved for none
            T RENAME v TO x                                | only columns of the primary key can be renamed
            T RENAME p TO v                                | column is there already
            T RENAME x TO y                                | no such column
            T RENAME p TO c AND c TO p                     | column is there already
            T ALTER v TYPE bigint                          | the type of a column cannot be changed
            T ALTER v DROP MASKED                          | a store keeps no masks
            T ALTER v MASKED WITH DEFAULT                  | a store keeps no masks
            T ADD x int MASKED WITH DEFAULT                | a store keeps no masks
            T DROP COMPACT STORAGE                         | COMPACT STORAGE cannot be dropped
            T WITH id = 5a1c395e-b41f-11e5-9f22-ba0be0483c18 | the id of a table cannot be changed
            T WITH CLUSTERING ORDER BY (c ASC)             | this can be said when a table is created
            T WITH COMPACT STORAGE                         | this can be said when a table is created
            T WITH gc_grace_seconds = soon                 | a whole number is wanted here
            T WITH gc_grace_seconds = -1                   | option=gc_grace_seconds, value=-1
            DROP TABLE k.t                                 | mismatched input
            CREATE TABLE k.t (p int PRIMARY KEY)           | a single ALTER TABLE is wanted here
            T ADD x int; T ADD y int                       | a single ALTER TABLE is wanted here
            ALTER TABLE t ADD x int                        | name without a keyspace
            CREATE TYPE k.x (a int)                        | an ALTER TABLE is wanted here
            CREATE TYPE k.u (z int); T ADD x u             | user-defined type has other fields in another column
            """)
    void shouldRefuse(String statement, String reason) {
        assertThatThrownBy(() -> alter(TABLE, statement))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            v     | T ADD v bigint         | a type whose values the new one cannot read
            v     | T ADD v blob           | a type whose values the new one cannot read
            v     | T ADD v varint         | a type whose values the new one cannot read
            v     | T ADD v int static     | column was dropped as one of another kind
            s     | T ADD s text           | column was dropped as one of another kind
            s     | T ADD s int static     | a type whose values the new one cannot read
            m     | T ADD m frozen<map<int, text>> | a type whose values the new one cannot read
            m     | T ADD m map<text, text>        | a type whose values the new one cannot read
            v     | T RENAME p TO v        | column cannot be renamed to one that was dropped
            v     | T DROP v               | no such column
            """)
    void shouldRefuseAfterADrop(String dropped, String statement, String reason) {
        TableSchema before = alter(TABLE, "T DROP " + dropped);

        assertThatThrownBy(() -> alter(before, statement))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining(reason)
                .hasMessageContaining("table=k.t, column=");
    }

    @Test
    void shouldRefuseWhatTheKindOfTableForbids() {
        assertThatThrownBy(() -> alter(FLAT, "T ADD x int static"))
                .hasMessageContaining("static column is added to a table without clustering columns");
        assertThatThrownBy(() -> alter(COUNTERS, "T ADD x int"))
                .hasMessageContaining("column that is no counter is added to a table of counters");
        assertThatThrownBy(() -> alter(COUNTERS, "T ADD o counter", "T DROP n", "T ADD n counter"))
                .hasMessageContaining("counter that was dropped cannot be added again");
        assertThatThrownBy(() -> alter(COMPACT, "T ADD x int")).hasMessageContaining("COMPACT STORAGE");
        assertThat(alter(COUNTERS, "T ADD o counter").regularColumns())
                .extracting(Column::name)
                .isEqualTo(List.of("n", "o"));
    }
}
