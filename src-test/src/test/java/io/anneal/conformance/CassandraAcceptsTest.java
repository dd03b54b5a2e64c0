package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.bench.peer.CassandraPeer;
import io.anneal.conformance.LiveRows.LiveRow;
import io.anneal.key.DecoratedKey;
import io.anneal.merge.PurgeRule;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Compression;
import io.anneal.sstable.SSTableWriter;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.Formats;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.RandomFragments;
import io.anneal.testkit.RandomFragments.Feature;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A real Cassandra over random tables that we wrote: it imports every SSTable after an extended verification, dumps what
 * we dump, reads by key, slice and scan the rows that we read, and its compaction of them, read by us, is our merge of
 * them. {@code -Danneal.seeds=N} tries more tables.
 */
@ExtendWith(SharedPeer.class)
class CassandraAcceptsTest {
    private static final String DROP_KEYSPACE = "DROP KEYSPACE IF EXISTS ks";
    private static final String CREATE_KEYSPACE =
            "CREATE KEYSPACE ks WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}";
    private static final int WIDE_ROWS = 300;
    /** Between the deletion times drawn and the longest expiry drawn, and far from both. */
    private static final long AMONG_EXPIRIES_SECONDS = RandomFragments.DELETION_BASE_SECONDS + 40_000;
    /** When everything deleted has been deleted, and some of what expires has expired. */
    private static final long READ_SECONDS =
            RandomFragments.DELETION_BASE_SECONDS + RandomFragments.DELETION_SPREAD_SECONDS;

    @TempDir
    private Path directory;

    static LongStream seeds() {
        return LongStream.range(0, Long.getLong("anneal.seeds", 10));
    }

    @BeforeEach
    void createKeyspace(CassandraPeer peer) {
        // A table's user types are those of its seed.
        peer.executeAll(List.of(DROP_KEYSPACE, CREATE_KEYSPACE));
    }

    @AfterAll
    static void dropKeyspace(CassandraPeer peer) {
        peer.execute(DROP_KEYSPACE);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldReadAndCompactWhatWeWrite(long seed, CassandraPeer peer) throws IOException {
        long nowSeconds = System.currentTimeMillis() / 1000;
        long gcGraceSeconds = List.of((long) Integer.MAX_VALUE, nowSeconds - AMONG_EXPIRIES_SECONDS, 0L)
                .get((int) (seed % 3));
        RandomFragments fragments = RandomFragments.withDistinctClusterings(
                        seed, 30, options(seed, gcGraceSeconds), seed % 5 == 1 ? Set.of(Feature.COUNTERS) : Set.of())
                .allowShadowed();
        TableSchema schema = fragments.schema();
        List<FragmentList> sources = sources(fragments);
        FragmentList merged = Content.merged(sources);
        for (String statement : SchemaText.print(schema).split(";\n")) {
            peer.execute(statement);
        }

        List<Path> written = write(sources, new SplittableRandom(seed));
        int imported = peer.importDirectory(schema.keyspace(), schema.name(), directory);
        List<Path> live = peer.sstables(schema.keyspace(), schema.name());
        List<String> ourDumps = new ArrayList<>();
        for (Path data : written) {
            ourDumps.add(Content.dump(data, nowSeconds));
        }

        assertThat(imported).isEqualTo(sources.size());
        assertThat(live.stream().map(peer::dump)).containsExactlyInAnyOrderElementsOf(ourDumps);
        assertReads(peer, fragments, merged);

        peer.compact(schema.keyspace(), schema.name());
        List<Path> compacted = peer.sstables(schema.keyspace(), schema.name());
        assertThat(compacted).hasSizeLessThanOrEqualTo(1);
        for (Path data : compacted) {
            assertThat(Content.dump(data, nowSeconds)).isEqualTo(peer.dump(data));
        }
        FragmentList ours = Content.purged(merged, new PurgeRule(nowSeconds, gcGraceSeconds));
        FragmentList theirs = Content.merged(schema, compacted);
        Differences.assertSame("compacted", ours.lines(), theirs.lines());
        assertThat(Content.items(theirs)).isEqualTo(Content.items(ours));
    }

    private static Set<Feature> features(long seed) {
        return switch ((int) (seed % 5)) {
            case 1 -> Set.of(Feature.COUNTERS);
            case 3 -> Set.of(Feature.DROPPED_COLUMNS);
            default -> Set.of();
        };
    }

    private static TableOptions options(long seed, long gcGraceSeconds) {
        Map<String, String> compaction = Map.of("class", "SizeTieredCompactionStrategy", "enabled", "false");
        Map<String, String> compression = seed % 2 == 0
                ? Map.of("class", "LZ4Compressor", "chunk_length_in_kb", "4")
                : Map.of("enabled", "false");
        return new TableOptions(gcGraceSeconds, 0.01, 128, compression, compaction, false, Map.of());
    }

    /** Each without what it shadows itself, as Cassandra writes them; without those that are empty. */
    private static List<FragmentList> sources(RandomFragments fragments) throws IOException {
        List<FragmentList> sources = new ArrayList<>();
        for (FragmentList draw : List.of(
                fragments.next(0.7),
                fragments.next(0.7),
                fragments.next(0.4),
                fragments.nextWide(WIDE_ROWS),
                fragments.nextWide(WIDE_ROWS))) {
            FragmentList source = Content.merged(List.of(draw));
            if (source.partitionCount() > 0) {
                sources.add(source);
            }
        }
        assertThat(sources).isNotEmpty();
        return sources;
    }

    private List<Path> write(List<FragmentList> sources, SplittableRandom random) throws IOException {
        int[] chunkLengths = {1024, 4096, 16384};
        int[] blockSizes = {1, 200, 1000, 65536};
        List<Path> written = new ArrayList<>();
        for (FragmentList source : sources) {
            SSTableWriterConfig config = SSTableWriterConfig.defaults(30)
                    .withCompression((written.size() % 2 == 0 ? Compression.LZ4 : Compression.NONE)
                            .withChunkLengthBytes(chunkLengths[random.nextInt(chunkLengths.length)]))
                    .withColumnIndexSizeBytes(blockSizes[random.nextInt(blockSizes.length)]);
            String generation = Integer.toString(written.size() + 1);
            try (SSTableWriter writer = Formats.write(directory, generation, source.schema(), config)) {
                writer.append(source.cursor());
                writer.finish();
            }
            written.add(directory.resolve("nb-" + generation + "-big-Data.db"));
        }
        return written;
    }

    private static void assertReads(CassandraPeer peer, RandomFragments fragments, FragmentList merged)
            throws IOException {
        TableSchema schema = fragments.schema();
        List<LiveRow> rows = LiveRows.of(merged.cursor(), READ_SECONDS);
        String select = "SELECT JSON * FROM " + schema.qualifiedName();
        Differences.assertSame(select, JsonRows.of(rows), select(peer, select));

        for (DecoratedKey key : new TreeSet<>(fragments.keys())) {
            List<LiveRow> expected =
                    rows.stream().filter(row -> row.key().equals(key)).toList();
            String selectKey = select + " WHERE " + keyEquals(schema, key.bytes());
            Differences.assertSame(selectKey, JsonRows.of(expected), select(peer, selectKey));
            if (expected.size() > 1) {
                assertSlices(peer, schema, selectKey, expected);
            }
        }
    }

    /** The whole partition backwards; from and up to a row in it, both ways. */
    private static void assertSlices(
            CassandraPeer peer, TableSchema schema, String selectKey, List<LiveRow> partition) {
        Column first = schema.clustering().get(0);
        String backwards = " ORDER BY " + first.name() + (first.type().isReversed() ? " ASC" : " DESC");
        Differences.assertSame(backwards, JsonRows.of(reversed(partition)), select(peer, selectKey + backwards));

        for (int i = 1; i < partition.size(); i += 1 + partition.size() / 2) {
            byte[] bound = firstComponent(partition.get(i));
            for (String operator : i % 2 == 0 ? List.of("<", ">=") : List.of("<=", ">")) {
                List<LiveRow> expected = partition.stream()
                        .filter(row -> compares(first.type().ascending(), firstComponent(row), operator, bound))
                        .toList();
                String slice = selectKey + " AND " + first.name() + " " + operator + " "
                        + literal(first.type().ascending(), bound);
                Differences.assertSame(slice, JsonRows.of(expected), select(peer, slice));
                assertThat(select(peer, slice + backwards))
                        .as(slice + backwards)
                        .isEqualTo(JsonRows.of(reversed(expected)));
            }
        }
    }

    private static boolean compares(CqlType type, byte[] value, String operator, byte[] bound) {
        int order = type.compare(value, 0, value.length, bound, 0, bound.length);
        return order == 0 ? operator.endsWith("=") : order < 0 == operator.startsWith("<");
    }

    private static byte[] firstComponent(LiveRow row) {
        int offset = row.clustering().offset(0);
        return Arrays.copyOfRange(
                row.clustering().buffer(), offset, offset + row.clustering().lengthBytes(0));
    }

    private static <T> List<T> reversed(List<T> list) {
        List<T> copy = new ArrayList<>(list);
        Collections.reverse(copy);
        return copy;
    }

    private static List<String> select(CassandraPeer peer, String statement) {
        return JsonRows.ofDocuments(peer.executeAt(READ_SECONDS, statement).column("[json]"));
    }

    private static String keyEquals(TableSchema schema, byte[] key) {
        List<String> terms = new ArrayList<>();
        int offset = 0;
        for (Column column : schema.partitionKey()) {
            int length = key.length;
            if (schema.partitionKey().size() > 1) {
                length = (key[offset] & 0xFF) << 8 | key[offset + 1] & 0xFF;
                offset += Short.BYTES;
            }
            terms.add(column.name() + " = " + literal(column.type(), Arrays.copyOfRange(key, offset, offset + length)));
            offset += length + 1;
        }
        return String.join(" AND ", terms);
    }

    private static String literal(CqlType type, byte[] value) {
        String hex = "0x" + HexFormat.of().formatHex(value);
        return type.cqlName().equals("blob") ? hex : "blob_as_" + type.cqlName() + "(" + hex + ")";
    }
}
