package io.anneal.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.job.RangeJob.Outcome;
import io.anneal.key.TokenRange;
import io.anneal.key.TokenRanges;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RangeUnitTest {
    private static final List<String> REPLICAS = List.of("10.0.0.1:7", "/data, old/100%", "c d");

    private static final TokenRanges FULL = TokenRanges.of(TokenRange.FULL);

    private final JobTime time = new JobTime();

    @TempDir
    private Path directory;

    @Test
    void shouldBeReadFromItsText() {
        for (RangeUnit unit : RangeUnit.of("shop.orders", FULL, REPLICAS, 7)) {
            assertThat(RangeUnit.parse(unit.text(), replicas -> FULL)).isEqualTo(unit);
        }
        RangeUnit alone = new RangeUnit("shop.orders", TokenRange.FULL, FULL, List.of());
        assertThat(RangeUnit.parse(alone.text(), replicas -> FULL)).isEqualTo(alone);
        RangeUnit escaped = new RangeUnit("shop.orders", TokenRange.FULL, FULL, List.of("%2C,\n%0A"));
        assertThat(RangeUnit.parse(escaped.text(), replicas -> FULL)).isEqualTo(escaped);
    }

    @Test
    void shouldHaveAShortTextHoweverManyRangesItCuts() {
        List<TokenRange> vnodes = new ArrayList<>();
        List<TokenRange> all = TokenRange.FULL.split(3 * 4_096);
        for (int i = 0; i < all.size(); i += 3) {
            vnodes.add(all.get(i));
        }
        TokenRanges ranges = new TokenRanges(vnodes);

        List<RangeUnit> units = RangeUnit.of("shop.orders", ranges, REPLICAS, 64);

        assertThat(units).hasSize(64);
        assertThat(units).allMatch(unit -> unit.ranges().ranges().size() == 64);
        assertThat(units.stream().mapToInt(unit -> unit.text().length()).sum()).isLessThan(64 * 200);
        for (RangeUnit unit : units) {
            assertThat(RangeUnit.parse(unit.text(), replicas -> ranges)).isEqualTo(unit);
        }
        UnitRun.Split<RangeUnit> split =
                units.get(5).splitAt(units.get(5).ranges().endOfPart(0, 4), 3).orElseThrow();
        assertThat(split.kept().ranges().ranges()).hasSize(16);
        assertThat(split.rest()).hasSize(3).allSatisfy(rest -> {
            assertThat(rest.ranges().ranges()).hasSize(16);
            assertThat(RangeUnit.parse(rest.text(), replicas -> ranges)).isEqualTo(rest);
        });
        assertThat(units.get(5).splitAt(units.get(5).slice().right(), 1)).isEmpty();
        assertThat(units.get(5).splitAt(units.get(6).slice().right(), 1)).isEmpty();
    }

    @Test
    void shouldRefuseNamesThatItCouldNotReadAgain() {
        assertThatThrownBy(() -> new RangeUnit("shop orders", TokenRange.FULL, FULL, REPLICAS))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RangeUnit("shop.orders", TokenRange.FULL, FULL, List.of("")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RangeUnit.parse("shop.orders", replicas -> FULL))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldCoverATableInUnitsThatAJobResumes() throws Exception {
        List<TokenRange> repaired = new ArrayList<>();
        try (RangeJob<RangeUnit> job = job()) {
            assertThatThrownBy(() -> job.run(unit -> {
                        if (unit.unit().slice().contains(42)) {
                            throw new IOException("replica is away");
                        }
                        repaired.add(unit.unit().slice());
                        return Outcome.DONE;
                    }))
                    .isInstanceOf(JobFailedException.class)
                    .hasMessageContainingAll("shop.orders", "10.0.0.1:7", "replica is away");
        }
        assertThat(repaired).hasSize(15);

        try (RangeJob<RangeUnit> job = job()) {
            job.run(unit -> {
                assertThat(unit.unit().replicas()).isEqualTo(REPLICAS);
                repaired.add(unit.unit().slice());
                return Outcome.DONE;
            });
            job.complete();
        }
        assertThat(repaired).containsExactlyInAnyOrderElementsOf(TokenRange.FULL.split(16));
    }

    private RangeJob<RangeUnit> job() throws IOException, InterruptedException {
        return RangeJob.builder("repair", text -> RangeUnit.parse(text, replicas -> FULL), time.environment())
                .checkpoint(directory.resolve("repair.checkpoint"), Map.of("table", "shop.orders"))
                .retries(1, Duration.ZERO, Duration.ZERO)
                .open(() -> RangeUnit.of("shop.orders", FULL, REPLICAS, 16));
    }
}
