package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableSchema;
import io.anneal.schema.UnsupportedTypeException;
import java.util.List;
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
                "CREATE TABLE k.t (p int PRIMARY KEY, v duration)",
                "CREATE TABLE k.t (p int PRIMARY KEY, l list<duration>, m map<int, duration>)",
                "CREATE TYPE k.u (l list<int>); CREATE TABLE k.t (p int PRIMARY KEY, v frozen<u>, l list<frozen<u>>)"
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
            CREATE TABLE k.t (id frozen<list<duration>> PRIMARY KEY)    | column cannot be in the primary key, table=k.t, column=id
            CREATE TABLE k.t (id int PRIMARY KEY, v set<duration>)      | durations are no elements of sets and no keys of maps, table=k.t, column=v, type=set<duration>
            CREATE TABLE k.t (id int PRIMARY KEY, v map<duration, int>) | durations are no elements of sets and no keys of maps, table=k.t, column=v, type=map<duration, int>
            CREATE TABLE k.t (id int PRIMARY KEY, v list<frozen<set<duration>>>) | durations are no elements of sets and no keys of maps, table=k.t, column=v
            CREATE TABLE k.t (id int PRIMARY KEY, v list<counter>)      | counters are within another type, table=k.t, column=v, type=list<counter>
            CREATE TABLE k.t (id int PRIMARY KEY, v frozen<map<int, counter>>) | counters are within another type, table=k.t, column=v
            CREATE TYPE k.u (l list<int>); CREATE TABLE k.t (id int PRIMARY KEY, v u) | user-defined type that is not frozen has a field that is not either, table=k.t, column=v
            CREATE TABLE k.t (id int PRIMARY KEY, "" int)               | name of a column is empty
            CREATE TABLE k.t (id int PRIMARY KEY) WITH compaction = {}  | option of a table has a wrong value, option=compaction, value={}, allowed=a map with class
            CREATE TABLE k.t (id int PRIMARY KEY) WITH compression = {'class': 'LZ4Compressor', 'sstable_compression': 'LZ4Compressor'} | option=compression, value={class=LZ4Compressor, sstable_compression=LZ4Compressor}, allowed=only one of class and sstable_compression, table=k.t
            CREATE TABLE k.t (id int PRIMARY KEY) WITH compression = {'class': 'LZ4Compressor', 'chunk_length_kb': '16', 'chunk_length_in_kb': '16'} | allowed=only one of chunk_length_in_kb and chunk_length_kb, table=k.t
            CREATE TABLE k.t (id int PRIMARY KEY) WITH gc_grace_seconds = 1.5 | a whole number is wanted here, found=1.5
            CREATE TABLE k.t (id int PRIMARY KEY, v vector<int, 1000000000>) | a vector's dimension is wanted here, from 1 to 999999999
            CREATE TABLE k."a/b" (id int PRIMARY KEY)                   | table=a/b, lengthMax=213
            CREATE TABLE "k.k".t (id int PRIMARY KEY)                   | keyspace=k.k, lengthMax=48
            CREATE TABLE k.t (id int PRIMARY KEY) WITH default_time_to_live = 700000000 | default_time_to_live=700000000
            CREATE TABLE k.t (id int PRIMARY KEY) WITH compression = {'class': 'NoSuch'} | table=k.t
            CREATE TABLE k.t (id int PRIMARY KEY) WITH no_such = 1      | option of a table is not known, option=no_such, value=1, table=k.t
            CREATE TABLE k.t (id int PRIMARY KEY) WITH min_index_interval = 0 | option=min_index_interval, value=0, table=k.t
            CREATE TABLE k.t (id int PRIMARY KEY) WITH max_index_interval = 64 | option=min_index_interval, value=128, allowed=a whole number up to max_index_interval, 64
            CREATE TABLE k.t (id int PRIMARY KEY) WITH bloom_filter_fp_chance = 0 | option=bloom_filter_fp_chance, value=0.0, table=k.t
            CREATE TABLE k.t (id int PRIMARY KEY) WITH gc_grace_seconds = -1 | option=gc_grace_seconds, value=-1, allowed=a whole number from 0 to 2147483647, table=k.t
            CREATE TABLE k.t (id int PRIMARY KEY) WITH gc_grace_seconds = -2 | option=gc_grace_seconds, value=-2
            CREATE TABLE k.t (id int PRIMARY KEY) WITH crc_check_chance = 1.1 | option=crc_check_chance, value=1.1, allowed=from 0 to 1
            CREATE TABLE k.t (id int PRIMARY KEY) WITH speculative_retry = '101p' | option=speculative_retry, value=101p
            CREATE TABLE k.t (id int PRIMARY KEY) WITH caching = {'keys': 'some'} | option=caching, value={'keys': 'some'}
            CREATE TABLE k.t (id int PRIMARY KEY) WITH tombstone_gc = {'mode': 'never'} | modes timeout, repair, disabled, option=tombstone_gc, value={'mode': 'never'}, table=k.t
            CREATE TABLE k.t (id int PRIMARY KEY) WITH tombstone_gc = {'mode': 'repair', 'propagation_delay_in_seconds': '1h'} | no whole number from 0, option=tombstone_gc.propagation_delay_in_seconds
            CREATE TABLE k.t (id int PRIMARY KEY) WITH id = 'x'         | option=id, value=x, allowed=a UUID
            CREATE TABLE k.t (id int PRIMARY KEY, n counter) WITH default_time_to_live = 1 | option=default_time_to_live, value=1, allowed=0 where there are counters
            CREATE TABLE k.t (id int PRIMARY KEY) WITH compaction = {'class': 'NoSuch'} | option=class, value=NoSuch, table=k.t
            CREATE TABLE k.t (id int PRIMARY KEY) WITH compaction = {'min_threshold': '4'} | option=compaction, value={min_threshold=4}, allowed=a map with class
            CREATE TABLE k.t (id int PRIMARY KEY) WITH compaction = {'class': 'SizeTieredCompactionStrategy', 'min_threshold': '1'} | option=min_threshold, value=1, table=k.t
            CREATE TABLE k.t (id int PRIMARY KEY) WITH compression = {'class': 'ZstdCompressor', 'compression_level': '99'} | option=compression_level, value=99, min=-131072, max=22, table=k.t
            CREATE TABLE k.t (id int PRIMARY KEY) WITH compression = {'class': 'LZ4Compressor', 'compression_level': '3'} | option=compression_level, value=3, class=LZ4Compressor
            CREATE TABLE k.t (id int PRIMARY KEY) WITH compression = {'enabled': 'false', 'class': 'LZ4Compressor'} | allowed=nothing else where enabled is false
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
    void shouldRefuseNamesOfColumnsThatNoFileHolds() {
        for (String name : List.of("", "n".repeat(0x10000), "\ud800")) {
            assertThatExceptionOfType(SchemaException.class)
                    .isThrownBy(() -> TableRules.accepted(TableSchema.builder("k", "t")
                            .partitionKey("id", "int")
                            .column(name, "int")
                            .build()))
                    .withMessageContaining("name of a column is empty, too long or no text")
                    .withMessageContaining("table=k.t");
        }
        assertThat(TableRules.accepted(TableSchema.builder("k", "t")
                        .partitionKey("id", "int")
                        .column("n".repeat(0xFFFF), "int")
                        .build()))
                .isNotNull();
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
