package io.anneal.sstable.bti;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentKind;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.data.DataCursor;
import io.anneal.sstable.data.DataReader;
import io.anneal.sstable.data.SampleSSTables;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Wrong bytes in Partitions and Rows, which have no checksums: a scan never sees them, reads by key and by token are right or
 * refused, and verifying refuses, but where the bytes are no part of what is found through them.
 */
class CorruptTrieTest {
    @TempDir
    Path directory;

    private record Wanted(DecoratedKey key, Clustering row, String text) {}

    /** What an SSTable holds, and questions to ask. */
    private record Content(List<String> all, List<String> partitions, List<Wanted> rows) {
        static Content of(Descriptor descriptor, int everyRow) throws IOException {
            List<Wanted> rows = new ArrayList<>();
            try (DataReader reader = SampleSSTables.open(descriptor);
                    DataCursor scan = reader.scan(reader.headerSchema(), TokenRange.Linear.ALL)) {
                int count = 0;
                while (scan.advance() != null) {
                    if (scan.kind() == FragmentKind.CLUSTERING_ROW && count++ % everyRow == 0) {
                        Clustering row = scan.row().clustering().copy();
                        String text = SampleSSTables.text(scan, FragmentKind.CLUSTERING_ROW);
                        rows.add(new Wanted(scan.key().toDecoratedKey(), row, text));
                    }
                }
            }
            List<String> all = SampleSSTables.rows(descriptor);
            List<String> partitions =
                    all.stream().filter(r -> r.startsWith("partition")).toList();
            return new Content(all, partitions, rows);
        }
    }

    /**
     * @param step between the bytes that are changed
     * @param harmlessMax bytes without meaning, between pages, and those of a separator that still separates
     */
    @ParameterizedTest
    @CsvSource({
        "da_wide_tombs, da-1-bti, 1, 499, 12",
        "da_clustered, da-1-bti, 1, 1, 0",
        "da_comp_none, da-1-bti, 1, 1, 0",
        "da_many, da-2-bti, 211, 3001, 20"
    })
    void shouldNeverBeMisledByAWrongByte(String table, String sstable, int step, int everyRow, int harmlessMax)
            throws IOException {
        Descriptor descriptor = SampleSSTables.copy(table, sstable, directory);
        Content content = Content.of(descriptor, everyRow);
        int harmless = 0;
        for (Component component : List.of(Component.PARTITIONS, Component.ROWS)) {
            byte[] right = SampleSSTables.bytes(descriptor, component);
            for (int at = 0; at < right.length; at += step) {
                int[] masks = step > 1 ? new int[] {1 << (at & 7)} : new int[] {1 << (at & 7), 0xFF};
                for (int mask : masks) {
                    byte[] wrong = right.clone();
                    wrong[at] ^= (byte) mask;
                    SampleSSTables.overwrite(descriptor.file(component), wrong);
                    String where = component + " byte " + at + " mask " + mask;
                    requireScan(descriptor, content, where);
                    boolean refused = anyRefused(descriptor, content, where);
                    if (isVerified(descriptor)) {
                        assertThat(refused)
                                .as(where + " verifies, but reads are refused")
                                .isFalse();
                        harmless++;
                    }
                }
            }
            SampleSSTables.overwrite(descriptor.file(component), right);
        }
        assertThat(harmless).isLessThanOrEqualTo(harmlessMax);
    }

    @ParameterizedTest
    @CsvSource({"da_wide_tombs, da-1-bti, 3, 499", "da_many, da-2-bti, 613, 3001"})
    void shouldRefuseEveryCut(String table, String sstable, int step, int everyRow) throws IOException {
        Descriptor descriptor = SampleSSTables.copy(table, sstable, directory);
        Content content = Content.of(descriptor, everyRow);
        for (Component component : List.of(Component.PARTITIONS, Component.ROWS)) {
            byte[] right = SampleSSTables.bytes(descriptor, component);
            for (int length = 0; length < right.length; length += step) {
                String where = component + " cut to " + length;
                SampleSSTables.overwrite(descriptor.file(component), Arrays.copyOf(right, length));
                requireScan(descriptor, content, where);
                anyRefused(descriptor, content, where);
                assertThat(isVerified(descriptor)).as(where).isFalse();
            }
            SampleSSTables.overwrite(descriptor.file(component), Arrays.copyOf(right, right.length + 1));
            assertThat(isVerified(descriptor))
                    .as(component + " with a byte behind it")
                    .isFalse();
            SampleSSTables.overwrite(descriptor.file(component), right);
        }
    }

    private static void requireScan(Descriptor descriptor, Content content, String where) throws IOException {
        assertThat(SampleSSTables.rows(descriptor)).as(where).isEqualTo(content.all);
    }

    /** Whether a read was refused; those that were not are right. */
    private static boolean anyRefused(Descriptor descriptor, Content content, String where) throws IOException {
        boolean refused = false;
        try (DataReader reader = SampleSSTables.open(descriptor)) {
            for (Wanted wanted : content.rows) {
                Slices slices = Slices.of(Slice.of(wanted.row));
                try {
                    Optional<SSTableCursor> found = reader.read(reader.headerSchema(), wanted.key, slices, false);
                    assertThat(found).as(where).isPresent();
                    try (SSTableCursor cursor = found.get()) {
                        assertThat(SampleSSTables.rows(cursor)).as(where).contains(wanted.text);
                    }
                } catch (CorruptSSTableException e) {
                    refused = true;
                }
            }
            refused |= isJumpRefused(reader, content, where);
            refused |= isSkippingRefused(reader, content, where);
        }
        return refused;
    }

    /** Jumps to the last partition by its token. */
    private static boolean isJumpRefused(DataReader reader, Content content, String where) throws IOException {
        String last = content.partitions.get(content.partitions.size() - 1);
        long token = Long.parseLong(last.substring("partition ".length(), last.indexOf(':')));
        try {
            List<String> rows = SampleSSTables.rows(reader, new TokenRange.Linear(token, Long.MAX_VALUE));
            assertThat(rows.get(0)).as(where).isEqualTo(last);
            return false;
        } catch (CorruptSSTableException e) {
            return true;
        }
    }

    /** Skips each partition as soon as it is begun. */
    private static boolean isSkippingRefused(DataReader reader, Content content, String where) throws IOException {
        List<String> starts = new ArrayList<>();
        try (DataCursor cursor = reader.scan(reader.headerSchema(), TokenRange.Linear.ALL)) {
            cursor.skipBySizeBytes(-1);
            FragmentKind kind;
            while ((kind = cursor.advance()) != null) {
                starts.add(SampleSSTables.text(cursor, kind));
                cursor.nextPartition();
            }
            assertThat(starts).as(where).isEqualTo(content.partitions);
            return false;
        } catch (CorruptSSTableException e) {
            return true;
        }
    }

    private static boolean isVerified(Descriptor descriptor) throws IOException {
        try (DataReader reader = SampleSSTables.open(descriptor)) {
            reader.verify();
            return true;
        } catch (CorruptSSTableException e) {
            return false;
        }
    }
}
