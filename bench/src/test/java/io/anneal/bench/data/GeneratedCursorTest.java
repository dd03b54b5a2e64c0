package io.anneal.bench.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.FragmentStreamValidator;
import io.anneal.io.ByteWriter;
import io.anneal.merge.MergeCursor;
import io.anneal.sstable.SSTableVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class GeneratedCursorTest {
    private static final int ROWS = 1_000;
    private static final int PARTS = 4;
    private static final long SEED = Long.getLong("anneal.seed", 7);

    @ParameterizedTest
    @EnumSource
    void shouldDrawEveryRowOnceInAValidStream(TableShape shape) throws IOException {
        assertThat(items(GeneratedCursor.of(shape, ROWS, SEED))).hasSize(ROWS).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @EnumSource
    void shouldDrawTheSameBytesWhenTheSeedIsTheSame(TableShape shape) throws IOException {
        List<String> items = items(GeneratedCursor.of(shape, ROWS, SEED));

        assertThat(items(GeneratedCursor.of(shape, ROWS, SEED))).isEqualTo(items);
        assertThat(items(GeneratedCursor.of(shape, ROWS, SEED + 1))).isNotEqualTo(items);
    }

    @ParameterizedTest
    @EnumSource
    void shouldHoldEveryRowAndSomeTwiceWhenSplitIntoParts(TableShape shape) throws IOException {
        int versions = 0;
        List<FragmentCursor> parts = new ArrayList<>();
        for (int part = 0; part < PARTS; part++) {
            versions +=
                    items(GeneratedCursor.part(shape, ROWS, SEED, part, PARTS)).size();
            parts.add(GeneratedCursor.part(shape, ROWS, SEED, part, PARTS));
        }

        assertThat(items(MergeCursor.of(shape.schema(), parts))).hasSize(ROWS);
        assertThat(versions).isBetween(ROWS + ROWS / 8, ROWS + ROWS / 2);
    }

    @ParameterizedTest
    @EnumSource
    void shouldReadBackWhatItDrewWhenWrittenToAnSSTable(TableShape shape) throws IOException {
        try (GeneratedTable table = GeneratedTable.write(shape, ROWS, 1)) {
            assertThat(items(table.scan())).isEqualTo(items(GeneratedCursor.of(shape, ROWS, GeneratedTable.SEED)));
        }
    }

    @Test
    void shouldDrawOneWidePartitionOfRowsThatDiffer() throws IOException {
        try (GeneratedTable table = GeneratedTable.writePartitions(TableShape.SMALL_ROWS, 1, ROWS, SSTableVersion.NB)) {
            assertThat(table.readers().get(0).statistics().estimatedPartitionCount())
                    .isEqualTo(1);
            assertThat(items(table.scan())).hasSize(ROWS).doesNotHaveDuplicates();
        }
    }

    private static List<String> items(FragmentCursor source) throws IOException {
        List<String> items = new ArrayList<>();
        CanonicalEncoder encoder = new CanonicalEncoder(source.schema(), CanonicalEncoder.UNCLAMPED);
        ByteWriter out = new ByteWriter(4096);
        try (FragmentCursor cursor = FragmentStreamValidator.withValues(source)) {
            FragmentKind kind;
            while ((kind = cursor.advance()) != null) {
                if (kind == FragmentKind.CLUSTERING_ROW) {
                    out.clear();
                    encoder.row(cursor.key(), cursor.row(), out);
                    items.add(HexFormat.of().formatHex(out.array(), 0, out.lengthBytes()));
                }
            }
        }
        return items;
    }
}
