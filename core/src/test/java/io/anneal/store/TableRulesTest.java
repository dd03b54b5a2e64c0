package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableSchema;
import io.anneal.schema.UnsupportedTypeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TableRulesTest {
    private static TableSchema accepted(String text) {
        return TableRules.accepted(TableRules.only(CqlSchema.parse(text, "text")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TABLE k.t (id int PRIMARY KEY)",
                "CREATE TYPE k.u (a int); CREATE TABLE k.t (p int, c frozen<u>, s u static, PRIMARY KEY (p, c))",
                "CREATE TABLE k.t (id int PRIMARY KEY, hits counter)",
                "CREATE TABLE k.t (p int, c int, v int, PRIMARY KEY (p, c)) WITH COMPACT STORAGE",
                "CREATE TABLE k.t (p int PRIMARY KEY, v int) WITH COMPACT STORAGE",
                "CREATE TABLE k.t (p int PRIMARY KEY, v counter) WITH COMPACT STORAGE",
                "CREATE TABLE k.t (p int PRIMARY KEY, v duration)"
            })
    void shouldAcceptWhatCanBeHeld(String text) {
        assertThat(accepted(text).qualifiedName()).isEqualTo("k.t");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            CREATE TABLE k.t (id int PRIMARY KEY) WITH cdc = true       | captured (cdc), which a store does not do, table=k.t
            CREATE TABLE k.t (id int PRIMARY KEY, v int static)         | static column in a table without clustering, table=k.t, column=v
            CREATE TABLE k.t (id int PRIMARY KEY, v int, hits counter)  | counters and other columns are in one table, table=k.t
            CREATE TABLE k.t (id duration PRIMARY KEY)                  | column cannot be in the primary key, table=k.t, column=id, type=duration
            CREATE TABLE k.t (p int, c duration, PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c DESC) | primary key, table=k.t, column=c
            CREATE TABLE k."a/b" (id int PRIMARY KEY)                   | table=a/b, lengthMax=213
            CREATE TABLE "k.k".t (id int PRIMARY KEY)                   | keyspace=k.k, lengthMax=48
            CREATE TABLE k.t (id int PRIMARY KEY) WITH default_time_to_live = 700000000 | default_time_to_live=700000000
            CREATE TABLE k.t (id int PRIMARY KEY) WITH compression = {'class': 'NoSuch'} | table=k.t
            CREATE TYPE k.u (a int)                                     | text does not describe one table, tables=[]
            CREATE TABLE k.t (id int PRIMARY KEY); CREATE TABLE k.s (id int PRIMARY KEY) | tables=[k.t, k.s]
            CREATE TABLE k.t (id int PRIMARY KEY); CREATE MATERIALIZED VIEW k.v AS SELECT * FROM k.t WHERE id IS NOT NULL PRIMARY KEY (id) | feeds materialized views, which a store does not keep, table=k.t
            """)
    void shouldNameWhatIsRefused(String text, String message) {
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> accepted(text))
                .withMessageContaining(message);
    }

    @Test
    void shouldNameTheTypeThatIsNotHandled() {
        assertThatExceptionOfType(UnsupportedTypeException.class)
                .isThrownBy(() -> accepted("CREATE TABLE k.t (id int PRIMARY KEY, v 'com.example.MyType')"))
                .withMessageContaining("com.example.MyType")
                .withMessageContaining("table=k.t");
    }

    @Test
    void shouldGiveATableOfABuilderCassandrasGcGrace() {
        TableSchema table =
                TableSchema.builder("k", "t").partitionKey("id", "int").build();
        assertThat(TableRules.accepted(table).options().gcGraceSeconds()).isEqualTo(864_000);
        assertThat(accepted("CREATE TABLE k.t (id int PRIMARY KEY) WITH gc_grace_seconds = 5")
                        .options()
                        .gcGraceSeconds())
                .isEqualTo(5);
    }

    @Test
    void shouldKnowIfNotExists() {
        CqlSchema text = CqlSchema.parse("CREATE TABLE IF NOT EXISTS k.t (id int PRIMARY KEY)", "text");
        assertThat(text.saysIfNotExists(TableRules.only(text))).isTrue();
        CqlSchema plain = CqlSchema.parse("CREATE TABLE k.t (id int PRIMARY KEY)", "text");
        assertThat(plain.saysIfNotExists(TableRules.only(plain))).isFalse();
    }
}
