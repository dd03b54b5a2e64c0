package io.anneal.cli.repair;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.agent.AgentPeer;
import io.anneal.agent.ClusterHold;
import io.anneal.agent.StagedContent;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class StagedReviewTest {
    private static final Instant OLDEST = Instant.ofEpochSecond(1_700_000_000);

    private static ClusterHold.Looked node(int port, StagedContent... tables) {
        AgentPeer agent = new AgentPeer(address -> null, new InetSocketAddress("127.0.0.1", port));
        return new ClusterHold.Looked(agent, List.of(tables), Optional.empty());
    }

    private static StagedContent content(String table, long suspects, long ghosts) {
        return new StagedContent(
                table,
                suspects,
                suspects == 0 ? List.of() : List.of("key=[1] clustering=[], written " + OLDEST),
                suspects == 0 ? Optional.empty() : Optional.of(OLDEST),
                ghosts);
    }

    private static StagedReview review(StagedReview.OldRows oldRows, long ghostsMax) {
        return StagedReview.of(
                List.of(
                        node(1, content("shop.orders", 0, 0), content("shop.carts", 0, 7)),
                        node(2, content("shop.orders", 1_234, 0))),
                oldRows,
                ghostsMax);
    }

    @Test
    void shouldReportOldRowsAndDeletions() {
        StagedReview review = review(StagedReview.OldRows.REPORT, 7);
        assertThat(review.refused()).isEmpty();
        assertThat(review.lines())
                .containsExactly(
                        "127.0.0.1:1: shop.carts: 7 deletions that it lacks are older than gc_grace",
                        "127.0.0.1:2: shop.orders: 1,234 rows that the node lacks, or cells of them, are older than"
                                + " gc_grace, the oldest written 2023-11-14T22:13:20Z: lost writes, or deleted ones",
                        "  key=[1] clustering=[], written 2023-11-14T22:13:20Z",
                        "  ...");
    }

    @Test
    void shouldRefuseATableOfWhichOneNodeLacksOldRows() {
        StagedReview review = review(StagedReview.OldRows.REFUSE, 7);
        assertThat(review.refused()).containsExactly("shop.orders");
        assertThat(review.lines())
                .anySatisfy(line -> assertThat(line)
                        .startsWith("shop.orders: refused: no node imports it")
                        .contains("--older-than-gc-grace report"));
    }

    @Test
    void shouldSayNothingOfOldRowsThatAreWanted() {
        StagedReview review = review(StagedReview.OldRows.COPY, 7);
        assertThat(review.refused()).isEmpty();
        assertThat(review.lines()).hasSize(1);
    }

    @Test
    void shouldRefuseATableWithMoreDeletionsThanAreWanted() {
        StagedReview review = review(StagedReview.OldRows.REPORT, 6);
        assertThat(review.refused()).containsExactly("shop.carts");
        assertThat(review.lines()).anySatisfy(line -> assertThat(line).contains("--ghosts-max 7"));
    }
}
