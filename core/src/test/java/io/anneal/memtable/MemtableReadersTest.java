package io.anneal.memtable;

import static io.anneal.memtable.SmallTable.key;
import static io.anneal.memtable.SmallTable.range;
import static io.anneal.memtable.SmallTable.row;
import static io.anneal.memtable.SmallTable.staticRow;
import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.FragmentStreamValidator;
import io.anneal.fragment.Mutation;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Readers on other threads while the owner writes: each sees a number of whole mutations. */
class MemtableReadersTest {
    private static final int ROUNDS = 200;
    private static final int MUTATIONS = 6_000;
    private static final int PARTITIONS = 5;
    private static final int NEW_ROWS = 1000;

    private final Memtable memtable = new Memtable(SmallTable.SCHEMA, new MemtablePool(64 << 20));

    /** Mutation n of a partition: rows 0 to 3 and the static row say n, one row more, and a range that ends n times. */
    private static Mutation mutation(int partition, int n) {
        Mutation.Builder builder = Mutation.builder(SmallTable.SCHEMA, key(partition));
        builder.row(row(0, n, n)).row(row(3, n, n)).row(staticRow(n, n));
        builder.row(row(NEW_ROWS + (Integer.reverse(n) >>> 18), n, n));
        builder.rangeDeletion(range(10, 20, n)).row(row(2, n, n)).row(row(1, n, n));
        return builder.build();
    }

    @Test
    void shouldSeeMutationsWholeOrNotAtAll() throws Exception {
        ExecutorService readers = Executors.newFixedThreadPool(2);
        try {
            Future<Void> forwards = readers.submit(reader(false));
            Future<Void> backwards = readers.submit(reader(true));
            for (int n = 1; n <= MUTATIONS / PARTITIONS; n++) {
                for (int partition = 0; partition < PARTITIONS; partition++) {
                    memtable.apply(mutation(partition, n));
                }
            }
            forwards.get();
            backwards.get();
        } finally {
            readers.shutdownNow();
        }
        assertThat(memtable.mutationCount()).isEqualTo(MUTATIONS);
        readOnce(false, 0);
    }

    private Callable<Void> reader(boolean reversed) {
        return () -> {
            long seen = 0;
            for (int round = 0; round < ROUNDS && memtable.mutationCount() < MUTATIONS; round++) {
                seen = readOnce(reversed, seen);
            }
            return null;
        };
    }

    private long readOnce(boolean reversed, long seenBefore) throws IOException {
        long seen = 0;
        if (reversed) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                var found = memtable.read(key(partition), Slices.ALL, true);
                if (found.isPresent()) {
                    seen += readPartitions(FragmentStreamValidator.ofReversed(found.get()));
                }
            }
        } else {
            seen = readPartitions(FragmentStreamValidator.of(memtable.scan(TokenRange.Linear.ALL)));
        }
        assertThat(seen).isGreaterThanOrEqualTo(seenBefore);
        return seen;
    }

    /** Returns the number of mutations seen. */
    private static long readPartitions(FragmentCursor cursor) throws IOException {
        long mutations = 0;
        int n = 0;
        int newRows = 0;
        int sum = 0;
        long deleted = 0;
        FragmentKind kind;
        while ((kind = cursor.advance()) != null) {
            switch (kind) {
                case PARTITION_START -> {
                    newRows = 0;
                    sum = 0;
                }
                case STATIC_ROW -> n = SmallTable.number(cursor.row(), 0);
                case CLUSTERING_ROW -> {
                    int c = SmallTable.c(cursor.row().clustering());
                    if (c < 0 || c > 3) {
                        newRows++;
                    } else {
                        assertThat(SmallTable.number(cursor.row(), 0)).isEqualTo(n);
                        sum += c;
                    }
                }
                case RANGE_TOMBSTONE_CHANGE ->
                    deleted = Math.max(deleted, cursor.rangeTombstoneChange().timestampMicros());
                case PARTITION_END -> {
                    assertThat(newRows).isEqualTo(n);
                    assertThat(sum).isEqualTo(6);
                    assertThat(deleted).isEqualTo(n);
                    deleted = 0;
                    mutations += n;
                }
            }
        }
        return mutations;
    }
}
