package io.anneal.bench.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentKind;
import io.anneal.io.ByteWriter;
import java.util.HexFormat;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class GeneratedMutationsTest {
    private static final int ROWS = 500;
    private static final long SEED = Long.getLong("anneal.seed", 7);

    @ParameterizedTest
    @EnumSource
    void shouldHoldTheRowsThatTheCursorDraws(TableShape shape) {
        TreeSet<String> drawn = new TreeSet<>();
        try (GeneratedCursor cursor = GeneratedCursor.of(shape, ROWS, SEED)) {
            CanonicalEncoder encoder = new CanonicalEncoder(shape.schema(), CanonicalEncoder.UNCLAMPED);
            ByteWriter partition = new ByteWriter(2048);
            FragmentKind kind;
            while ((kind = cursor.advance()) != null) {
                switch (kind) {
                    case PARTITION_START -> partition.clear();
                    case CLUSTERING_ROW -> encoder.row(cursor.key(), cursor.row(), partition);
                    default -> drawn.add(HexFormat.of().formatHex(partition.toByteArray()));
                }
            }
        }

        GeneratedMutations mutations = new GeneratedMutations(shape, SEED);
        TreeSet<String> built = new TreeSet<>();
        for (long i = 0; i < ROWS / shape.rowsPerPartition(); i++) {
            assertThat(mutations.mutation(i).key()).isEqualTo(GeneratedMutations.key(i));
            built.add(HexFormat.of().formatHex(mutations.mutation(i).bytes()));
        }
        assertThat(built).isEqualTo(drawn);
    }
}
