package io.anneal.memtable;

import static io.anneal.memtable.SmallTable.SCHEMA;
import static io.anneal.memtable.SmallTable.cell;
import static io.anneal.memtable.SmallTable.clustering;
import static io.anneal.memtable.SmallTable.emptyRow;
import static io.anneal.memtable.SmallTable.entry;
import static io.anneal.memtable.SmallTable.key;
import static io.anneal.memtable.SmallTable.mutation;
import static io.anneal.memtable.SmallTable.range;
import static io.anneal.memtable.SmallTable.read;
import static io.anneal.memtable.SmallTable.row;
import static io.anneal.memtable.SmallTable.staticRow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.FragmentStreamValidator;
import io.anneal.fragment.Mutation;
import io.anneal.fragment.Row;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MemtableTest {
    private final MemtablePool pool = new MemtablePool(8 << 20);
    private final Memtable memtable = new Memtable(SCHEMA, pool);

    private FragmentCursor all() {
        return FragmentStreamValidator.withValues(memtable.scan(TokenRange.Linear.ALL));
    }

    private FragmentCursor partition(long k, Slices slices, boolean reversed) {
        FragmentCursor cursor = memtable.read(key(k), slices, reversed).orElseThrow();
        return reversed ? FragmentStreamValidator.ofReversed(cursor) : FragmentStreamValidator.of(cursor);
    }

    @Test
    void shouldTakeNothingWhenEmpty() throws IOException {
        assertThat(pool.usedBytes()).isZero();
        assertThat(memtable.isEmpty()).isTrue();
        assertThat(all().advance()).isNull();
        assertThat(memtable.read(key(1), Slices.ALL, false)).isEmpty();
        assertThat(memtable.contains(new KeyView().wrap(key(1)))).isFalse();
    }

    @Test
    void shouldMergeWritesToOneRow() throws IOException {
        memtable.apply(mutation(1, row(5, 10, 1)));
        memtable.apply(mutation(1, row(5, 30, 3), row(4, 10, 2)));
        memtable.apply(mutation(1, row(5, 20, 2), staticRow(1, 7)));

        assertThat(read(all())).containsExactly("s=7", "4=2", "5=3");
        assertThat(memtable.partitionCount()).isOne();
        assertThat(memtable.mutationCount()).isEqualTo(3);
    }

    @Test
    void shouldKeepTheNewestPartitionDeletion() throws IOException {
        for (long micros : new long[] {5, 9, 7}) {
            memtable.apply(Mutation.builder(SCHEMA, key(1))
                    .partitionDeletion(new DeletionTime(micros, 1000))
                    .build());
        }
        assertThat(read(all())).containsExactly("deleted@9");
    }

    @Test
    void shouldCutRangeDeletionsThatOverlap() throws IOException {
        memtable.apply(mutation(1, range(10, 40, 5)));
        memtable.apply(mutation(1, range(20, 30, 8)));
        memtable.apply(mutation(1, range(25, 50, 7)));
        memtable.apply(mutation(1, range(0, 12, 3)));
        memtable.apply(mutation(1, range(50, 60, 7)));

        assertThat(read(all())).containsExactly("0@3", "10@5", "20@8", "30@7", "60@live");
        assertThat(read(partition(1, Slices.of(Slice.between(clustering(11), true, clustering(26), true)), false)))
                .containsExactly("11@5", "20@8", "26@live");
        assertThat(read(partition(1, Slices.of(Slice.between(clustering(11), true, clustering(26), true)), true)))
                .containsExactly("26@8", "20@5", "11@live");
        assertThat(read(partition(1, Slices.of(Slice.from(clustering(60), true)), true)))
                .isEmpty();
    }

    @Test
    void shouldSeeWhatWasThereWhenTheCursorWasMade() throws IOException {
        memtable.apply(mutation(1, row(5, 10, 1), row(7, 10, 1), staticRow(10, 1)));
        memtable.apply(mutation(1, range(20, 30, 5)));
        FragmentCursor scan = all();
        FragmentCursor partition = partition(1, Slices.ALL, true);
        memtable.apply(mutation(1, row(5, 20, 2), row(6, 20, 2), staticRow(20, 2)));
        memtable.apply(mutation(1, range(10, 40, 6)));
        memtable.apply(mutation(2, row(1, 20, 2)));
        memtable.apply(Mutation.builder(SCHEMA, key(1))
                .partitionDeletion(new DeletionTime(9, 1000))
                .build());

        assertThat(read(scan)).containsExactly("s=1", "5=1", "7=1", "20@5", "30@live");
        assertThat(read(partition)).containsExactly("s=1", "30@5", "20@live", "7=1", "5=1");
        assertThat(read(partition(1, Slices.ALL, false)))
                .containsExactly("deleted@9", "s=2", "5=2", "6=2", "7=1", "10@6", "40@live");
    }

    @Test
    void shouldReadTokenRangesAndSkip() throws IOException {
        List<DecoratedKey> keys = new ArrayList<>(
                IntStream.range(0, 1000).mapToObj(SmallTable::key).toList());
        for (int k = 0; k < 1000; k++) {
            memtable.apply(mutation(k, row(1, 1, k), row(2, 1, k)));
        }
        Collections.sort(keys);
        TokenRange.Linear range =
                new TokenRange.Linear(keys.get(100).token(), keys.get(200).token());
        List<DecoratedKey> found = new ArrayList<>();
        FragmentCursor cursor = FragmentStreamValidator.of(memtable.scan(range));
        while (cursor.advance() != null) {
            assertThat(cursor.kind()).isEqualTo(FragmentKind.PARTITION_START);
            found.add(cursor.key().toDecoratedKey());
            if (found.size() == 10) {
                cursor.forwardTo(keys.get(150).token());
            } else if (found.size() % 2 == 0) {
                cursor.advance();
            }
            cursor.nextPartition();
        }
        List<DecoratedKey> expected = new ArrayList<>(keys.subList(100, 110));
        expected.addAll(keys.subList(150, 201));
        assertThat(found).isEqualTo(expected);
    }

    @Test
    void shouldApplyNothingOfAMutationThatIsCorrupt() throws IOException {
        byte[] good = mutation(1, row(1, 1, 1)).bytes();
        byte[] other = mutation(2, row(1, 1, 1)).bytes();
        byte[] both = new byte[good.length + other.length];
        System.arraycopy(good, 0, both, 0, good.length);
        System.arraycopy(other, 0, both, good.length, other.length);

        assertThatThrownBy(() -> memtable.apply(new Mutation(key(1), both)))
                .isInstanceOf(CorruptItemException.class)
                .hasMessageContaining("item is of another partition");
        byte[] cut = new byte[good.length + 3];
        System.arraycopy(good, 0, cut, 0, good.length);
        assertThatThrownBy(() -> memtable.apply(new Mutation(key(1), cut))).isInstanceOf(CorruptItemException.class);

        assertThat(memtable.isEmpty()).isTrue();
        memtable.apply(mutation(3, row(1, 1, 1)));
        assertThat(read(all())).containsExactly("1=1");
    }

    @Test
    void shouldLeaveOutRowsWithNothingInThem() throws IOException {
        memtable.apply(mutation(1, emptyRow(3)));
        assertThat(memtable.isEmpty()).isTrue();
        memtable.apply(mutation(1, emptyRow(3), row(4, 1, 4)));
        assertThat(read(all())).containsExactly("4=4");
    }

    @Test
    void shouldTellTheSmallestTimes() throws IOException {
        assertThat(memtable.minTimestampMicros()).isEqualTo(Long.MAX_VALUE);
        Row expiring = emptyRow(1);
        expiring.liveness(40, 60, 5000);
        memtable.apply(mutation(1, row(2, 30, 1), expiring));
        assertThat(memtable.minTimestampMicros()).isEqualTo(30);
        assertThat(memtable.minTtlSeconds()).isEqualTo(60);
        assertThat(memtable.minLocalDeletionTimeSeconds()).isEqualTo(5000);
        memtable.apply(mutation(2, range(1, 2, 20)));
        assertThat(memtable.minTimestampMicros()).isEqualTo(20);
        assertThat(memtable.minLocalDeletionTimeSeconds()).isEqualTo(1000);
    }

    @Test
    void shouldHoldAWidePartition() throws IOException {
        int rows = 100_000;
        List<Integer> order = new ArrayList<>(IntStream.range(0, rows).boxed().toList());
        Collections.shuffle(order, new Random(42));
        for (int c : order) {
            memtable.apply(mutation(1, row(c, 1, c)));
        }
        List<String> expected =
                IntStream.range(0, rows).mapToObj(c -> c + "=" + c).toList();
        assertThat(read(all())).isEqualTo(expected);
        List<String> reversed = new ArrayList<>(expected);
        Collections.reverse(reversed);
        assertThat(read(partition(1, Slices.ALL, true))).isEqualTo(reversed);
        Slices slices = Slices.of(Slice.between(clustering(70_000), false, clustering(70_003), true));
        assertThat(read(partition(1, slices, false))).containsExactly("70001=70001", "70002=70002", "70003=70003");
        assertThat(read(partition(1, slices, true))).containsExactly("70003=70003", "70002=70002", "70001=70001");
    }

    @Test
    void shouldTakeLittleMoreThanAppendsToOneCollection() throws IOException {
        int appends = 10_000;
        long written = 0;
        for (int i = 0; i < appends; i++) {
            Mutation mutation = mutation(1, entry(5, i, i, i));
            written += mutation.lengthBytes();
            memtable.apply(mutation);
        }
        FragmentCursor cursor = all();
        cursor.advance();
        cursor.advance();
        assertThat(cursor.row().entryCount()).isEqualTo(appends);
        assertThat(SmallTable.number(cursor.row(), 777)).isEqualTo(777);
        assertThat(memtable.dataBytes()).isLessThan(written);
        assertThat(memtable.occupiedBytes()).isLessThan(15 * written);
    }

    @Test
    void shouldReadOneVersionOfARowThatIsOverwritten() throws IOException {
        int writes = 100_000;
        for (int i = 0; i < writes; i++) {
            memtable.apply(mutation(1, row(5, i, i)));
        }
        assertThat(read(all())).containsExactly("5=" + (writes - 1));
        assertThat(memtable.dataBytes()).isEqualTo(mutation(1, row(5, 1, 1)).lengthBytes());
        assertThat(memtable.occupiedBytes()).isLessThan(writes * 100L);
    }

    @Test
    void shouldTakeLittleForRangesThatGrow() throws IOException {
        int deletions = 20_000;
        for (int i = 1; i <= deletions; i++) {
            memtable.apply(mutation(1, range(0, i, i)));
        }
        assertThat(read(all())).containsExactly("0@" + deletions, deletions + "@live");
        assertThat(memtable.occupiedBytes()).isLessThan(deletions * 200L);
    }

    @Test
    void shouldTakeLittleForRangesThatDoNotOverlap() throws IOException {
        int deletions = 10_000;
        for (int i = 0; i < deletions; i++) {
            memtable.apply(mutation(1, range(2 * i, 2 * i + 1, i)));
        }
        assertThat(read(all())).hasSize(2 * deletions);
        Slices slices = Slices.of(Slice.between(clustering(5000), true, clustering(5002), false));
        assertThat(read(partition(1, slices, false))).containsExactly("5000@2500", "5001@live");
        assertThat(memtable.occupiedBytes()).isLessThan(deletions * 1000L);
    }

    @Test
    void shouldHoldValuesLargerThanASlab() throws IOException {
        byte[] large = new byte[3 << 20];
        memtable.apply(mutation(1, row(1, 1, 1)));
        memtable.apply(mutation(1, cell(emptyRow(2), SmallTable.B, 1, large)));
        memtable.apply(mutation(1, row(3, 1, 3)));
        assertThat(read(all())).containsExactly("1=1", "2=0", "3=3");
        assertThat(memtable.occupiedBytes()).isGreaterThan(large.length).isEqualTo(pool.usedBytes());
    }

    @Test
    void shouldKeepALargeRowWhereItLies() throws IOException {
        byte[] large = new byte[3 << 20];
        Mutation first = mutation(1, cell(emptyRow(1), SmallTable.B, 1, large));
        large[0] = 1;
        Mutation second = mutation(1, cell(emptyRow(1), SmallTable.B, 2, large));
        memtable.apply(first);
        memtable.apply(second);
        // Nothing has been copied, nor merged to a third one.
        assertThat(memtable.occupiedBytes()).isBetween(2L * large.length, 2L * large.length + (1 << 20));
        FragmentCursor cursor = all();
        while (cursor.advance() != FragmentKind.CLUSTERING_ROW) {
            continue;
        }
        assertThat(cursor.row().valueBuffer(0)).isSameAs(second.bytes());
        assertThat(cursor.row().valueBuffer(0)[cursor.row().valueOffset(0)]).isOne();
        memtable.release();
        assertThat(pool.usedBytes()).isZero();
        // Whoever made the mutation has it still.
        assertThat(pool.freeBytes()).isLessThan(1 << 20);
    }

    @Test
    void shouldCopyWhatIsASmallPartOfItsMutation() throws IOException {
        byte[] large = new byte[1 << 20];
        Row[] rows = IntStream.range(0, 3)
                .mapToObj(c -> cell(emptyRow(c), SmallTable.B, 1, large))
                .toArray(Row[]::new);
        memtable.apply(mutation(1, rows));
        assertThat(read(all())).hasSize(3);
        assertThat(memtable.occupiedBytes()).isLessThan(4L * large.length);
    }

    @Test
    void shouldMergeLargeRowsOfManyCells() throws IOException {
        int cells = 200_000;
        Row row = emptyRow(1);
        for (int i = 0; i < cells; i++) {
            row.addCell(SmallTable.M, 1, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
            row.path(SmallTable.number(i), 0, Integer.BYTES);
            row.value(SmallTable.number(i), 0, Integer.BYTES);
        }
        Mutation mutation = mutation(1, row);
        assertThat(mutation.lengthBytes()).isGreaterThan(3 << 20);
        for (int i = 0; i < 3; i++) {
            memtable.apply(mutation);
        }
        assertThat(memtable.dataBytes()).isEqualTo(mutation.lengthBytes());
    }

    @Test
    void shouldGiveEverythingBack() throws IOException {
        for (int k = 0; k < 50_000; k++) {
            memtable.apply(mutation(k, row(1, 1, k)));
        }
        assertThat(pool.usedBytes()).isEqualTo(memtable.occupiedBytes()).isGreaterThan(memtable.dataBytes());
        memtable.release();
        assertThat(pool.usedBytes()).isZero();
        assertThat(pool.freeBytes()).isPositive().isLessThanOrEqualTo(pool.budgetBytes());

        Memtable next = new Memtable(SCHEMA, pool);
        for (int k = 0; k < 50_000; k++) {
            next.apply(mutation(k, row(1, 1, -k)));
        }
        assertThat(read(next.scan(TokenRange.Linear.ALL))).hasSize(50_000);
        assertThat(read(next.read(key(777), Slices.ALL, false).orElseThrow())).containsExactly("1=-777");
    }
}
