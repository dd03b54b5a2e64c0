package io.anneal.sstable.bti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.anneal.io.ByteWriter;
import io.anneal.io.OutputFile;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.management.ManagementFactory;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.IntUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TrieWriterTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    @TempDir
    private Path directory;

    /** Writes tries one after the other into one file, with other bytes before each, and reads them back. */
    private TrieWalk assertWritten(List<? extends Collection<byte[]>> tries, int bytesBetween) throws IOException {
        Path path = directory.resolve("tries-" + System.identityHashCode(tries));
        List<Long> roots = new ArrayList<>();
        try (OutputFile file = OutputFile.open(path, OutputFile.CREATE_NEW)) {
            TrieWriter writer = new TrieWriter(file);
            for (Collection<byte[]> keys : tries) {
                file.write(new byte[bytesBetween], 0, bytesBetween);
                for (byte[] key : keys) {
                    ByteWriter payload = payload(key);
                    writer.add(key, key.length, payload.lengthBytes(), payload);
                }
                roots.add(writer.complete());
            }
            file.sync();
        }
        TrieWalk walk = new TrieWalk(Files.readAllBytes(path), IntUnaryOperator.identity());
        for (int i = 0; i < roots.size(); i++) {
            List<TrieWalk.Entry> expected = tries.get(i).stream()
                    .map(key -> new TrieWalk.Entry(
                            HEX.formatHex(key),
                            payload(key).lengthBytes(),
                            HEX.formatHex(payload(key).toByteArray())))
                    .toList();
            assertThat(walk.entries(roots.get(i))).isEqualTo(expected);
        }
        return walk;
    }

    /** One to fifteen bytes that depend on the key. */
    private static ByteWriter payload(byte[] key) {
        int hash = Arrays.hashCode(key);
        ByteWriter payload = new ByteWriter(15);
        for (int i = 0; i <= (hash & 0xFFFF) % 15; i++) {
            payload.writeByte(hash >>> i);
        }
        return payload;
    }

    private static byte[] bytes(String key) {
        return key.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Test
    void shouldWriteOneKeyOfAnyLengthWhenItIsAlone() throws IOException {
        assertWritten(List.of(List.of(bytes("")), List.of(bytes("a")), List.of(bytes("abc"))), 0);
    }

    @Test
    void shouldWriteKeysThatBeginOthers() throws IOException {
        assertWritten(List.of(List.of(bytes(""), bytes("a"), bytes("ab"), bytes("abcdef"), bytes("b"))), 3);
    }

    @Test
    void shouldWriteKeysThatAreMuchLongerThanAPage() throws IOException {
        byte[] shorter = new byte[70_000];
        byte[] longer = new byte[150_000];
        longer[69_999] = 1;
        byte[] other = new byte[70_000];
        other[5] = 1;
        assertWritten(List.of(List.of(shorter, longer, other)), 1);
    }

    @Test
    void shouldWriteAllBranchesWhenEveryByteHasOne() throws IOException {
        List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < 256 * 256; i++) {
            keys.add(new byte[] {(byte) (i >> 8), (byte) i});
        }
        assertThat(assertWritten(List.of(keys), 0).types()).contains(0, 10, 12);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldReadBackRandomKeys(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        List<TreeSet<byte[]>> tries = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            tries.add(randomKeys(random, 1 << random.nextInt(13)));
        }
        assertWritten(tries, random.nextInt(5000));
    }

    /** Keys with few or many different bytes and lengths, some with long common beginnings. */
    private static TreeSet<byte[]> randomKeys(SplittableRandom random, int count) {
        TreeSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
        int alphabet = 1 << 1 + random.nextInt(8);
        int lengthMax = random.nextBoolean() ? 1 + random.nextInt(12) : 1 + random.nextInt(200);
        byte[] key = {};
        for (int i = 0; i < count; i++) {
            int kept = random.nextBoolean() ? random.nextInt(key.length + 1) : 0;
            key = Arrays.copyOf(key, Math.max(kept, random.nextInt(lengthMax + 1)));
            for (int j = kept; j < key.length; j++) {
                key[j] = (byte) (random.nextInt(alphabet) * (256 / alphabet));
            }
            keys.add(key);
        }
        return keys;
    }

    @Test
    void shouldUseTheSameObjectsForTheNextTrie() throws IOException {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (OutputFile file = OutputFile.open(directory.resolve("file"), OutputFile.CREATE_NEW)) {
            TrieWriter writer = new TrieWriter(file);
            writeEvenly(writer, 100_000);
            long before = threads.getCurrentThreadAllocatedBytes();
            writeEvenly(writer, 100_000);
            // Less than an object for ten keys: nodes that had no payload before get room for one.
            assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(300_000);
        }
    }

    private static void writeEvenly(TrieWriter writer, int count) throws IOException {
        byte[] key = new byte[Long.BYTES];
        ByteWriter payload = payload(key);
        for (int i = 0; i < count; i++) {
            LONG.set(key, 0, i * (Long.MAX_VALUE / count));
            writer.add(key, key.length, payload.lengthBytes(), payload);
        }
        writer.complete();
    }

    @Test
    void shouldRefuseKeysThatDoNotAscend() throws IOException {
        try (OutputFile file = OutputFile.open(directory.resolve("file"), OutputFile.CREATE_NEW)) {
            TrieWriter writer = new TrieWriter(file);
            writer.add(bytes("ab"), 2, 1, payload(bytes("x")));

            for (String key : List.of("", "a", "ab", "aa")) {
                assertThatThrownBy(() -> writer.add(bytes(key), key.length(), 1, payload(bytes("x"))))
                        .as(key)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("key of a trie out of order, lengthBytes=" + key.length());
            }
        }
    }

    private static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 1);
        return LongStream.range(first, first + 6);
    }
}
