package io.anneal.fragment;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class MutationTranslatorTest {
    private static final TableSchema SCHEMA = TableSchema.builder("ks", "t")
            .partitionKey("k", "int")
            .clustering("c", "int")
            .staticColumn("s", "text")
            .staticColumn("ß", "text")
            .column("a", "text")
            .column("é", "text")
            .column("l", "set<text>")
            .column("ñ", "set<text>")
            .build();
    private static final DecoratedKey KEY = DecoratedKey.of(new byte[] {0, 0, 0, 1});

    /** Every column has its name as its value, and a complex one two such cells and a deletion. */
    private static byte[] row(TableSchema schema, boolean isStatic, List<String> names) {
        Row row = new Row();
        row.clear(isStatic);
        if (!isStatic) {
            row.clustering().wrap(Clustering.of(new byte[] {0, 0, 0, 7}));
        }
        row.liveness(1, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        for (Column column : isStatic ? schema.staticColumns() : schema.regularColumns()) {
            if (!names.contains(column.name())) {
                continue;
            }
            byte[] name = column.name().getBytes(StandardCharsets.UTF_8);
            if (!column.isComplex()) {
                row.addCell(column.index(), 2, name, 0, name.length);
                continue;
            }
            row.addComplexDeletion(column.index(), 3, 4);
            for (byte element = 0; element < 2; element++) {
                row.addCell(column.index(), 5, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
                byte[] path = {element, 'p'};
                row.path(path, 0, path.length);
                row.value(new byte[0], 0, 0);
            }
        }
        ByteWriter out = new ByteWriter(64);
        new CanonicalEncoder(schema, CanonicalEncoder.UNCLAMPED).row(new KeyView().wrap(KEY), row, out);
        return out.toByteArray();
    }

    @Test
    void shouldBringColumnsOfEarlierReleasesIntoOrder() throws CorruptItemException {
        TableSchema former = SCHEMA.inFormerOrder();
        MutationTranslator translator = new MutationTranslator(former, SCHEMA);
        for (List<String> names : List.of(
                List.of("s", "ß", "a", "é", "l", "ñ"),
                List.of("ß", "é", "ñ"),
                List.of("s", "a", "l"),
                List.of("a", "ñ"),
                List.<String>of())) {
            for (boolean isStatic : new boolean[] {false, true}) {
                byte[] written = row(former, isStatic, names);

                Mutation translated = translator.translate(new Mutation(KEY, written));

                assertThat(translated.bytes()).as(names.toString()).isEqualTo(row(SCHEMA, isStatic, names));
            }
        }
    }

    @Test
    void shouldGiveBackWhatNeedsNoTranslation() throws CorruptItemException {
        Mutation mutation = new Mutation(KEY, row(SCHEMA, false, List.of("a", "é")));

        assertThat(new MutationTranslator(SCHEMA, SCHEMA).translate(mutation)).isSameAs(mutation);
    }
}
