package io.anneal.fragment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class MutationTest {
    private static final TableSchema SCHEMA = CqlSchema.parse(
                    "CREATE TABLE ks.t (id text, at int, v blob, PRIMARY KEY (id, at));", "test")
            .table("ks", "t")
            .orElseThrow();

    @Test
    void shouldBeTakenBackWithItsKeyFromItsBytes() throws CorruptItemException {
        DecoratedKey key = DecoratedKey.of(new byte[] {1, 2, 3});
        Mutation mutation = Mutation.builder(SCHEMA, key)
                .partitionDeletion(new DeletionTime(5, 6))
                .partitionDeletion(new DeletionTime(7, 8))
                .build();

        Mutation taken = Mutation.of(mutation.bytes());

        assertThat(taken.key()).isEqualTo(key);
        assertThat(taken.bytes()).isSameAs(mutation.bytes());
    }

    private static Row row(int at) {
        Row row = new Row();
        row.clustering().wrap(Clustering.of(new byte[] {0, 0, 0, (byte) at}));
        row.liveness(1, 5, 10);
        row.deletion(1, 2, false);
        return row;
    }

    @Test
    void shouldCountRowsAndTheCellsOfTheRowThatHasMost() {
        Mutation.Builder rows = Mutation.builder(SCHEMA, DecoratedKey.of(new byte[300]))
                .partitionDeletion(new DeletionTime(5, 6))
                .row(row(1));
        for (int at = 2; at <= 4; at++) {
            Row row = row(at);
            for (int i = 0; i < 10 * at; i++) {
                row.addCell(0, 1, new byte[i], 0, i);
            }
            rows.row(row);
        }
        byte[] items = rows.build().bytes();
        assertThat(ItemCounts.of(items)).isEqualTo(new ItemCounts(5, 40));
        // What is none is left to others.
        for (int length = 0; length < items.length; length++) {
            assertThat(ItemCounts.of(Arrays.copyOf(items, length)).rowCount()).isLessThanOrEqualTo(5);
        }
        assertThat(ItemCounts.of(new byte[1000])).isEqualTo(new ItemCounts(0, 0));
    }

    @Test
    void shouldBeLimitedByItsBytesAndByWhatRowsAndCellsTakeBeside() {
        Row row = row(1);
        for (int i = 0; i < 100; i++) {
            row.addCell(0, 1, new byte[] {1}, 0, 1);
        }
        DecoratedKey key = DecoratedKey.of(new byte[] {1});
        Mutation mutation = Mutation.builder(SCHEMA, key).row(row).row(row).build();
        int countedBytes = mutation.lengthBytes() + (2 + 100) * MutationLimit.OVERHEAD_BYTES;
        MutationLimit enough = new MutationLimit(countedBytes, ", or call");
        enough.require("ks.t", mutation);
        MutationLimit lacking = new MutationLimit(countedBytes - 1, ", or call");
        assertThatThrownBy(() -> lacking.require("ks.t", mutation))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("mutation is too large, write it in several, or call, table=ks.t, lengthBytes="
                        + mutation.lengthBytes() + ", rows=2, cellsOfARow=100, countedBytes=" + countedBytes
                        + ", maxBytes=" + (countedBytes - 1));
        int togetherBytes = 2 * mutation.lengthBytes() + (4 + 100) * MutationLimit.OVERHEAD_BYTES;
        new MutationLimit(togetherBytes, "").requireTogether(List.of(mutation, mutation));
        assertThatThrownBy(() -> new MutationLimit(togetherBytes - 1, "").requireTogether(List.of(mutation, mutation)))
                .hasMessageContainingAll("batch is too large", "mutations=2", "rows=4");
        // Before it is encoded.
        MutationLimit least = new MutationLimit(100 * MutationLimit.OVERHEAD_BYTES, "");
        assertThatThrownBy(() -> Mutation.builder(SCHEMA, key, least).row(row))
                .hasMessageContainingAll("mutation is too large", "cellsOfARow=100");
    }

    @Test
    void shouldNotBeTakenFromLessThanAHead() {
        byte[] bytes = Mutation.builder(SCHEMA, DecoratedKey.of(new byte[] {1, 2, 3}))
                .partitionDeletion(new DeletionTime(5, 6))
                .build()
                .bytes();
        for (int length = 0; length < ItemLayout.KEY_OFFSET + 3; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> Mutation.of(cut)).isInstanceOf(CorruptItemException.class);
        }
    }
}
