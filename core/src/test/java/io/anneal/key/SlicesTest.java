package io.anneal.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.schema.CqlTypes;
import java.util.List;
import org.junit.jupiter.api.Test;

class SlicesTest {
    private static final ClusteringComparator COMPARATOR =
            new ClusteringComparator(List.of(CqlTypes.TINYINT, CqlTypes.reversed(CqlTypes.TINYINT)));

    private static Clustering at(int... values) {
        byte[][] bytes = new byte[values.length][];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = new byte[] {(byte) values[i]};
        }
        return Clustering.of(bytes);
    }

    @Test
    void shouldSortSlicesAndJoinThoseThatTouch() {
        Slices slices = Slices.of(
                COMPARATOR,
                List.of(
                        Slice.between(at(5), true, at(7), false),
                        Slice.between(at(1), true, at(2), true),
                        Slice.between(at(2), false, at(3), true),
                        Slice.of(at(2, 4)),
                        Slice.of(at(7))));

        assertThat(slices.size()).isEqualTo(2);
        assertThat(slices.contains(at(3, 0), COMPARATOR)).isTrue();
        assertThat(slices.contains(at(4, 0), COMPARATOR)).isFalse();
        assertThat(slices.contains(at(7, 0), COMPARATOR)).isTrue();
    }

    @Test
    void shouldFollowTheOrderOfTheTable() {
        Slice slice = Slice.between(at(1, 9), true, at(1, 3), false);

        assertThat(slice.isEmpty(COMPARATOR)).isFalse();
        assertThat(slice.contains(at(1, 9), COMPARATOR)).isTrue();
        assertThat(slice.contains(at(1, 4), COMPARATOR)).isTrue();
        assertThat(slice.contains(at(1, 3), COMPARATOR)).isFalse();
    }

    @Test
    void shouldDropEmptySlices() {
        Slices slices = Slices.of(
                COMPARATOR,
                List.of(Slice.between(at(3), true, at(1), true), Slice.between(at(2), false, at(2), false)));

        assertThat(slices.size()).isZero();
    }

    @Test
    void shouldTakeInEverythingOnAnOpenSide() {
        assertThat(Slices.of(Slice.from(at(2), false)).contains(at(3, 1), COMPARATOR))
                .isTrue();
        assertThat(Slices.of(Slice.to(at(2), true)).contains(at(2, 1), COMPARATOR))
                .isTrue();
        assertThat(Slices.ALL.contains(at(2, 1), COMPARATOR)).isTrue();
        assertThat(Slices.NONE.contains(at(2, 1), COMPARATOR)).isFalse();
    }

    @Test
    void shouldRefuseASliceThatEndsAtARow() {
        assertThatThrownBy(() -> new Slice(at(1), ClusteringComparator.AT, at(2), ClusteringComparator.AFTER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("neither before nor after");
    }
}
