package io.anneal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The texts under snapshots and keyspace.cql were written by Cassandra 5.0: nodetool snapshot and cqlsh DESCRIBE. */
class CqlSchemaTest {
    static String resource(String name) {
        try (InputStream in = CqlSchemaTest.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static TableSchema snapshot(String table) {
        return CqlSchema.parse(resource("snapshots/" + table + ".cql"), table + ".cql")
                .table("corpus", table)
                .orElseThrow();
    }

    private static TableSchema only(String text) {
        CqlSchema schema = CqlSchema.parse(text, "schema.cql");
        assertThat(schema.tables()).hasSize(1);
        return schema.tables().iterator().next();
    }

    private static List<String> names(List<Column> columns) {
        return columns.stream().map(Column::name).toList();
    }

    @Test
    void shouldReadKeyOrderAndStaticsWhenSnapshotHasThem() {
        TableSchema table = snapshot("clustered");

        assertThat(names(table.partitionKey())).containsExactly("p1", "p2");
        assertThat(names(table.clustering())).containsExactly("c1", "c2", "c3");
        assertThat(table.clustering()).extracting(c -> c.type().isReversed()).containsExactly(true, false, true);
        assertThat(table.clustering().get(0).type().className())
                .isEqualTo(
                        "org.apache.cassandra.db.marshal.ReversedType(org.apache.cassandra.db.marshal.TimestampType)");
        assertThat(names(table.staticColumns())).containsExactly("s1", "s2");
        assertThat(names(table.regularColumns())).containsExactly("v1", "v2", "v3");
        assertThat(table.id()).hasValueSatisfying(id -> assertThat(id).hasSize(36));
    }

    @Test
    void shouldPutSimpleColumnsBeforeComplexOnesWhenBothArePresent() {
        assertThat(names(snapshot("collections").regularColumns()))
                .containsExactly("fl", "fm", "fs", "v", "l", "m", "nested", "st");
    }

    @Test
    void shouldKeepDroppedColumnsWhenSnapshotListsThem() {
        TableSchema table = snapshot("dropped");

        assertThat(table.column("keep").orElseThrow().dropped()).isFalse();
        assertThat(table.column("keep").orElseThrow().dropTimeMicros()).isEqualTo(Column.NEVER_DROPPED);
        Column gone = table.column("gone").orElseThrow();
        assertThat(gone.dropped()).isTrue();
        assertThat(gone.dropTimeMicros()).isEqualTo(1795225102343000L);
        assertThat(table.column("gone_m").orElseThrow().isComplex()).isTrue();
        assertThat(table.column("gone_s").orElseThrow().kind()).isEqualTo(Column.Kind.STATIC);
    }

    @Test
    void shouldKeepDropTimeWhenColumnCameBack() {
        Column column = snapshot("readded").column("v").orElseThrow();

        assertThat(column.dropped()).isFalse();
        assertThat(column.dropTimeMicros()).isEqualTo(1795225103158000L);
        assertThat(column.type()).isEqualTo(CqlTypes.INT);
    }

    @Test
    void shouldNameUserTypesAsHeadersDoWhenTheyNest() {
        TableSchema table = snapshot("udts");
        String text = "org.apache.cassandra.db.marshal.UTF8Type";
        String addrHead = "org.apache.cassandra.db.marshal.UserType(corpus,61646472,737472656574:" + text
                + ",7a6970:org.apache.cassandra.db.marshal.Int32Type,74616773:";
        String set = "org.apache.cassandra.db.marshal.SetType(" + text + ")";

        assertThat(table.column("u").orElseThrow().type().className())
                .isEqualTo(addrHead + "org.apache.cassandra.db.marshal.FrozenType(" + set + "))");
        assertThat(table.column("fu").orElseThrow().type().className())
                .isEqualTo("org.apache.cassandra.db.marshal.FrozenType(" + addrHead + set + "))");
        assertThat(table.column("t").orElseThrow().type().cqlName())
                .isEqualTo("frozen<tuple<int, text, frozen<list<int>>>>");
    }

    @Test
    void shouldReadOptionsWhenTheyAreGiven() {
        TableOptions options = snapshot("ttl_default").options();

        assertThat(options.gcGraceSeconds()).isEqualTo(3600);
        assertThat(options.bloomFilterFpChance()).isEqualTo(0.01);
        assertThat(options.minIndexInterval()).isEqualTo(128);
        assertThat(options.cdc()).isFalse();
        assertThat(options.compression())
                .isEqualTo(
                        Map.of("chunk_length_in_kb", "16", "class", "org.apache.cassandra.io.compress.LZ4Compressor"));
        assertThat(options.compaction()).containsEntry("enabled", "false");
        assertThat(options.others())
                .containsEntry("default_time_to_live", "86400")
                .containsEntry("speculative_retry", "99p")
                .containsEntry("comment", "")
                .containsEntry("extensions", "{}")
                .containsEntry("caching", "{'keys': 'ALL', 'rows_per_partition': 'NONE'}");
    }

    @Test
    void shouldTakeCassandrasDefaultsWhenOptionsAreMissing() {
        TableOptions options = only("CREATE TABLE k.t (a int PRIMARY KEY)").options();
        TableOptions leveled = only("CREATE TABLE k.t (a int PRIMARY KEY) WITH compaction ="
                        + " {'class': 'LeveledCompactionStrategy'} AND compression = {}")
                .options();

        assertThat(options.gcGraceSeconds()).isEqualTo(864_000);
        assertThat(options.compression()).isEmpty();
        assertThat(options.bloomFilterFpChance()).isEqualTo(0.01);
        assertThat(leveled.bloomFilterFpChance()).isEqualTo(0.1);
        assertThat(leveled.compression()).isEqualTo(Map.of("enabled", "false"));
    }

    @Test
    void shouldReadAllTablesWhenTextIsAWholeKeyspace() {
        CqlSchema schema = CqlSchema.parse(resource("keyspace.cql"), "keyspace.cql");

        assertThat(schema.tables()).hasSize(50);
        assertThat(schema.refusals()).isEmpty();
        assertThat(schema.table("corpus", "absent")).isEmpty();
        // Given in a comment too: what stands outside of it counts.
        assertThat(schema.table("corpus", "compact_dense").orElseThrow().id()).isEmpty();
    }

    @Test
    void shouldFoldCaseAndKeepItInQuotes() {
        TableSchema table = only("create table Ks.\"Ta\"\"ble\" (A INT, \"B c\" Text, primary key (a))"
                + " with COMMENT = 'it''s; -- no comment' and GC_GRACE_SECONDS = 7;");

        assertThat(table.qualifiedName()).isEqualTo("ks.Ta\"ble");
        assertThat(table.column("a")).isPresent();
        assertThat(table.column("B c")).isPresent();
        assertThat(table.options().others()).containsEntry("comment", "it's; -- no comment");
        assertThat(table.options().gcGraceSeconds()).isEqualTo(7);
    }

    @Test
    void shouldPassOverCommentsAndStatementsThatSayNothingOfRows() {
        CqlSchema schema = CqlSchema.parse("""
                -- a comment; with a semicolon
                // another
                /* CREATE TABLE not.there (a int PRIMARY KEY);
                   over lines */
                CREATE KEYSPACE ks WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
                USE ks;
                CREATE TYPE later (a frozen<inner>);
                CREATE TABLE t (
                    k text, type int, "key" int, timestamp timestamp, static int static, m text MASKED WITH DEFAULT,
                    l later,
                    PRIMARY KEY (k, type)
                ) WITH cdc = true;
                CREATE TYPE inner (b int, c list<text>);
                CREATE CUSTOM INDEX IF NOT EXISTS i ON ks.t (m) USING 'StorageAttachedIndex';
                CREATE OR REPLACE FUNCTION ks.f (x int) CALLED ON NULL INPUT RETURNS int LANGUAGE java
                    AS $$ return x; /* ; */ $$;
                CREATE MATERIALIZED VIEW ks.v AS SELECT k, type, "key" FROM ks.t WHERE k IS NOT NULL
                    PRIMARY KEY (type, k) WITH CLUSTERING ORDER BY (k DESC);;
                """, "mixed.cql");

        assertThat(schema.tables()).hasSize(1);
        TableSchema table = schema.table("ks", "t").orElseThrow();
        assertThat(table.isViewBase()).isTrue();
        ViewText view = schema.views().get("ks.v");
        assertThat(view.base()).isEqualTo("t");
        assertThat(view.partitionKey()).containsExactly("type");
        assertThat(view.clustering()).containsExactly("k");
        assertThat(view.needsLiveness(table)).isFalse();
        assertThat(schema.describesKeyspace("ks")).isTrue();
        assertThat(schema.describesKeyspace("other")).isFalse();
        assertThat(table.options().cdc()).isTrue();
        assertThat(names(table.staticColumns())).containsExactly("static");
        assertThat(table.column("l").orElseThrow().isComplex()).isTrue();
        assertThat(table.column("m").orElseThrow().type()).isEqualTo(CqlTypes.TEXT);
    }

    @Test
    void shouldTellTheKeyOfAViewWithoutItsBase() {
        ViewText view = CqlSchema.parse("""
                        CREATE MATERIALIZED VIEW IF NOT EXISTS shop."By Owner" AS
                            SELECT *
                            FROM shop.cars
                            WHERE "Owner" IS NOT NULL AND plate IS NOT NULL AND year IS NOT NULL
                            PRIMARY KEY (("Owner", year), plate)
                         WITH ID = 39784820-eb93-11f1-952e-db14b30549df
                            AND CLUSTERING ORDER BY (plate DESC)
                            AND gc_grace_seconds = 77
                            AND compaction = {'class': 'SizeTieredCompactionStrategy'};
                        """, "view.cql").views().get("shop.By Owner");
        TableSchema headers = TableSchema.builder("x", "y")
                .partitionKey("PartitionKey", "text")
                .partitionKey("PartitionKey1", "int")
                .clusteringDescending("clustering", "text")
                .column("colour", "text")
                .build();
        TableSchema schema = view.over(headers, true);

        assertThat(view.base()).isEqualTo("cars");
        assertThat(schema.qualifiedName()).isEqualTo("shop.By Owner");
        assertThat(schema.id()).contains("39784820-eb93-11f1-952e-db14b30549df");
        assertThat(schema.isView()).isTrue();
        assertThat(schema.needsLiveness()).isTrue();
        assertThat(names(schema.allColumns().toList())).containsExactly("Owner", "year", "plate", "colour");
        assertThat(schema.clustering().get(0).type().isReversed()).isTrue();
        assertThat(schema.options().gcGraceSeconds()).isEqualTo(77);
        assertThat(schema.withId("other").needsLiveness()).isTrue();
        assertThat(view.needsLiveness(
                        only("CREATE TABLE shop.cars (plate text PRIMARY KEY, year int, \"Owner\" text)")))
                .isTrue();
        assertThat(
                        view.needsLiveness(
                                only(
                                        "CREATE TABLE shop.cars (plate text, year int, \"Owner\" text, PRIMARY KEY (plate, year, \"Owner\"))")))
                .isFalse();
        assertThatThrownBy(() -> view.over(only("CREATE TABLE k.t (a int PRIMARY KEY)"), true))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("By Owner");
    }

    @Test
    void shouldApplyAlterationsInOrder() {
        TableSchema table = only("CREATE TABLE k.t (a int PRIMARY KEY, b int, c int);"
                + "ALTER TABLE k.t DROP (b, c) USING TIMESTAMP 20;"
                + "ALTER TABLE k.t ADD (b text, d int);"
                + "ALTER TABLE k.t DROP b USING TIMESTAMP 10;"
                + "ALTER TABLE k.t ADD e int, f set<int>;"
                + "ALTER TABLE k.t WITH gc_grace_seconds = 5;");

        assertThat(table.column("b").orElseThrow())
                .isEqualTo(new Column("b", CqlTypes.TEXT, Column.Kind.REGULAR, 0, 20, true));
        assertThat(names(table.regularColumns())).containsExactly("b", "c", "d", "e", "f");
        assertThat(table.options().gcGraceSeconds()).isEqualTo(5);
    }

    @Test
    void shouldFreezeInnerTypesWhenTheOuterIsFrozen() {
        TableSchema table = only("CREATE TABLE k.t (a int PRIMARY KEY, b frozen<map<int, list<set<text>>>>,"
                + " c list<tuple<int, set<int>>>, d 'org.apache.cassandra.db.marshal.LexicalUUIDType', e varchar)");

        assertThat(table.column("b").orElseThrow().type().cqlName())
                .isEqualTo("frozen<map<int, frozen<list<frozen<set<text>>>>>>");
        assertThat(table.column("c").orElseThrow().type().cqlName())
                .isEqualTo("list<frozen<tuple<int, frozen<set<int>>>>>");
        assertThat(table.column("d").orElseThrow().type()).isEqualTo(CqlTypes.LEXICAL_UUID);
        assertThat(table.column("e").orElseThrow().type()).isEqualTo(CqlTypes.TEXT);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            CREATE TABLE k.t (a int)                                            | 1:1:  | without a primary key
            CREATE TABLE t (a int PRIMARY KEY)                                  | 1:14: | without a keyspace
            CREATE TABLE k.t (a int PRIMARY KEY, a text)                        | 1:38: | declared twice
            CREATE TABLE k.t (a int PRIMARY KEY, b int PRIMARY KEY)             | 1:38: | second primary key
            CREATE TABLE k.t (a int, PRIMARY KEY (b))                           | 1:1:  | unknown column in the primary key, column=b
            CREATE TABLE k.t (a set<int> PRIMARY KEY)                           | 1:1:  | cannot be in the primary key
            CREATE TABLE k.t (a int, PRIMARY KEY (a, a))                        | 1:1:  | column twice
            CREATE TABLE k.t (a inti PRIMARY KEY)                               | 1:21: | unknown type, type=k.inti
            CREATE TABLE k.t (a int PRIMARY KEY, b list<list<int>>)             | 1:45: | must be frozen
            CREATE TABLE k.t (a int PRIMARY KEY, b map<int>)                    | 1:40: | wrong number of parameters
            CREATE TABLE k.t (a int PRIMARY KEY, b vector<int, 0>)              | 1:52: | dimension
            CREATE TABLE k.t (a int PRIMARY KEY, b list<3>)                     | 1:45: | a type is wanted
            CREATE TABLE k.t (a int PRIMARY KEY, b text<int>)                   | 1:40: | takes no parameters
            CREATE TABLE k.t (a int PRIMARY KEY) WITH gc_grace_seconds = soon   | 1:43: | a whole number is wanted
            CREATE TABLE k.t (a int PRIMARY KEY) WITH compression = 'LZ4'       | 1:43: | a map is wanted
            CREATE TABLE k.t (a int PRIMARY KEY) WITH cdc = {}                  | 1:43: | a single value
            CREATE TABLE k.t (a int PRIMARY KEY) WITH CLUSTERING ORDER BY (a DESC) | 1:1: | CLUSTERING ORDER BY
            CREATE TABLE k.t (a int PRIMARY KEY                                 | 1:36: | expecting
            CREATE TABEL k.t (a int PRIMARY KEY)                                | 1:1:  | unknown statement, word=tabel
            ALTER TABLE k.t DROP a USING TIMESTAMP 1                            | 1:1:  | unknown table
            ALTER TYPE k.u ADD b int                                            | 1:1:  | unknown type, type=k.u
            CREATE TYPE k.u (a int); ALTER TYPE k.u ADD a int                   | 1:45: | field declared twice
            CREATE TYPE k.u (a int); ALTER TYPE k.u RENAME b TO c               | 1:48: | field cannot be renamed, from=b, to=c
            CREATE TYPE k.u (a int); ALTER TYPE k.u ALTER b TYPE int            | 1:41: | type has no such field, field=b
            CREATE TABLE k.t (a int, b int, c int, d int, PRIMARY KEY (a, b)) WITH COMPACT STORAGE | 1:1: | more than one column
            CREATE TABLE k.t (a int PRIMARY KEY) WITH COMPACT STORAGE           | 1:1:  | without columns outside
            CREATE TABLE k.t (a int PRIMARY KEY, b set<int>) WITH COMPACT STORAGE | 1:1: | cannot be in a compact table, column=b
            CREATE TYPE k.u (a int); CREATE TYPE k.u (a int)                    | 1:26: | declared twice
            CREATE TYPE k.u (a frozen<u>); CREATE TABLE k.t (a int PRIMARY KEY, b u) | 1:27: | contains itself
            CREATE TABLE k.t (a 'Int32Type(' PRIMARY KEY)                       | 1:21: | text ends within parentheses
            /* CREATE                                                           | 1:1:  | extraneous
            """)
    void shouldSayFileLineColumnAndReasonWhenTextIsWrong(String text, String position, String reason) {
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> CqlSchema.parse(text, "bad.cql"))
                .withMessageStartingWith("bad.cql:" + position)
                .withMessageContaining(reason);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DROP b",
                "DROP a USING TIMESTAMP 1",
                "DROP c USING TIMESTAMP 1",
                "DROP b USING TIMESTAMP 1.5",
                "ADD b int",
                "RENAME b TO z",
                "RENAME a TO b",
                "ALTER c TYPE text",
                "ALTER b TYPE text"
            })
    void shouldRefuseAlterationThatCannotBeFollowed(String alteration) {
        String text = "CREATE TABLE k.t (a int PRIMARY KEY, b int);\nALTER TABLE k.t " + alteration;

        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> CqlSchema.parse(text, "bad.cql"))
                .withMessageStartingWith("bad.cql:2:");
    }

    @ParameterizedTest
    @ValueSource(strings = {"dropped", "udts"})
    void shouldThrowNothingElseWhenTextIsCutAnywhere(String table) {
        String text = resource("snapshots/" + table + ".cql");

        for (int length = 0; length < text.length(); length++) {
            try {
                CqlSchema.parse(text.substring(0, length), "cut.cql");
            } catch (SchemaException e) {
                assertThat(e.getMessage()).startsWith("cut.cql:");
            }
        }
    }

    @Test
    void shouldKeepFirstWhenSnapshotsInOneTextBringTheSameTypes() {
        String text = resource("snapshots/udts.cql") + resource("snapshots/udt_key.cql");

        assertThat(CqlSchema.parse(text, "both.cql").tables())
                .extracting(TableSchema::name)
                .containsExactly("udts", "udt_key");
    }

    @Test
    void shouldRefuseOnlyTheTableWhenATypeIsNotSupported() {
        CqlSchema schema = CqlSchema.parse(
                "CREATE TABLE k.t (a 'com.example.OddType' PRIMARY KEY); ALTER TABLE k.t ADD b int;"
                        + " CREATE TABLE k.u (a int PRIMARY KEY); ALTER TABLE k.u ADD b 'DynamicCompositeType(a=>LongType)';"
                        + " CREATE TABLE k.w (a int PRIMARY KEY)",
                "schema.cql");

        assertThat(schema.tables()).extracting(TableSchema::name).containsExactly("w");
        assertThat(schema.refusals().get("k.t")).contains("com.example.OddType", "table=k.t", "at=schema.cql:1");
        assertThat(schema.refusals()).containsKey("k.u");
    }

    @Test
    void shouldFollowAlterationsOfOlderVersions() {
        TableSchema table = only("CREATE TABLE k.t (a int, b ascii, c timestamp, d int, PRIMARY KEY (a, b))"
                + " WITH CLUSTERING ORDER BY (b DESC);"
                + "ALTER TABLE k.t RENAME a TO \"A\" AND b TO z;"
                + "ALTER TABLE k.t ALTER z TYPE text; ALTER TABLE k.t ALTER c TYPE bigint;"
                + "ALTER TABLE k.t ALTER d MASKED WITH DEFAULT; ALTER TABLE k.t ALTER d DROP MASKED;");

        assertThat(names(table.partitionKey())).containsExactly("A");
        assertThat(table.clustering().get(0).name()).isEqualTo("z");
        assertThat(table.clustering().get(0).type()).isEqualTo(CqlTypes.reversed(CqlTypes.TEXT));
        assertThat(table.column("c").orElseThrow().type()).isEqualTo(CqlTypes.BIGINT);
    }

    @Test
    void shouldKeepTheNewTypeWhenAColumnCameBackWithACompatibleOne() {
        TableSchema table = only("CREATE TABLE k.t (a int PRIMARY KEY, v int);"
                + "ALTER TABLE k.t DROP v USING TIMESTAMP 12; ALTER TABLE k.t ADD v varint;");

        assertThat(table.column("v").orElseThrow())
                .isEqualTo(new Column("v", CqlTypes.VARINT, Column.Kind.REGULAR, 0, 12, false));
        assertThat(CqlTypes.VARINT.reads(CqlTypes.INT)).isTrue();
    }

    @Test
    void shouldReadTypesInAnyOrderWithTheirAlterations() {
        TableSchema table = only(
                "USE k; CREATE TABLE t (a int PRIMARY KEY, o outer_, f frozen<outer_>);"
                        + "CREATE TYPE outer_ (x frozen<inner_>, y map<text, frozen<list<inner_>>>);"
                        + "CREATE TYPE inner_ (p int);"
                        + "ALTER TYPE inner_ ADD q text; ALTER TYPE inner_ RENAME p TO r; ALTER TYPE inner_ ALTER r TYPE varint;");

        CqlType inner = table.column("o").orElseThrow().type().components().get(0);
        assertThat(inner.fieldNames()).containsExactly("r", "q");
        assertThat(inner.components()).containsExactly(CqlTypes.VARINT, CqlTypes.TEXT);
        assertThat(inner.isMultiCell()).isFalse();
        assertThat(table.column("o").orElseThrow().isComplex()).isTrue();
        assertThat(table.column("f").orElseThrow().type().components().get(1).isMultiCell())
                .isFalse();
    }
}
