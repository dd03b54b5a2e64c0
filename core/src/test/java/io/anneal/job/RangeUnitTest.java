package io.anneal.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.job.RangeJob.Outcome;
import io.anneal.key.TokenRange;
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

    private final JobTime time = new JobTime();

    @TempDir
    private Path directory;

    @Test
    void shouldBeReadFromItsText() {
        for (RangeUnit unit : RangeUnit.of("shop.orders", TokenRange.FULL, REPLICAS, 7)) {
            assertThat(RangeUnit.parse(unit.text())).isEqualTo(unit);
        }
        RangeUnit alone = new RangeUnit("shop.orders", TokenRange.FULL, List.of());
        assertThat(RangeUnit.parse(alone.text())).isEqualTo(alone);
        RangeUnit escaped = new RangeUnit("shop.orders", TokenRange.FULL, List.of("%2C,\n%0A"));
        assertThat(RangeUnit.parse(escaped.text())).isEqualTo(escaped);
    }

    @Test
    void shouldRefuseNamesThatItCouldNotReadAgain() {
        assertThatThrownBy(() -> new RangeUnit("shop orders", TokenRange.FULL, REPLICAS))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RangeUnit("shop.orders", TokenRange.FULL, List.of("")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RangeUnit.parse("shop.orders")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldCoverATableInUnitsThatAJobResumes() throws Exception {
        List<TokenRange> repaired = new ArrayList<>();
        try (RangeJob<RangeUnit> job = job()) {
            assertThatThrownBy(() -> job.run(unit -> {
                        if (unit.unit().range().contains(42)) {
                            throw new IOException("replica is away");
                        }
                        repaired.add(unit.unit().range());
                        return Outcome.DONE;
                    }))
                    .isInstanceOf(JobFailedException.class)
                    .hasMessageContainingAll("shop.orders", "10.0.0.1:7", "replica is away");
        }
        assertThat(repaired).hasSize(15);

        try (RangeJob<RangeUnit> job = job()) {
            job.run(unit -> {
                assertThat(unit.unit().replicas()).isEqualTo(REPLICAS);
                repaired.add(unit.unit().range());
                return Outcome.DONE;
            });
            job.complete();
        }
        assertThat(repaired).containsExactlyInAnyOrderElementsOf(TokenRange.FULL.split(16));
    }

    private RangeJob<RangeUnit> job() throws IOException, InterruptedException {
        return RangeJob.builder("repair", RangeUnit::parse, time.environment())
                .checkpoint(directory.resolve("repair.checkpoint"), Map.of("table", "shop.orders"))
                .retries(1, Duration.ZERO, Duration.ZERO)
                .open(() -> RangeUnit.of("shop.orders", TokenRange.FULL, REPLICAS, 16));
    }
}
