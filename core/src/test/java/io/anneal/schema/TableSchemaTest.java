package io.anneal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableSchemaTest {
    private static final String BASE =
            "CREATE TYPE k.u (f int); CREATE TABLE k.t (p int, c int, s int static, v text, w u,"
                    + " PRIMARY KEY (p, c)) WITH comment = 'x' AND gc_grace_seconds = 10;"
                    + " ALTER TABLE k.t ADD d int; ALTER TABLE k.t DROP d USING TIMESTAMP 5";

    private static TableSchema parse(String text) {
        return CqlSchema.parse(text, "schema.cql").tables().iterator().next();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            (p int, c int | (p bigint, c int | partition key column 1 differs, here=p int, there=p bigint
            p int, c int  | p int, e int     | clustering column 1 differs
            PRIMARY KEY (p, c) | PRIMARY KEY ((p, c)) | clustering column 1 differs, here=c int, there=none
            WITH          | WITH CLUSTERING ORDER BY (c DESC) AND | clustering column 1 differs, here=c int, there=c int descending
            s int static  | s int            | column s differs, here=static int, there=regular int
            v text        | v blob           | column v differs, here=regular text, there=regular blob
            v text,       | v text, n int,   | column n differs, here=none, there=regular int
            (f int)       | (f text)         | column w differs
            TIMESTAMP 5   | TIMESTAMP 6      | column d differs, here=regular int, dropped at 5, there=regular int, dropped at 6
            SECONDS = 10  | SECONDS = 11     | gc_grace_seconds differs, here=10, there=11
            """)
    void shouldNameFirstDifferenceWhenRowsCouldNotBeCompared(String find, String replacement, String difference) {
        String base = BASE.replace("gc_grace_seconds", "gc_grace_SECONDS");
        TableSchema left = parse(base);
        String changed = base.replace(find, replacement);
        TableSchema right = parse(changed.contains("e int,") ? changed.replace("(p, c)", "(p, e)") : changed);

        assertThat(left.differenceFrom(right))
                .hasValueSatisfying(d -> assertThat(d).startsWith(difference));
        assertThat(left.fingerprint()).isNotEqualTo(right.fingerprint());
        assertThat(left).isNotEqualTo(right);
    }

    @Test
    void shouldFindNoDifferenceWhenOnlyStorageDiffers() {
        TableSchema left = parse(BASE);
        TableSchema right =
                parse(BASE.replace("'x'", "'y' AND compression = {'enabled': 'false'} AND min_index_interval = 3"));

        assertThat(left.differenceFrom(right)).isEmpty();
        assertThat(left.fingerprint()).isEqualTo(right.fingerprint()).hasSize(32);
        assertThat(left).isNotEqualTo(right).isEqualTo(parse(BASE)).hasSameHashCodeAs(parse(BASE));
    }

    @Test
    void shouldRefuseTableWhenKeyIsMissingOrNamesRepeat() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TableSchema.builder("k", "t").build())
                .withMessageContaining("k.t");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TableSchema.builder("k", "t")
                        .column("a", CqlTypes.INT, Column.Kind.PARTITION_KEY)
                        .column("a", CqlTypes.INT, Column.Kind.REGULAR)
                        .build())
                .withMessageContaining("column=a");
    }
}
