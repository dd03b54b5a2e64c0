package io.anneal.fragment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.key.DecoratedKey;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class MutationTest {
    private static final TableSchema SCHEMA = CqlSchema.parse(
                    "CREATE TABLE ks.t (id text, at int, PRIMARY KEY (id, at));", "test")
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
