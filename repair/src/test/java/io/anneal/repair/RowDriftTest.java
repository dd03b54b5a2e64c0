package io.anneal.repair;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class RowDriftTest {
    private static final long NOW = 1_000_000;
    private static final long GC_GRACE = 1000;
    private static final long EXPIRED = NOW - GC_GRACE - 1;
    private static final TableSchema SCHEMA = CqlSchema.parse(
                    "CREATE TABLE ks.t (k int PRIMARY KEY, a int, b int, s set<int>);", "test")
            .table("ks", "t")
            .orElseThrow();
    private static final int A = 0;
    private static final int B = 1;
    private static final int S = 2;

    private static RowDrift drift(RowDrift.Version... versions) {
        return RowDrift.of(SCHEMA, new SessionPurgeRule(NOW, GC_GRACE), List.of(versions));
    }

    private static Row row() {
        Row row = new Row();
        row.clear(false);
        return row;
    }

    private static Row inserted(long micros, int value) {
        Row row = row();
        row.liveness(micros, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        row.addCell(A, micros, new byte[] {0, 0, 0, (byte) value}, 0, 4);
        return row;
    }

    private static Row deleted(long micros, long seconds) {
        Row row = row();
        row.deletion(micros, seconds, false);
        return row;
    }

    private static RowDrift.Version of(Row row) {
        return new RowDrift.Version(Optional.of(row), DeletionTime.LIVE);
    }

    private static RowDrift.Version covered(long micros, long seconds) {
        return new RowDrift.Version(Optional.empty(), new DeletionTime(micros, seconds));
    }

    @Test
    void shouldTellNoTimeOfVersionsThatAreTheSame() {
        RowDrift same = drift(of(inserted(5, 1)), of(inserted(5, 1)), of(inserted(5, 1)));

        assertThat(same.differsSinceMicros()).isEmpty();
        assertThat(same.isGhost()).isFalse();
    }

    @Test
    void shouldTellTheTimeOfARowThatAReplicaLacks() {
        RowDrift lacking = drift(of(inserted(5, 1)), RowDrift.Version.NONE, of(inserted(5, 1)));

        assertThat(lacking.differsSinceMicros()).hasValue(5);
        assertThat(lacking.isGhost()).isFalse();
    }

    @Test
    void shouldTellTheTimeOfTheWriteThatIsLackedAndNotOfTheOneBelowIt() {
        Row updated = inserted(5, 1);
        updated.addCell(B, 30, new byte[] {0, 0, 0, 2}, 0, 4);
        Row before = inserted(5, 1);
        before.addCell(B, 3, new byte[] {0, 0, 0, 1}, 0, 4);

        assertThat(drift(of(updated), of(before)).differsSinceMicros()).hasValue(30);
    }

    @Test
    void shouldTellTheOldestOfSeveralWrites() {
        Row one = inserted(5, 1);
        one.addCell(B, 20, new byte[] {0, 0, 0, 1}, 0, 4);
        Row other = inserted(5, 1);
        other.addCell(S, 40, new byte[0], 0, 0);
        other.path(new byte[] {0, 0, 0, 7}, 0, 4);

        assertThat(drift(of(one), of(other)).differsSinceMicros()).hasValue(20);
    }

    @Test
    void shouldCallALiveRowThatAnExpiredDeletionOfAnotherCoversAGhost() {
        assertThat(drift(of(inserted(5, 1)), of(deleted(10, EXPIRED))).isGhost())
                .isTrue();
        assertThat(drift(of(inserted(5, 1)), covered(10, EXPIRED)).isGhost()).isTrue();
        assertThat(drift(of(inserted(5, 1)), of(deleted(10, EXPIRED))).differsSinceMicros())
                .hasValue(10);
    }

    @Test
    void shouldCallALiveCellThatAnExpiredTombstoneCoversAGhost() {
        Row tombstone = row();
        tombstone.addCell(A, 10, Row.NO_TTL, EXPIRED);
        Row collection = row();
        collection.addComplexDeletion(S, 10, EXPIRED);
        Row element = row();
        element.addCell(S, 5, new byte[0], 0, 0);
        element.path(new byte[] {0, 0, 0, 7}, 0, 4);

        assertThat(drift(of(inserted(5, 1)), of(tombstone)).isGhost()).isTrue();
        assertThat(drift(of(element), of(collection)).isGhost()).isTrue();
    }

    @Test
    void shouldCallNothingAGhostThatADeletionDoesNotHide() {
        Row expired = row();
        expired.liveness(5, 10, NOW - 1);
        Row otherCell = row();
        otherCell.addCell(B, 10, Row.NO_TTL, EXPIRED);

        // Older than the row; young enough to be compared; of what lives no more; of another cell; everywhere.
        assertThat(drift(of(inserted(5, 1)), of(deleted(4, EXPIRED))).isGhost()).isFalse();
        assertThat(drift(of(inserted(5, 1)), of(deleted(10, EXPIRED + 1))).isGhost())
                .isFalse();
        assertThat(drift(of(expired), of(deleted(10, EXPIRED))).isGhost()).isFalse();
        assertThat(drift(of(inserted(5, 1)), of(otherCell)).isGhost()).isFalse();
        assertThat(drift(of(deleted(10, EXPIRED)), covered(10, EXPIRED)).isGhost())
                .isFalse();
    }
}
