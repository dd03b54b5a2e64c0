package io.anneal.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.key.ShardRule;
import io.anneal.key.TokenRange;
import io.anneal.sstable.Compression;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.data.SyntheticData;
import io.anneal.store.directory.Formats;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShardCursorTest {
    private static final int SHARDS = 3;
    private static final int PARTITIONS = 300;

    @TempDir
    private Path directory;

    private static List<String> lines(FragmentCursor read) throws IOException {
        List<String> lines = new ArrayList<>();
        try (FragmentCursor cursor = read) {
            while (cursor.advance() != null) {
                lines.add(cursor.kind() + " " + cursor.key().toDecoratedKey());
            }
        }
        return lines;
    }

    /** Few parts, which lie far apart; many, which do not; as many as tokens. */
    @ParameterizedTest
    @ValueSource(ints = {0, 4, 32})
    void shouldReadWhatBelongsToAShard(int ignoredBits) throws IOException {
        Descriptor descriptor = SyntheticData.sstable(directory, PARTITIONS, 60, Compression.NONE);
        ShardRule rule = new ShardRule(SHARDS, ignoredBits);
        try (SSTableReader reader = Formats.open(descriptor)) {
            assertThat(reader.dataLengthBytes()).isGreaterThan(128 * 1024);
            List<List<String>> expected = new ArrayList<>();
            for (int shard = 0; shard < SHARDS; shard++) {
                expected.add(new ArrayList<>());
            }
            try (FragmentCursor all = reader.scan(reader.headerSchema(), TokenRange.Linear.ALL)) {
                while (all.advance() != null) {
                    expected.get(rule.shardOf(all.key().token()))
                            .add(all.kind() + " " + all.key().toDecoratedKey());
                }
            }
            for (int shard = 0; shard < SHARDS; shard++) {
                assertThat(expected.get(shard))
                        .filteredOn(line -> line.startsWith(FragmentKind.PARTITION_START.name()))
                        .hasSizeGreaterThan(PARTITIONS / 10);
                assertThat(lines(ShardCursor.of(
                                reader, reader.scan(reader.headerSchema(), TokenRange.Linear.ALL), rule, shard)))
                        .isEqualTo(expected.get(shard));
            }
        }
    }
}
