package io.anneal.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FormerColumnOrderException;
import io.anneal.sstable.UnsupportedSSTableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Wrong bytes under right checksums, as a faulty writer would leave them: never more than an error that says where. */
class DecodingFuzzTest {
    private static final int ROUNDS = 600;

    @TempDir
    private Path directory;

    private static void scanAndVerify(Descriptor descriptor, String where) {
        try (DataReader reader = SampleSSTables.open(descriptor)) {
            SampleSSTables.rows(descriptor);
            reader.verify();
        } catch (CorruptSSTableException | UnsupportedSSTableException e) {
            assertThat(e.getMessage()).as(where).contains("file=");
        } catch (FormerColumnOrderException e) {
            // A name may become one that once had another place.
            assertThat(e.getMessage()).as(where).contains("sstable=");
        } catch (IOException | RuntimeException | OutOfMemoryError | StackOverflowError e) {
            throw new AssertionError(where, e);
        }
    }

    private static void spoil(byte[] bytes, int from, int to, Random random) {
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            bytes[from + random.nextInt(to - from)] = (byte) random.nextInt();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "empties, nb-1-big",
        "deletions, nb-2-big",
        "collections, nb-1-big",
        "clustered, nb-1-big",
        "wide, nb-1-big"
    })
    void shouldOnlyFailTypedWhenDataIsWrong(String table, String sstable) throws IOException {
        long seed = Long.getLong("anneal.seed", System.nanoTime());
        Random random = new Random(seed);
        Descriptor descriptor = SampleSSTables.copy(table, sstable, directory);
        SampleSSTables.uncompress(descriptor);
        byte[] right = SampleSSTables.bytes(descriptor, Component.DATA);
        int rounds = right.length > 50_000 ? ROUNDS / 10 : ROUNDS;
        for (int round = 0; round < rounds; round++) {
            byte[] wrong = right.clone();
            spoil(wrong, 0, Math.min(wrong.length, 4096), random);
            SampleSSTables.writeUncompressed(descriptor, wrong);
            scanAndVerify(descriptor, "seed=" + seed + ", round=" + round);
        }
    }

    @ParameterizedTest
    @CsvSource({"clustered, nb-1-big", "collections, nb-1-big"})
    void shouldOnlyFailTypedWhenStatisticsAreWrong(String table, String sstable) throws IOException {
        long seed = Long.getLong("anneal.seed", System.nanoTime());
        Random random = new Random(seed);
        Descriptor descriptor = SampleSSTables.copy(table, sstable, directory);
        byte[] right = SampleSSTables.bytes(descriptor, Component.STATISTICS);
        ByteBuffer toc = ByteBuffer.wrap(right);
        int parts = toc.getInt();
        for (int round = 0; round < ROUNDS; round++) {
            byte[] wrong = right.clone();
            int part = random.nextInt(parts);
            int from = toc.getInt(8 + 8 * part + 4);
            int end = (part + 1 < parts ? toc.getInt(8 + 8 * (part + 1) + 4) : right.length) - 4;
            spoil(wrong, from, end, random);
            byte[] body = Arrays.copyOfRange(wrong, from, end);
            ByteBuffer.wrap(wrong).putInt(end, (int) SampleSSTables.crc(body));
            SampleSSTables.overwrite(descriptor.file(Component.STATISTICS), wrong);
            scanAndVerify(descriptor, "seed=" + seed + ", round=" + round);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"FrozenType(", "ListType(", "ReversedType(", "TupleType(Int32Type,"})
    void shouldNameTheFileWhenATypeOfTheHeaderIsTooDeep(String opening) throws IOException {
        Descriptor descriptor = SampleSSTables.copy("clustered", "nb-1-big", directory);
        byte[] right = SampleSSTables.bytes(descriptor, Component.STATISTICS);
        ByteBuffer toc = ByteBuffer.wrap(right);
        int header = toc.getInt(8 + 8 * (toc.getInt(0) - 1) + 4);
        ByteReader minima = new ByteReader(Arrays.copyOfRange(right, header, right.length));
        for (int i = 0; i < 3; i++) {
            minima.readUnsignedVInt();
        }
        ByteWriter wrong = new ByteWriter(right.length);
        wrong.writeBytes(right, header, minima.offset());
        byte[] type = (opening.repeat(100_000) + "Int32Type" + ")".repeat(100_000)).getBytes(StandardCharsets.US_ASCII);
        wrong.writeUnsignedVInt(type.length);
        wrong.writeBytes(type, 0, type.length);
        byte[] body = wrong.toByteArray();
        ByteBuffer file = ByteBuffer.allocate(header + body.length + Integer.BYTES)
                .put(right, 0, header)
                .put(body)
                .putInt((int) SampleSSTables.crc(body));
        SampleSSTables.overwrite(descriptor.file(Component.STATISTICS), file.array());

        assertThatThrownBy(() -> SampleSSTables.rows(descriptor))
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("Statistics.db")
                .hasMessageMatching("(?s).*(nested too deeply|class name is too long).*");
    }
}
