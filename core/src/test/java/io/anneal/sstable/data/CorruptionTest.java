package io.anneal.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentKind;
import io.anneal.io.UnsupportedVersionException;
import io.anneal.key.TokenRange;
import io.anneal.sstable.Component;
import io.anneal.sstable.Compression;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.UnsupportedSSTableException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every byte of every component flipped, every component cut at every length: an error that says where, or the right rows. */
class CorruptionTest {
    /** Of the larger SSTables not each byte of a long file is tried, but each so-manieth; a prime, to meet every field. */
    private static final int STEP_OF_LONG_FILES = 23;

    private static final int LONG_FILE_BYTES = 1024;

    @TempDir
    private Path directory;

    /** What one way of reading did: nothing, an error that it should throw. Everything else fails the test. */
    private enum Outcome {
        RIGHT,
        REFUSED
    }

    private interface Reading {
        void run() throws IOException;
    }

    /** What an SSTable holds while nothing is wrong with it. */
    private record Content(List<String> all, List<String> partitions) {
        static Content of(Descriptor descriptor) throws IOException {
            List<String> all = SampleSSTables.rows(descriptor);
            List<String> partitions =
                    all.stream().filter(row -> row.startsWith("partition")).toList();
            return new Content(all, partitions);
        }

        String lastPartition() {
            return partitions.get(partitions.size() - 1);
        }

        long lastToken() {
            String last = lastPartition();
            return Long.parseLong(last.substring("partition ".length(), last.indexOf(':')));
        }
    }

    private static Outcome outcome(String where, Reading reading) {
        try {
            reading.run();
            return Outcome.RIGHT;
        } catch (CorruptSSTableException | UnsupportedSSTableException | UnsupportedVersionException e) {
            assertThat(e.getMessage()).as(where).contains("file=");
            return Outcome.REFUSED;
        } catch (IOException | RuntimeException | OutOfMemoryError | StackOverflowError e) {
            throw new AssertionError(where, e);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "empties, nb-1-big, false, 1",
        "empties, nb-1-big, true, 1",
        "deletions, nb-2-big, false, 23",
        "comp_none, nb-1-big, false, 23",
        "collections, nb-1-big, false, 23",
        "clustered, nb-1-big, true, 23"
    })
    void shouldDetectOrSurviveEveryFlippedByte(String table, String sstable, boolean uncompress, int stepOfLongFiles)
            throws IOException {
        Descriptor descriptor = SampleSSTables.copy(table, sstable, directory);
        if (uncompress) {
            SampleSSTables.uncompress(descriptor);
        }
        Content expected = Content.of(descriptor);
        for (Component component : SampleSSTables.components(descriptor)) {
            byte[] right = SampleSSTables.bytes(descriptor, component);
            TreeSet<Integer> undetected = new TreeSet<>();
            int step = right.length > LONG_FILE_BYTES ? stepOfLongFiles : 1;
            for (int at = 0; at < right.length; at += step) {
                for (int mask : masks(right, at)) {
                    byte[] wrong = right.clone();
                    wrong[at] ^= (byte) mask;
                    SampleSSTables.overwrite(descriptor.file(component), wrong);
                    String where = component + " byte " + at + " mask " + mask;
                    if (tryAll(descriptor, component, expected, where) == Outcome.RIGHT) {
                        undetected.add(at);
                    }
                }
            }
            SampleSSTables.overwrite(descriptor.file(component), right);
            requireDetected(component, right, undetected);
        }
    }

    private static int[] masks(byte[] right, int at) {
        int bit = 1 << (at & 7);
        return right.length > LONG_FILE_BYTES ? new int[] {bit} : new int[] {bit, 0xFF};
    }

    /** Many entries of the summary, promoted indexes, many chunks; only the files that have no checksums. */
    @Test
    void shouldNeverBeMisledByWrongIndexes() throws IOException {
        Descriptor descriptor = SyntheticData.sstable(directory, 300, 12, Compression.LZ4);
        Content expected = Content.of(descriptor);
        for (Component component : List.of(Component.INDEX, Component.SUMMARY, Component.COMPRESSION_INFO)) {
            byte[] right = SampleSSTables.bytes(descriptor, component);
            int step = Math.max(1, right.length / 150);
            for (int at = 0; at < right.length; at += step) {
                byte[] wrong = right.clone();
                wrong[at] ^= (byte) (1 << (at % 7));
                SampleSSTables.overwrite(descriptor.file(component), wrong);
                String where = component + " byte " + at;
                Outcome outcome = tryAll(descriptor, component, expected, where);
                boolean maxCompressedLength = component == Component.COMPRESSION_INFO && at >= 23 && at < 27;
                assertThat(outcome).as(where).isIn(Outcome.REFUSED, maxCompressedLength ? Outcome.RIGHT : null);
            }
            SampleSSTables.overwrite(descriptor.file(component), right);
        }
    }

    @ParameterizedTest
    @CsvSource({"empties, nb-1-big", "deletions, nb-2-big", "comp_none, nb-1-big"})
    void shouldDetectEveryCut(String table, String sstable) throws IOException {
        Descriptor descriptor = SampleSSTables.copy(table, sstable, directory);
        Content expected = Content.of(descriptor);
        for (Component component : SampleSSTables.components(descriptor)) {
            byte[] right = SampleSSTables.bytes(descriptor, component);
            for (int length = 0;
                    length < right.length;
                    length += right.length > LONG_FILE_BYTES ? STEP_OF_LONG_FILES : 1) {
                SampleSSTables.overwrite(descriptor.file(component), Arrays.copyOf(right, length));
                String where = component + " cut to " + length;
                Outcome outcome = tryAll(descriptor, component, expected, where);
                boolean onlyLineEnd = component == Component.TOC && length == right.length - 1;
                assertThat(outcome).as(where).isEqualTo(onlyLineEnd ? Outcome.RIGHT : Outcome.REFUSED);
            }
            SampleSSTables.overwrite(descriptor.file(component), Arrays.copyOf(right, right.length + 1));
            String where = component + " with a byte behind it";
            assertThat(tryAll(descriptor, component, expected, where)).as(where).isEqualTo(Outcome.REFUSED);
            SampleSSTables.overwrite(descriptor.file(component), right);
        }
    }

    /** Scans, skips and verifies; the outcome is that of verifying. */
    private static Outcome tryAll(Descriptor descriptor, Component component, Content expected, String where) {
        Outcome scan = outcome(
                where + " scan",
                () -> assertThat(SampleSSTables.rows(descriptor)).as(where).isEqualTo(expected.all));
        boolean notForScans = component == Component.INDEX
                || component == Component.SUMMARY
                || component == Component.FILTER
                || component == Component.TOC
                || component == Component.DIGEST;
        if (component == Component.DATA) {
            assertThat(scan).as(where).isEqualTo(Outcome.REFUSED);
        } else if (notForScans) {
            assertThat(scan).as(where).isEqualTo(Outcome.RIGHT);
        }
        if (component == Component.INDEX || component == Component.SUMMARY) {
            outcome(
                    where + " skip",
                    () -> assertThat(firstFrom(descriptor, expected.lastToken()))
                            .as(where)
                            .isEqualTo(expected.lastPartition()));
            outcome(
                    where + " next",
                    () -> assertThat(skipThrough(descriptor)).as(where).isEqualTo(expected.partitions));
        }
        return outcome(where + " verify", () -> {
            try (DataReader reader = SampleSSTables.open(descriptor)) {
                reader.verify();
            }
        });
    }

    /** What is found first from a token on, jumped to. */
    private static String firstFrom(Descriptor descriptor, long token) throws IOException {
        try (DataReader reader = SampleSSTables.open(descriptor)) {
            return SampleSSTables.rows(reader, new TokenRange.Linear(token, Long.MAX_VALUE))
                    .get(0);
        }
    }

    /** All partitions, each skipped through Index as soon as it is begun. */
    private static List<String> skipThrough(Descriptor descriptor) throws IOException {
        List<String> starts = new ArrayList<>();
        try (DataReader reader = SampleSSTables.open(descriptor);
                DataCursor cursor = reader.scan(reader.headerSchema(), TokenRange.Linear.ALL)) {
            cursor.skipBySizeBytes(-1);
            FragmentKind kind;
            while ((kind = cursor.advance()) != null) {
                starts.add(SampleSSTables.text(cursor, kind));
                cursor.nextPartition();
            }
        }
        return starts;
    }

    /** Files with checksums hide nothing; of the others, what a flip can hide is listed here. */
    private static void requireDetected(Component component, byte[] right, TreeSet<Integer> undetected) {
        switch (component) {
            case DATA, STATISTICS, DIGEST, INDEX, TOC ->
                assertThat(undetected).as(component.name()).isEmpty();
            // The length of chunks, when there is only one.
            case CRC -> assertThat(undetected).as(component.name()).isSubsetOf(0, 1, 2, 3);
            // maxCompressedLength, when no chunk is near it.
            case COMPRESSION_INFO -> assertThat(undetected).as(component.name()).isSubsetOf(23, 24, 25, 26);
            // The interval, when there is only one entry, and the sampling level, which makes any interval right.
            case SUMMARY -> assertThat(undetected).as(component.name()).isSubsetOf(0, 1, 2, 3, 16, 17, 18, 19);
            // A smaller number of hashes, and bits that no key asks for.
            case FILTER -> assertThat(undetected).as(component.name()).allMatch(at -> at == 3 || at >= 8);
        }
    }
}
