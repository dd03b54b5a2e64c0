package io.anneal.faults;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Mutation;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.FragmentList.Fragment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * Writes to several tables, each wholly decided by a seed and its number: the process that made it and the one that looks
 * for it agree without a word. Numbers stand in the timestamps, so that whatever is found of a write says which it was. In
 * the tables that purge at once, where a deletion leaves no trace, every write leaves a mark in the static row, which only
 * a deletion of everything it wrote takes with it.
 */
final class NumberedWrites {
    /** How far apart writes in flight may be numbered: a mark's place is taken by a write so much later. */
    static final int WINDOW_MAX = 256;

    static final List<String> CREATE = Stream.of(
                    "CREATE TABLE one.plain (k bigint PRIMARY KEY, v blob) WITH gc_grace_seconds = 864000"
                            + " AND compaction = {'class': 'SizeTieredCompactionStrategy', 'min_sstable_size': '1048576'}",
                    "CREATE TABLE two.plain (k bigint PRIMARY KEY, v blob) WITH gc_grace_seconds = 864000"
                            + " AND compaction = {'class': 'TimeWindowCompactionStrategy', 'compaction_window_unit': 'MINUTES',"
                            + " 'compaction_window_size': '1'}",
                    wide("one.wide", 864_000, "{'class': 'LeveledCompactionStrategy', 'sstable_size_in_mb': '1'}"),
                    wide("one.purged", 0, "{'class': 'UnifiedCompactionStrategy', 'min_sstable_size': '1MiB'}"),
                    wide("two.purged", 0, "{'class': 'SizeTieredCompactionStrategy', 'min_threshold': '2'}"))
            .map(create -> create + " AND ID = " + UUID.nameUUIDFromBytes(create.getBytes(StandardCharsets.UTF_8)))
            .toList();

    private static final long BASE_MICROS = 1_700_000_000_000_000L;
    private static final int PLAIN_KEYS = 300;
    private static final int WIDE_KEYS = 6;
    private static final int CLUSTERINGS = 40;
    private static final int MARKS = 2 * WINDOW_MAX;
    private static final int TTL_SECONDS = 50;
    private static final int EMPTIED_ONE_IN = 250;

    // Of the wide tables: columns in canonical order.
    private static final int S = 0;
    private static final int MARK = 1;
    private static final int N = 0;
    private static final int V = 1;
    private static final int M = 2;

    private final long seed;
    private final long nowSeconds;
    private final List<TableSchema> schemas =
            CREATE.stream().map(NumberedWrites::parse).toList();

    /** @param nowSeconds of the campaign: deletions are made shortly before it, or long before it where they are purged */
    NumberedWrites(long seed, long nowSeconds) {
        this.seed = seed;
        this.nowSeconds = nowSeconds;
    }

    /** A write and where it goes. */
    record Write(TableSchema schema, Mutation mutation) {}

    private static String wide(String name, int gcGraceSeconds, String compaction) {
        return "CREATE TABLE " + name + " (p int, c bigint, s text static, marks map<bigint, bigint> static, n bigint,"
                + " v text, m map<int, text>, PRIMARY KEY (p, c)) WITH gc_grace_seconds = " + gcGraceSeconds
                + " AND compaction = " + compaction;
    }

    /** Of the table that a statement makes. */
    static String name(String create) {
        return create.split(" ")[2];
    }

    private static TableSchema parse(String create) {
        String name = name(create);
        String[] parts = name.split("\\.");
        return CqlSchema.parse(create + ";", "numbered writes")
                .table(parts[0], parts[1])
                .orElseThrow();
    }

    List<TableSchema> schemas() {
        return schemas;
    }

    /** The table that is emptied at this number, where tables are emptied at all; behind everything before, and alone. */
    Optional<TableSchema> emptied(long number) {
        SplittableRandom random = new SplittableRandom(seed * 37 + number);
        return random.nextInt(EMPTIED_ONE_IN) == 0
                ? Optional.of(schemas.get(random.nextInt(schemas.size())))
                : Optional.empty();
    }

    Write write(long number) {
        SplittableRandom random = new SplittableRandom(seed * 31 + number);
        TableSchema schema = schemas.get(random.nextInt(schemas.size()));
        return new Write(
                schema, schema.clustering().isEmpty() ? plain(schema, number, random) : wide(schema, number, random));
    }

    /** Says of everything in the list which write it comes from. */
    static void numbers(FragmentList list, LongConsumer found) {
        for (Fragment fragment : list.fragments()) {
            number(fragment.timestampMicros(), found);
            Row row = fragment.row();
            if (row == null) {
                continue;
            }
            number(row.livenessTimestampMicros(), found);
            number(row.deletionTimestampMicros(), found);
            for (int i = 0; i < row.entryCount(); i++) {
                number(row.timestampMicros(i), found);
            }
        }
    }

    private static void number(long timestampMicros, LongConsumer found) {
        if (timestampMicros != DeletionTime.NO_TIMESTAMP) {
            found.accept((timestampMicros - BASE_MICROS) >> 1);
        }
    }

    private static long deletionMicros(long number) {
        return BASE_MICROS + 2 * number;
    }

    /** What a write sets stands above what it deletes. */
    private static long micros(long number) {
        return BASE_MICROS + 2 * number + 1;
    }

    private long localSeconds(TableSchema schema) {
        return nowSeconds - (schema.options().gcGraceSeconds() == 0 ? 1_000_000 : 100);
    }

    private Mutation plain(TableSchema schema, long number, SplittableRandom random) {
        byte[] key = ByteBuffer.allocate(8).putLong(random.nextInt(PLAIN_KEYS)).array();
        Mutation.Builder mutation = Mutation.builder(schema, DecoratedKey.of(key));
        int kind = random.nextInt(10);
        if (kind == 0) {
            return mutation.partitionDeletion(new DeletionTime(deletionMicros(number), localSeconds(schema)))
                    .build();
        }
        Row row = new Row();
        if (kind < 7) {
            row.liveness(micros(number), Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        }
        if (kind == 9) {
            row.addCell(0, micros(number), Row.NO_TTL, localSeconds(schema));
        } else {
            row.addCell(0, micros(number), Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
            // Some are larger than a segment of the commit log.
            byte[] value = new byte[random.nextInt(400) == 0 ? 300_000 : random.nextInt(400)];
            random.nextBytes(value);
            row.value(value, 0, value.length);
        }
        return mutation.row(row).build();
    }

    private Mutation wide(TableSchema schema, long number, SplittableRandom random) {
        byte[] key = ByteBuffer.allocate(4).putInt(random.nextInt(WIDE_KEYS)).array();
        Mutation.Builder mutation = Mutation.builder(schema, DecoratedKey.of(key));
        DeletionTime deletion = new DeletionTime(deletionMicros(number), localSeconds(schema));
        TreeSet<Integer> places = new TreeSet<>();
        int kind = random.nextInt(20);
        for (int i = kind < 8 ? 1 : 1 + random.nextInt(8); i > 0; i--) {
            places.add(random.nextInt(CLUSTERINGS));
        }
        if (kind == 19) {
            mutation.partitionDeletion(deletion);
        }
        mutation.row(staticRow(number, random, kind >= 8 && kind < 12));
        if (kind == 17 || kind == 18) {
            mutation.rangeDeletion(range(random, deletion));
        }
        for (int place : places) {
            boolean deleted = kind == 16 && random.nextBoolean();
            mutation.row(deleted ? deletedRow(place, deletion) : row(schema, number, place, random));
        }
        return mutation.build();
    }

    private static Row staticRow(long number, SplittableRandom random, boolean withText) {
        Row row = new Row();
        row.clear(true);
        if (withText) {
            cell(row, S, number, text(number, random));
        }
        long slot = number % MARKS;
        cell(row, MARK, number, ByteBuffer.allocate(8).putLong(number).array());
        row.path(ByteBuffer.allocate(8).putLong(slot).array(), 0, 8);
        return row;
    }

    private static Row emptyRow(int place) {
        Row row = new Row();
        row.clear(false);
        row.clustering()
                .wrap(Clustering.of(ByteBuffer.allocate(8).putLong(place).array()));
        return row;
    }

    private static Row deletedRow(int place, DeletionTime deletion) {
        Row row = emptyRow(place);
        row.deletion(deletion.timestampMicros(), deletion.localDeletionTimeSeconds(), false);
        return row;
    }

    private Row row(TableSchema schema, long number, int place, SplittableRandom random) {
        Row row = emptyRow(place);
        if (random.nextInt(3) != 0) {
            row.liveness(micros(number), Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        }
        cell(row, N, number, ByteBuffer.allocate(8).putLong(number).array());
        switch (random.nextInt(4)) {
            case 0 -> row.addCell(V, micros(number), Row.NO_TTL, localSeconds(schema));
            case 1 -> {
                row.addCell(V, micros(number), TTL_SECONDS, localSeconds(schema) + TTL_SECONDS);
                byte[] value = text(number, random);
                row.value(value, 0, value.length);
            }
            default -> cell(row, V, number, text(number, random));
        }
        if (random.nextInt(3) == 0) {
            row.addComplexDeletion(M, deletionMicros(number), localSeconds(schema));
        }
        for (int i = 0, element = random.nextInt(4); i < 3 && random.nextBoolean(); i++) {
            cell(row, M, number, text(number, random));
            row.path(ByteBuffer.allocate(4).putInt(element).array(), 0, 4);
            element += 1 + random.nextInt(3);
        }
        return row;
    }

    private static RangeDeletion range(SplittableRandom random, DeletionTime deletion) {
        int from = random.nextInt(CLUSTERINGS);
        RangeDeletion range = new RangeDeletion();
        range.start().wrap(Clustering.of(ByteBuffer.allocate(8).putLong(from).array()));
        range.end()
                .wrap(Clustering.of(ByteBuffer.allocate(8)
                        .putLong(from + random.nextInt(CLUSTERINGS / 2))
                        .array()));
        range.weights(ClusteringComparator.BEFORE, ClusteringComparator.AFTER);
        range.deletion(deletion.timestampMicros(), deletion.localDeletionTimeSeconds());
        return range;
    }

    private static void cell(Row row, int column, long number, byte[] value) {
        row.addCell(column, micros(number), Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        row.value(value, 0, value.length);
    }

    private static byte[] text(long number, SplittableRandom random) {
        return (number + "x".repeat(random.nextInt(200))).getBytes(StandardCharsets.UTF_8);
    }
}
