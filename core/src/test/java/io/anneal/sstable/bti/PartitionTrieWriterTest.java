package io.anneal.sstable.bti;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.io.ByteWriter;
import io.anneal.io.OutputFile;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.Partitioner;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PartitionTrieWriterTest {
    @TempDir
    private Path directory;

    private byte[] write(List<DecoratedKey> keys, List<Long> positions) throws IOException {
        Path path = directory.resolve("Partitions.db");
        try (OutputFile file = OutputFile.open(path, OutputFile.CREATE_NEW)) {
            PartitionTrieWriter writer = new PartitionTrieWriter(file, Partitioner.MURMUR3);
            KeyView view = new KeyView();
            for (int i = 0; i < keys.size(); i++) {
                writer.add(view.wrap(keys.get(i)), positions.get(i));
            }
            writer.finish();
        }
        return Files.readAllBytes(path);
    }

    private static List<TrieWalk.Entry> entries(byte[] file) {
        TrieWalk walk = new TrieWalk(file, flags -> flags - 8 + 2);
        return walk.entries(ByteBuffer.wrap(file).getLong(file.length - Long.BYTES));
    }

    @Test
    void shouldStoreNothingOfAKeyThatIsAlone() throws IOException {
        DecoratedKey key = DecoratedKey.of("k".getBytes(StandardCharsets.UTF_8));

        byte[] file = write(List.of(key), List.of(~0L));

        String hash = HexFormat.of().toHexDigits((byte) new KeyView().wrap(key).secondHash());
        assertThat(entries(file)).containsExactly(new TrieWalk.Entry("", 8, hash + "ff"));
        // Node, hash and position; both keys with their lengths; where the keys begin, how many there are, the root.
        assertThat(HexFormat.of().formatHex(file))
                .isEqualTo("08" + hash + "ff" + "00016b" + "00016b" + "0000000000000003" + "0000000000000001"
                        + "0000000000000000");
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldStoreOfEachKeyWhatTellsItFromItsNeighbours(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        TreeSet<DecoratedKey> sorted = new TreeSet<>();
        int count = 1 << random.nextInt(13);
        for (int i = 0; i < count; i++) {
            byte[] bytes = new byte[random.nextInt(9)];
            random.nextBytes(bytes);
            // Few tokens, so that the key's bytes must tell them apart.
            long token = random.nextInt(4) == 0 ? random.nextInt(5) : random.nextLong();
            sorted.add(new DecoratedKey(token, bytes));
        }
        List<DecoratedKey> keys = List.copyOf(sorted);
        List<Long> positions = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            positions.add(random.nextLong() >> random.nextInt(64));
        }

        byte[] file = write(keys, positions);

        List<TrieWalk.Entry> entries = entries(file);
        assertThat(entries).hasSameSizeAs(keys);
        for (int i = 0; i < keys.size(); i++) {
            String whole = comparable(keys.get(i));
            String stored = entries.get(i).key();
            int needed = Math.max(
                    i == 0 ? 0 : distinctBytes(whole, comparable(keys.get(i - 1))),
                    i == keys.size() - 1 ? 0 : distinctBytes(whole, comparable(keys.get(i + 1))));
            assertThat(stored).isEqualTo(whole.substring(0, 2 * needed));
            byte[] payload = HexFormat.of().parseHex(entries.get(i).payload());
            assertThat(payload[0])
                    .isEqualTo((byte) new KeyView().wrap(keys.get(i)).secondHash());
            long position = payload[1];
            for (int j = 2; j < payload.length; j++) {
                position = position << 8 | payload[j] & 0xFF;
            }
            assertThat(position).isEqualTo(positions.get(i));
        }
        ByteBuffer footer = ByteBuffer.wrap(file);
        int keysPosition = (int) footer.getLong(file.length - 24);
        assertThat(footer.getLong(file.length - 16)).isEqualTo(keys.size());
        footer.position(keysPosition);
        assertThat(readKey(footer)).isEqualTo(keys.get(0).bytes());
        assertThat(readKey(footer)).isEqualTo(keys.get(keys.size() - 1).bytes());
        assertThat(footer.position()).isEqualTo(file.length - 24);
    }

    private static String comparable(DecoratedKey key) {
        ByteWriter out = new ByteWriter(64);
        ComparableEncoder.writeKey(new KeyView().wrap(key), out);
        return HexFormat.of().formatHex(out.toByteArray());
    }

    private static int distinctBytes(String left, String right) {
        HexFormat hex = HexFormat.of();
        return 1 + Arrays.mismatch(hex.parseHex(left), hex.parseHex(right));
    }

    private static byte[] readKey(ByteBuffer in) {
        byte[] key = new byte[in.getShort() & 0xFFFF];
        in.get(key);
        return key;
    }

    private static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 1);
        return LongStream.range(first, first + 4);
    }
}
