package io.anneal.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.key.TokenRange;
import java.util.List;
import org.junit.jupiter.api.Test;

/** By hand; what a real node says is held against it where one runs. */
final class DiskBoundariesTest {
    private static final long MIN = Long.MIN_VALUE;

    @Test
    void shouldCutInsideOfRangesWhereThereAreNoVirtualNodes() {
        assertThat(DiskBoundaries.of(List.of(new TokenRange(0, 100)), 4, false)).containsExactly(25L, 50L, 75L);
        assertThat(DiskBoundaries.of(List.of(new TokenRange(1_000, 1_010), new TokenRange(0, 30)), 2, false))
                .containsExactly(20L);
        assertThat(DiskBoundaries.of(List.of(TokenRange.FULL), 2, false)).containsExactly(-1L);
        assertThat(DiskBoundaries.of(List.of(new TokenRange(Long.MAX_VALUE - 10, MIN + 30)), 2, false))
                .as("around the ring")
                .containsExactly(MIN + 20);
    }

    @Test
    void shouldCutBetweenRangesWhereThereAreVirtualNodes() {
        List<TokenRange> ranges = List.of(new TokenRange(0, 40), new TokenRange(40, 70), new TokenRange(100, 130));
        assertThat(DiskBoundaries.of(ranges, 2, true)).containsExactly(40L);
        assertThat(DiskBoundaries.of(ranges, 3, true)).containsExactly(40L, 70L);
        assertThat(DiskBoundaries.of(ranges, 4, true)).as("too few").containsExactly(25L, 50L, 105L);
    }

    @Test
    void shouldHaveNoneInOneDirectoryOrInRangesWithoutTokens() {
        assertThat(DiskBoundaries.of(List.of(new TokenRange(0, 100)), 1, true)).isEmpty();
        assertThat(DiskBoundaries.of(List.of(new TokenRange(0, 1)), 2, false)).isEmpty();
    }
}
