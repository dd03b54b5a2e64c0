package io.anneal.sstable.bti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.anneal.io.ByteWriter;
import io.anneal.io.OutputFile;
import io.anneal.sstable.CorruptSSTableException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrieCursorTest {
    private static final int[] POINTER_BITS = {0, 4, 8, 12, 16, 8, 12, 16, 24, 40, 12, 16, 24, 32, 40, 64};

    @TempDir
    private Path directory;

    private FileChannel channel;

    @AfterEach
    void close() throws IOException {
        if (channel != null) {
            channel.close();
        }
    }

    private TrieCursor cursor(Path file, long root) throws IOException {
        channel = FileChannel.open(file);
        TrieCursor cursor = new TrieCursor(new TriePages(file, channel, channel.size()));
        cursor.reset(root);
        return cursor;
    }

    private TrieCursor cursor(byte[] trie, long root) throws IOException {
        return cursor(Files.write(directory.resolve("trie"), trie), root);
    }

    private static ByteWriter bytes(byte[] key) {
        ByteWriter bytes = new ByteWriter(key.length + 1);
        bytes.writeBytes(key);
        return bytes;
    }

    private static String hex(TrieCursor cursor) {
        return HexFormat.of().formatHex(cursor.way().toByteArray());
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldFindNeighboursAmongRandomKeys(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        TreeSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
        int letters = 1 << random.nextInt(1, 9);
        for (int i = 0; i < 3000; i++) {
            keys.add(key(random, letters));
        }
        TrieCursor cursor = written(keys);

        List<String> expected = keys.stream().map(HexFormat.of()::formatHex).toList();
        List<String> forward = new ArrayList<>();
        cursor.first();
        do {
            forward.add(hex(cursor));
            assertThat(cursor.isLast()).isEqualTo(forward.size() == keys.size());
        } while (cursor.next());
        assertThat(forward).isEqualTo(expected);
        List<String> backward = new ArrayList<>();
        cursor.last();
        do {
            backward.add(0, hex(cursor));
        } while (cursor.previous());
        assertThat(backward).isEqualTo(expected);
        for (int i = 0; i < 3000; i++) {
            byte[] probe = key(random, letters);
            byte[] floor = keys.floor(probe);
            assertThat(cursor.seekFloor(bytes(probe))).isEqualTo(floor != null);
            if (floor != null) {
                assertThat(hex(cursor)).isEqualTo(HexFormat.of().formatHex(floor));
                assertThat(cursor.leadsTo(bytes(probe))).isEqualTo(isBeginning(floor, probe));
                byte[] higher = keys.higher(floor);
                assertThat(cursor.next()).isEqualTo(higher != null);
            }
        }
    }

    private static byte[] key(SplittableRandom random, int letters) {
        byte[] key = new byte[random.nextInt(7)];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) random.nextInt(letters);
        }
        return key;
    }

    private static boolean isBeginning(byte[] left, byte[] right) {
        return left.length <= right.length && Arrays.mismatch(left, 0, left.length, right, 0, left.length) < 0;
    }

    private TrieCursor written(Iterable<byte[]> keys) throws IOException {
        Path path = directory.resolve("written");
        long root;
        try (OutputFile file = OutputFile.open(path, OutputFile.CREATE_NEW)) {
            TrieWriter writer = new TrieWriter(file);
            ByteWriter payload = bytes(new byte[] {1});
            for (byte[] key : keys) {
                writer.add(key, key.length, 1, payload);
            }
            root = writer.complete();
            file.sync();
        }
        return cursor(path, root);
    }

    /** Two leaves, then a node of the type with a child for 61 and, if it can have two, one for 63. */
    private static byte[] twoLeaves(int type) {
        ByteWriter out = new ByteWriter(64);
        out.writeBytes(new byte[] {1, 11, 1, 22});
        boolean dense = type >= 10;
        out.writeByte(type << 4 | (type == 1 ? 2 : 0));
        long[] distances = type < 5 ? new long[] {2} : dense ? new long[] {4, 0, 2} : new long[] {4, 2};
        if (type == 3) {
            out.writeBytes(new byte[] {2, 0x61});
            return out.toByteArray();
        }
        if (dense) {
            out.writeBytes(new byte[] {0x61, 2});
        } else if (type >= 5) {
            out.writeBytes(new byte[] {2, 0x61, 0x63});
        } else {
            out.writeByte(0x61);
        }
        if (type > 1) {
            writePointers(distances, POINTER_BITS[type], out);
        }
        return out.toByteArray();
    }

    private static void writePointers(long[] distances, int bits, ByteWriter out) {
        StringBuilder all = new StringBuilder();
        for (long distance : distances) {
            for (int bit = bits - 1; bit >= 0; bit--) {
                all.append(distance >>> bit & 1);
            }
        }
        while (all.length() % 8 != 0) {
            all.append('0');
        }
        for (int i = 0; i < all.length(); i += 8) {
            out.writeByte(Integer.parseInt(all.substring(i, i + 8), 2));
        }
    }

    @ParameterizedTest(name = "type={0}")
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
    void shouldReadEveryTypeOfNode(int type) throws IOException {
        TrieCursor cursor = cursor(twoLeaves(type), 4);

        cursor.first();
        assertThat(hex(cursor)).isEqualTo("61");
        assertThat(cursor.node().payloadNumber(0, 1)).isEqualTo(type < 5 ? 22 : 11);
        assertThat(cursor.next()).isEqualTo(type >= 5);
        assertThat(cursor.seekFloor(bytes(new byte[] {0x62, 0}))).isTrue();
        assertThat(hex(cursor)).isEqualTo("61");
        assertThat(cursor.seekFloor(bytes(new byte[] {0x60}))).isFalse();
        assertThat(cursor.seekFloor(bytes(new byte[] {(byte) 0xFF}))).isTrue();
        assertThat(hex(cursor)).isEqualTo(type < 5 ? "61" : "63");
        assertThat(cursor.isLast()).isTrue();
        assertThat(cursor.previous()).isEqualTo(type >= 5);
    }

    /** @param trie whose root begins at {@code root} */
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "child does not lie before its node, 01 0b 50 01 61 00, 2, child of the node does not lie before it",
        "child lies before the file, 01 0b 50 01 61 09, 2, child of the node does not lie before it",
        "child of 64 bits lies behind, 01 0b f0 61 00 ff ff ff ff ff ff ff fe, 2, child of the node does not lie",
        "no child at all, 01 0b 50 00, 2, out of order",
        "transitions descend, 01 0b 50 02 63 61 02 02, 2, out of order",
        "transitions leave a byte, 01 0b b0 ff 01 00 02 00 02, 2, out of order",
        "node is cut, 01 0b 50 05 61, 2, two pages",
        "head is cut, 01 0b 50, 2, two pages",
        "leaf without payload, 00 0b 50 01 61 02, 2, neither children nor payload"
    })
    void shouldRefuseANode(String what, String trie, long root, String reason) throws IOException {
        TrieCursor cursor = cursor(HexFormat.ofDelimiter(" ").parseHex(trie), root);
        assertThatExceptionOfType(CorruptSSTableException.class)
                .isThrownBy(cursor::first)
                .withMessageContaining(reason)
                .withMessageContaining("trie");
        assertThatExceptionOfType(CorruptSSTableException.class).isThrownBy(cursor::last);
    }

    @Test
    void shouldRefuseANodeThatCrossesAPage() throws IOException {
        byte[] trie = new byte[TriePages.PAGE_BYTES + 100];
        trie[0] = 1;
        int root = TriePages.PAGE_BYTES - 3;
        trie[root] = 0x40;
        trie[root + 1] = 0x61;
        trie[root + 2] = (byte) (root >> 8);
        trie[root + 3] = (byte) root;
        TrieCursor cursor = cursor(trie, root);
        assertThatExceptionOfType(CorruptSSTableException.class)
                .isThrownBy(cursor::first)
                .withMessageContaining("two pages");
    }

    @Test
    void shouldRefuseAWayThatNoKeyTakes() throws IOException {
        byte[] trie = new byte[3 * 1024 * 1024];
        trie[0] = 1;
        for (int at = 2; at < trie.length; at += 2) {
            trie[at] = 0x12;
        }
        TrieCursor cursor = cursor(trie, trie.length - 2);
        assertThatExceptionOfType(CorruptSSTableException.class)
                .isThrownBy(cursor::last)
                .withMessageContaining("too deep");
        assertThat(cursor.way().capacityBytes()).isLessThanOrEqualTo(2 * 1024 * 1024);
    }

    private static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 1);
        return LongStream.range(first, first + 4);
    }
}
