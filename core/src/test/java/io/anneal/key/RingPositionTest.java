package io.anneal.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class RingPositionTest {
    private static final ClusteringComparator COMPARATOR = new ClusteringComparator(List.of());

    private static RingPosition sentAndRead(RingPosition position) {
        ByteWriter out = new ByteWriter(16);
        position.encode(out);
        return RingPosition.decode(new ByteReader(out.toByteArray()), 0);
    }

    @Test
    void shouldStandBehindEveryKeyOfATokenAndBeforeTheNext() {
        for (long token : new long[] {Long.MIN_VALUE, -1, 0, 5, Long.MAX_VALUE - 1}) {
            DecoratedKey last = new DecoratedKey(token, new byte[] {-1, -1, -1, -1});
            DecoratedKey next = new DecoratedKey(token + 1, new byte[] {0});

            RingPosition behind = RingPosition.behind(token);

            assertThat(behind.compareTo(RingPosition.of(last, PositionInPartition.END), COMPARATOR))
                    .isPositive();
            assertThat(behind.compareTo(RingPosition.of(next, PositionInPartition.START), COMPARATOR))
                    .isNegative();
            assertThat(behind.lastToken()).isEqualTo(token);
            assertThat(sentAndRead(behind)).isEqualTo(behind);
        }
        assertThat(RingPosition.behind(Long.MAX_VALUE)).isEqualTo(RingPosition.END);
    }

    @Test
    void shouldReadThePlaceOfTheEmptyKeyAsItWasSent() {
        RingPosition empty = RingPosition.of(DecoratedKey.of(new byte[0]), PositionInPartition.START);

        assertThat(sentAndRead(empty).compareTo(empty, COMPARATOR)).isZero();
        assertThat(empty.lastToken()).isEqualTo(Long.MIN_VALUE);
    }

    @Test
    void shouldRefuseAPlaceOfAnUnknownKind() {
        assertThatThrownBy(() -> RingPosition.decode(new ByteReader(new byte[] {3, 0, 0}), 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("kind=3");
    }
}
