package io.anneal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TypeCompatibilityTest {
    private static CqlType type(String name) {
        String text = "CREATE TYPE k.one (a int); CREATE TYPE k.two (a int); CREATE TABLE k.t (a int PRIMARY KEY, v "
                + name + ")";
        return CqlSchema.parse(text, "types.cql")
                .tables()
                .iterator()
                .next()
                .column("v")
                .orElseThrow()
                .type();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "text | ascii",
                "varint | int",
                "varint | bigint",
                "bigint | timestamp",
                "timestamp | bigint",
                "date | int",
                "time | bigint",
                "uuid | timeuuid",
                "blob | text",
                "blob | frozen<set<int>>",
                "list<text> | list<ascii>",
                "frozen<set<varint>> | frozen<set<int>>",
                "map<int, blob> | map<int, text>",
                "frozen<map<varint, int>> | frozen<map<int, int>>",
                "tuple<int, text, int> | tuple<int, ascii>",
                "vector<int, 2> | vector<int, 2>",
                "vector<blob, 2> | vector<text, 2>",
                "one | one",
            })
    void shouldReadWhatCassandraLetsATypeBecome(String newer, String older) {
        assertThat(type(newer).reads(type(older))).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ascii | text",
                "int | varint",
                "int | date",
                "blob | counter",
                "blob | list<int>",
                "list<int> | frozen<list<int>>",
                "set<varint> | set<int>",
                "map<blob, int> | map<int, int>",
                "tuple<int> | tuple<int, int>",
                "one | two",
                "vector<int, 3> | vector<int, 2>",
                "vector<varint, 2> | vector<int, 2>",
                "set<int> | list<int>",
                "frozen<set<int>> | frozen<list<int>>",
            })
    void shouldNotReadWhatIsOfAnotherKind(String newer, String older) {
        assertThat(type(newer).reads(type(older))).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "text | ascii | true",
                "blob | text | true",
                "blob | int | false",
                "varint | int | false",
                "uuid | timeuuid | false",
                "tuple<text, int> | tuple<ascii> | true",
                "frozen<set<blob>> | frozen<set<int>> | false",
                "frozen<set<text>> | frozen<set<ascii>> | true",
            })
    void shouldSortOnlyWhatHasTheSameOrder(String newer, String older, boolean expected) {
        assertThat(type(newer).sorts(type(older))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"false", "true"})
    void shouldReadAUserTypeThatHadFewerFields(boolean frozen) {
        CqlType older = CqlTypes.userType("k", "u", java.util.List.of("a"), java.util.List.of(CqlTypes.INT));
        CqlType newer = CqlTypes.userType(
                "k", "u", java.util.List.of("b", "c"), java.util.List.of(CqlTypes.VARINT, CqlTypes.TEXT));
        assertThat((frozen ? newer.frozen() : newer).reads(frozen ? older.frozen() : older))
                .isTrue();
        assertThat((frozen ? older.frozen() : older).reads(frozen ? newer.frozen() : newer))
                .isFalse();
        assertThat(CqlTypes.reversed(newer.frozen()).reads(CqlTypes.reversed(older.frozen())))
                .isTrue();
        assertThat(CqlTypes.reversed(newer.frozen()).reads(older.frozen())).isFalse();
    }
}
