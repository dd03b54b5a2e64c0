package io.anneal.streaming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import io.anneal.key.TokenRange;
import io.anneal.streaming.message.Survey;
import io.anneal.streaming.message.Survey.Extent;
import java.util.List;
import org.junit.jupiter.api.Test;

class RangeCutsTest {
    private static final TokenRange ALL = new TokenRange(0, 1_000_000);

    private static Extent sstable(long first, long last, long lengthBytes) {
        return new Extent(new TokenRange.Linear(first, last), lengthBytes);
    }

    @Test
    void shouldCutBetweenSSTables() {
        RangeCuts cuts = new RangeCuts(List.of(
                new Survey(List.of(sstable(1, 440_000, 100), sstable(440_001, 1_000_000, 100))),
                new Survey(List.of(sstable(1, 439_000, 100), sstable(440_500, 1_000_000, 100)))));

        assertThat(cuts.cut(ALL, 2)).containsExactly(new TokenRange(0, 440_000), new TokenRange(440_000, 1_000_000));
    }

    @Test
    void shouldCutByBytesWhereEverySSTableHasAllTokens() {
        RangeCuts cuts =
                new RangeCuts(List.of(new Survey(List.of(sstable(1, 1_000_000, 100), sstable(1, 500_000, 100)))));

        List<TokenRange> parts = cuts.cut(ALL, 2);

        assertThat(parts).hasSize(2);
        assertThat(parts.get(0).right()).isBetween(320_000L, 350_000L);
        assertThat(parts.get(1)).isEqualTo(new TokenRange(parts.get(0).right(), 1_000_000));
    }

    @Test
    void shouldCutTheWholeRingForManySourcesThatHaveNothing() {
        List<TokenRange> parts = new RangeCuts(List.of(new Survey(List.of()))).cut(TokenRange.FULL, 3);

        assertThat(parts).hasSize(3);
        assertThat(parts.get(0).left()).isEqualTo(TokenRange.FULL.left());
        assertThat(parts.get(2).right()).isEqualTo(TokenRange.FULL.right());
        assertThat(parts.get(0).width()).isCloseTo(parts.get(1).width(), withPercentage(5));
    }
}
