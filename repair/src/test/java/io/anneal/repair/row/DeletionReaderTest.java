package io.anneal.repair.row;

import static io.anneal.key.ClusteringComparator.AFTER;
import static io.anneal.key.ClusteringComparator.BEFORE;
import static io.anneal.testkit.HandMadeTable.clustering;
import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.schema.TableSchema;
import io.anneal.testkit.HandMadeTable;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeletionReaderTest {
    private static final TableSchema SCHEMA = HandMadeTable.schema(0);
    private static final List<DecoratedKey> KEYS = HandMadeTable.keys(3);
    private static final DecoratedKey KEY = KEYS.get(1);
    private static final DeletionTime DELETED = new DeletionTime(10, 100);

    private final DeletionReader reader = new DeletionReader(ClusteringComparator.of(SCHEMA));

    @Test
    void shouldCutIntervalAtWindowEndsWhenItSpansThem() {
        change(before(clustering(1)), DELETED);
        change(after(clustering(9)), DeletionTime.LIVE);

        assertThat(window(after(clustering(3, 0)))).containsExactly("(1-, 3,0+)@10");
        assertThat(window(after(clustering(5, 0)))).containsExactly("(3,0+, 5,0+)@10");
        assertThat(texts(reader.window(RingPosition.END))).containsExactly("(5,0+, 9+)@10");
    }

    @Test
    void shouldCarryNothingWhenWindowEndsWhereTheDeletionEnds() {
        change(before(clustering(1)), DELETED);
        change(after(clustering(9)), DeletionTime.LIVE);

        assertThat(window(after(clustering(9)))).containsExactly("(1-, 9+)@10");
        assertThat(reader.window(RingPosition.END)).isEmpty();
        assertThat(reader.count()).isZero();
        assertThat(reader.bytes()).isZero();
    }

    @Test
    void shouldGiveNoEmptyIntervalWhenDeletionBeginsAtWindowEnd() {
        change(after(clustering(3, 0)), DELETED);
        change(after(clustering(9)), DeletionTime.LIVE);

        assertThat(window(after(clustering(3, 0)))).isEmpty();
        assertThat(texts(reader.window(RingPosition.END))).containsExactly("(3,0+, 9+)@10");
    }

    @Test
    void shouldGiveNoEmptyIntervalWhenEndIsReadAfterTheWindowThatEndsThere() {
        change(before(clustering(1)), DELETED);
        assertThat(window(after(clustering(3, 0)))).containsExactly("(1-, 3,0+)@10");

        change(after(clustering(3, 0)), DeletionTime.LIVE);

        assertThat(reader.window(RingPosition.END)).isEmpty();
    }

    @Test
    void shouldGiveOneIntervalForEachStepWhenDeletionChanges() {
        change(before(clustering(1)), DELETED);
        change(before(clustering(3)), new DeletionTime(20, 100));
        change(after(clustering(5)), DELETED);
        change(after(clustering(9)), DeletionTime.LIVE);

        assertThat(texts(reader.window(RingPosition.END))).containsExactly("(1-, 3-)@10", "(3-, 5+)@20", "(5+, 9+)@10");
    }

    @Test
    void shouldGivePartitionDeletionInWindowThatHoldsItsStart() {
        reader.add(KEYS.get(0), DELETED);
        reader.add(KEY, DELETED);
        reader.add(KEYS.get(2), DELETED);

        assertThat(reader.window(RingPosition.of(KEYS.get(0), PositionInPartition.END)))
                .containsExactly(DeletionItem.ofPartition(KEYS.get(0), DELETED));
        assertThat(reader.window(RingPosition.of(KEY, PositionInPartition.STATIC)))
                .containsExactly(DeletionItem.ofPartition(KEY, DELETED));
        assertThat(reader.window(RingPosition.END)).containsExactly(DeletionItem.ofPartition(KEYS.get(2), DELETED));
        assertThat(reader.bytes()).isZero();
    }

    @Test
    void shouldOrderPartitionDeletionBeforeRangesOfItsKey() {
        reader.add(KEY, DELETED);
        change(before(clustering(1)), new DeletionTime(20, 100));
        change(after(clustering(1)), DeletionTime.LIVE);
        reader.add(KEYS.get(2), DELETED);

        List<DeletionItem> items = reader.window(RingPosition.END);

        assertThat(items).extracting(DeletionItem::isPartition).containsExactly(true, false, true);
        assertThat(items).extracting(DeletionItem::key).containsExactly(KEY, KEY, KEYS.get(2));
    }

    private void change(PositionInPartition at, DeletionTime deletion) {
        RangeTombstoneChange change = new RangeTombstoneChange();
        change.prefix().wrap(at.prefix());
        change.weight(at.weight());
        change.deletion(deletion.timestampMicros(), deletion.localDeletionTimeSeconds());
        reader.add(KEY, change);
    }

    private List<String> window(PositionInPartition boundary) {
        return texts(reader.window(RingPosition.of(KEY, boundary)));
    }

    private static PositionInPartition before(Clustering prefix) {
        return PositionInPartition.before(prefix);
    }

    private static PositionInPartition after(Clustering prefix) {
        return PositionInPartition.after(prefix);
    }

    private static List<String> texts(List<DeletionItem> items) {
        return items.stream()
                .map(item -> {
                    RangeDeletion range = item.range().orElseThrow();
                    return "(" + bound(range.start(), range.startWeight()) + ", "
                            + bound(range.end(), range.endWeight()) + ")@" + range.timestampMicros();
                })
                .toList();
    }

    private static String bound(Clustering prefix, int weight) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < prefix.size(); i++) {
            text.append(i == 0 ? "" : ",");
            text.append(ByteBuffer.wrap(prefix.buffer()).getInt(prefix.offset(i)));
        }
        return text.append(weight == BEFORE ? "-" : weight == AFTER ? "+" : "?").toString();
    }
}
