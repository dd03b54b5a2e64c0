package io.anneal.simulation;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.FragmentList.Fragment;
import java.util.function.LongUnaryOperator;

/** The same fragments at other times: timestamps, and local times of deletions and expiries. */
final class MovedFragments {
    private final LongUnaryOperator micros;
    private final LongUnaryOperator seconds;

    private MovedFragments(LongUnaryOperator micros, LongUnaryOperator seconds) {
        this.micros = micros;
        this.seconds = seconds;
    }

    /** @param micros tells the new timestamp, for each that there is */
    static FragmentList of(FragmentList list, LongUnaryOperator micros, LongUnaryOperator seconds) {
        MovedFragments moved = new MovedFragments(micros, seconds);
        FragmentList.Builder builder = FragmentList.builder(list.schema());
        for (Fragment fragment : list.fragments()) {
            builder.add(new Fragment(
                    fragment.kind(),
                    fragment.key(),
                    fragment.row() == null ? null : moved.row(fragment.row()),
                    fragment.prefix(),
                    fragment.weight(),
                    moved.micros(fragment.timestampMicros()),
                    moved.seconds(fragment.localDeletionTimeSeconds())));
        }
        return builder.build();
    }

    private long micros(long timestampMicros) {
        return timestampMicros == DeletionTime.NO_TIMESTAMP ? timestampMicros : micros.applyAsLong(timestampMicros);
    }

    private long seconds(long localSeconds) {
        return localSeconds == DeletionTime.NO_DELETION_TIME ? localSeconds : seconds.applyAsLong(localSeconds);
    }

    private Row row(Row row) {
        Row moved = new Row();
        moved.clear(row.isStatic());
        moved.clustering().wrap(row.clustering());
        moved.liveness(
                micros(row.livenessTimestampMicros()), row.livenessTtlSeconds(), seconds(row.livenessExpirySeconds()));
        moved.deletion(
                micros(row.deletionTimestampMicros()),
                seconds(row.deletionLocalTimeSeconds()),
                row.isDeletionShadowable());
        for (int i = 0; i < row.entryCount(); i++) {
            if (row.isComplexDeletion(i)) {
                moved.addComplexDeletion(
                        row.columnIndex(i), micros(row.timestampMicros(i)), seconds(row.localDeletionTimeSeconds(i)));
                continue;
            }
            moved.addCell(
                    row.columnIndex(i),
                    micros(row.timestampMicros(i)),
                    row.ttlSeconds(i),
                    seconds(row.localDeletionTimeSeconds(i)));
            if (row.valueLengthBytes(i) != Row.ABSENT) {
                moved.value(row.valueBuffer(i), row.valueOffset(i), row.valueLengthBytes(i));
            }
            if (row.pathLengthBytes(i) != Row.ABSENT) {
                moved.path(row.pathBuffer(i), row.pathOffset(i), row.pathLengthBytes(i));
            }
        }
        return moved;
    }
}
