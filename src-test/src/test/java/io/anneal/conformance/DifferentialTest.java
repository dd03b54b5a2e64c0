package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.bench.peer.CassandraPeer;
import io.anneal.conformance.LiveRows.LiveRow;
import io.anneal.fragment.FragmentCursor;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableReader;
import io.anneal.store.SSTables;
import io.anneal.testkit.FragmentList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random tables and random writes, side by side with a real Cassandra. What it flushes and compacts we read: each dump is
 * its dump, the rows are its rows, the merge is its compaction. What we write of it, in every version, it accepts: an
 * extended verification, an import with nothing left out, the same dump, the same rows by key, by row and by slice, the
 * same compaction. {@code -Danneal.seeds=200 -Danneal.all=true} is the long form, {@code -Danneal.seed=N} begins at another table.
 */
@WithCassandra
class DifferentialTest {
    private static final String KEYSPACE = "differential";
    private static final String DROP_KEYSPACE = "DROP KEYSPACE IF EXISTS " + KEYSPACE;
    private static final String CREATE_KEYSPACE =
            "CREATE KEYSPACE " + KEYSPACE + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}";
    private static final boolean ALL = Boolean.getBoolean("anneal.all");
    private static final int FLUSHES = 3;
    private static final int WRITES_PER_FLUSH = 100;
    private static final int WRITES_PER_SECOND = 10;
    private static final int FEW = 4;
    private static final int MANY = 200;
    /** When everything was written, and some of what expires has expired. */
    private static final long READ_SECONDS = RandomTable.WRITE_SECONDS + 10_000;

    private static final Pattern TABLE_ID = Pattern.compile("ID = [0-9a-f-]+\\s+AND ");

    @TempDir
    private Path directory;

    /** Each written in one version and rewritten in one; {@code -Danneal.all=true}: in each, and in each. */
    static Stream<Arguments> tables() {
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + Long.getLong("anneal.seeds", 20))
                .boxed()
                .flatMap(seed -> Stream.of(WrittenVersion.values())
                        .filter(version -> ALL || version == turn(seed))
                        .map(version -> Arguments.of(seed, version)));
    }

    private static WrittenVersion turn(long number) {
        WrittenVersion[] versions = WrittenVersion.values();
        return versions[(int) (number % versions.length)];
    }

    @AfterAll
    static void dropKeyspaces(Peers peers) {
        for (WrittenVersion version : WrittenVersion.values()) {
            peers.of(version.peer()).execute(DROP_KEYSPACE);
        }
    }

    @ParameterizedTest(name = "seed={0}, version={1}")
    @MethodSource("tables")
    void shouldReadAndWriteAsCassandraDoes(long seed, WrittenVersion version, Peers peers) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        CassandraPeer peer = peers.of(version.peer());
        Path flushed = directory.resolve("flushed");
        List<Path> sstables = write(peer, random, flushed);
        List<String> dumps = assertSameDumps(peer, sstables);

        try (SSTables table = SSTables.open(flushed)) {
            TableSchema schema = table.schema();
            List<String> rows = new CassandraReads(peer, schema, READ_SECONDS).all();
            FragmentList merged = merged(table);
            Differences.assertSame("rows", JsonRows.of(LiveRows.of(merged.cursor(), READ_SECONDS)), rows);
            List<String> compacted = compact(peer, schema, merged, directory.resolve("compacted"));
            for (WrittenVersion target : WrittenVersion.values()) {
                if (!ALL && target != turn(seed / WrittenVersion.values().length)) {
                    continue;
                }
                Path written = Files.createDirectory(directory.resolve(target.name()));
                // By the schema of today a dump shows values as today's types do.
                boolean byHeader = random.nextBoolean();
                List<Path> rewritten = rewrite(table, byHeader, target, written, random);
                CassandraPeer receiver = peers.of(target.peer());
                create(receiver, Files.readString(flushed.resolve("schema.cql")));
                assertThat(receiver.importDirectory(KEYSPACE, RandomTable.NAME, written))
                        .isEqualTo(rewritten.size());
                List<String> dumpsAgain = assertSameDumps(receiver, rewritten);
                if (byHeader) {
                    assertThat(Content.withoutPositions(dumpsAgain)).isEqualTo(Content.withoutPositions(dumps));
                }
                assertRows(receiver, schema, merged);
                Path again = directory.resolve(target + "-compacted");
                assertThat(Content.withoutPositions(compact(receiver, schema, merged, again)))
                        .isEqualTo(Content.withoutPositions(compacted));
            }
        }
    }

    /** A table with three flushes, altered after the first. */
    private static List<Path> write(CassandraPeer peer, SplittableRandom random, Path target) throws IOException {
        peer.executeAll(List.of(DROP_KEYSPACE, CREATE_KEYSPACE));
        RandomTable table = new RandomTable(random, KEYSPACE, WrittenVersion.READ_COMPRESSIONS);
        RandomWrites writes = new RandomWrites(random, table, random.nextInt(3) == 0 ? MANY : FEW);
        peer.executeAll(table.create());
        for (int i = 0; i < FLUSHES; i++) {
            for (int j = 0; j < WRITES_PER_FLUSH; j += WRITES_PER_SECOND) {
                long nowSeconds = RandomTable.WRITE_SECONDS + random.nextInt(100);
                peer.executeBound(nowSeconds, writes.writes(WRITES_PER_SECOND));
            }
            peer.flush(KEYSPACE, RandomTable.NAME);
            if (i == 0) {
                peer.executeAll(writes.alter());
            }
        }
        List<Path> flushed = peer.copySSTables(KEYSPACE, RandomTable.NAME, target);
        assertThat(flushed).hasSize(FLUSHES);
        addMissingTypes(table, writes, target.resolve("schema.cql"));
        return flushed;
    }

    /** Cassandra's snapshots leave out user types that are inside tuples, collections and vectors. */
    private static void addMissingTypes(RandomTable table, RandomWrites writes, Path schemaText) throws IOException {
        String text = Files.readString(schemaText);
        StringBuilder whole = new StringBuilder();
        for (String statement : table.create()) {
            if (statement.startsWith("CREATE TYPE")) {
                whole.append(statement).append(";\n");
            }
        }
        writes.typeChanges().forEach(change -> whole.append(change).append(";\n"));
        whole.append(text.substring(text.indexOf("CREATE TABLE")));
        Files.writeString(schemaText, whole);
    }

    private static FragmentList merged(SSTables table) throws IOException {
        try (FragmentCursor merged = table.scan(TokenRange.Linear.ALL)) {
            return FragmentList.copyOf(merged);
        }
    }

    private static List<String> assertSameDumps(CassandraPeer peer, List<Path> sstables) throws IOException {
        List<String> dumps = new ArrayList<>();
        for (Path data : sstables) {
            String dump = Content.dump(data, System.currentTimeMillis() / 1000);
            assertThat(dump).as(data.toString()).isEqualTo(peer.dump(data));
            dumps.add(dump);
        }
        return dumps;
    }

    /** The dumps of what is left after a compaction, which are one or none. */
    private static List<String> compact(CassandraPeer peer, TableSchema schema, FragmentList merged, Path target)
            throws IOException {
        peer.compact(KEYSPACE, RandomTable.NAME);
        List<Path> compacted = peer.copySSTables(KEYSPACE, RandomTable.NAME, target);
        assertThat(compacted).hasSizeLessThanOrEqualTo(1);
        // Writes were long before gc_grace, or gc_grace is longer than they are away.
        long nowSeconds = System.currentTimeMillis() / 1000;
        FragmentList ours = Content.purged(
                merged, new SessionPurgeRule(nowSeconds, schema.options().gcGraceSeconds()));
        FragmentList theirs = Content.merged(schema, compacted);
        Differences.assertSame("compacted", ours.lines(), theirs.lines());
        assertThat(Content.items(theirs)).isEqualTo(Content.items(ours));
        return assertSameDumps(peer, compacted);
    }

    private static List<Path> rewrite(
            SSTables table, boolean byHeader, WrittenVersion target, Path directory, SplittableRandom random)
            throws IOException {
        List<Path> rewritten = new ArrayList<>();
        for (SSTableReader reader : table.readers()) {
            String generation = Integer.toString(rewritten.size() + 1);
            TableSchema schema = byHeader ? reader.headerSchema() : table.schema();
            rewritten.add(Content.rewrite(reader, schema, directory, generation, target.config(random, 10)));
        }
        return rewritten;
    }

    /** The table as the schema text of a snapshot has it, with an identity of its own. */
    private static void create(CassandraPeer peer, String schemaText) {
        peer.executeAll(List.of(DROP_KEYSPACE, CREATE_KEYSPACE));
        peer.executeAll(
                Arrays.stream(TABLE_ID.matcher(schemaText).replaceAll("").split(";\\s*\n"))
                        .filter(statement -> !statement.isBlank())
                        .toList());
    }

    private static void assertRows(CassandraPeer peer, TableSchema schema, FragmentList merged) throws IOException {
        List<LiveRow> live = LiveRows.of(merged.cursor(), READ_SECONDS);
        TreeSet<DecoratedKey> keys = new TreeSet<>();
        merged.fragments().stream()
                .filter(fragment -> fragment.key() != null)
                .forEach(fragment -> keys.add(fragment.key()));
        new CassandraReads(peer, schema, READ_SECONDS).assertSame(keys, live);
    }
}
