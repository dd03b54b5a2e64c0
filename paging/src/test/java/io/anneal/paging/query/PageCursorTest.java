package io.anneal.paging.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.FragmentStreamValidator;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.io.ByteWriter;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import io.anneal.merge.MergeCursor;
import io.anneal.schema.TableSchema;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.RandomFragments;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PageCursorTest {
    private static final long FIRST_SEED = Long.getLong("anneal.seed", 1);

    @TempDir
    private Path directory;

    /** A page of everything that a cursor yields: plain, and an interval where it comes first. */
    private static Page page(FragmentCursor cursor, boolean reversed) throws IOException {
        CanonicalEncoder encoder = new CanonicalEncoder(cursor.schema(), CanonicalEncoder.UNCLAMPED);
        List<byte[]> items = new ArrayList<>();
        int openAt = -1;
        RangeTombstoneChange open = null;
        for (FragmentKind kind = cursor.advance(); kind != null; kind = cursor.advance()) {
            ByteWriter out = new ByteWriter(64);
            switch (kind) {
                case PARTITION_START -> encoder.partitionDeletion(cursor, out);
                case STATIC_ROW, CLUSTERING_ROW -> encoder.row(cursor.key(), cursor.row(), out);
                case RANGE_TOMBSTONE_CHANGE -> {
                    RangeTombstoneChange change = cursor.rangeTombstoneChange();
                    if (open != null) {
                        ByteWriter interval = new ByteWriter(64);
                        encoder.rangeDeletion(cursor.key(), deletion(open, change, reversed), interval);
                        items.set(openAt, Arrays.copyOf(interval.array(), interval.lengthBytes()));
                    }
                    open = null;
                    if (!change.isLive()) {
                        open = new RangeTombstoneChange();
                        open.prefix().wrap(change.prefix().copy());
                        open.weight(change.weight());
                        open.deletion(change.timestampMicros(), change.localDeletionTimeSeconds());
                        openAt = items.size();
                        items.add(new byte[0]);
                    }
                }
                case PARTITION_END -> {}
            }
            if (out.lengthBytes() > 0) {
                items.add(Arrays.copyOf(out.array(), out.lengthBytes()));
            }
        }
        cursor.close();
        return Page.exhausted(
                cursor.schema(), items.stream().map(ByteBuffer::wrap).toList(), items.size(), 0, 0);
    }

    private static RangeDeletion deletion(RangeTombstoneChange from, RangeTombstoneChange to, boolean reversed) {
        RangeDeletion deletion = new RangeDeletion();
        deletion.start().wrap(reversed ? to.prefix() : from.prefix());
        deletion.end().wrap(reversed ? from.prefix() : to.prefix());
        deletion.weights(reversed ? to.weight() : from.weight(), reversed ? from.weight() : to.weight());
        deletion.deletion(from.timestampMicros(), from.localDeletionTimeSeconds());
        return deletion;
    }

    @Test
    void shouldReadAPageAsTheFragmentsThatItWasMadeOf() throws IOException {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + 300; seed++) {
            RandomFragments random = new RandomFragments(seed);
            FragmentList left = random.next(0.7);
            FragmentList right = random.next(0.7);
            List<String> expected =
                    FragmentList.copyOf(merged(left, right)).lines().stream().toList();

            Page page = page(merged(left, right), false);

            FragmentCursor trusting = FragmentStreamValidator.of(PageCursor.of(page, false));
            assertThat(FragmentList.copyOf(trusting).lines()).as("seed=" + seed).isEqualTo(expected);
            FragmentCursor checking = FragmentStreamValidator.of(PageCursor.checking(page, false));
            assertThat(FragmentList.copyOf(checking).lines()).as("seed=" + seed).isEqualTo(expected);
        }
    }

    private static FragmentCursor merged(FragmentList left, FragmentList right) {
        return MergeCursor.of(left.schema(), List.of(left.cursor(), right.cursor()));
    }

    @Test
    void shouldReadAPageOfAReversedPartition() throws IOException {
        try (Store store = Store.open(directory)) {
            Table table = store.createTable(TableSchema.builder("ks", "t")
                    .partitionKey("p", "int")
                    .clustering("c", "int")
                    .column("v", "int")
                    .build());
            for (int c = 0; c < 40; c++) {
                table.row().key("p", 1).clustering("c", c).set("v", c).insert();
            }
            for (int c = 3; c < 36; c += 7) {
                table.rangeDeletion()
                        .key("p", 1)
                        .from("c", c, true)
                        .to("c", c + 3, true)
                        .delete();
            }
            DecoratedKey key = DecoratedKey.of(new byte[] {0, 0, 0, 1});
            List<String> expected =
                    FragmentList.copyOf(table.read(key, Slices.ALL, true)).lines();

            Page page = page(table.read(key, Slices.ALL, true), true);

            assertThat(FragmentList.copyOf(FragmentStreamValidator.ofReversed(PageCursor.of(page, true)))
                            .lines())
                    .isEqualTo(expected);
        }
    }
}
