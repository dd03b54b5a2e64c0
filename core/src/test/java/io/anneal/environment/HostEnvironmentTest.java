package io.anneal.environment;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class HostEnvironmentTest {
    private static final long SEED = Long.getLong("anneal.seed", 7);

    @Test
    void shouldMakeRandomIdsThatOneSeedRepeats() {
        HostEnvironment one = HostEnvironment.system().withRandom(new Random(SEED));
        HostEnvironment other = HostEnvironment.system().withRandom(new Random(SEED));

        UUID first = one.newId();

        assertThat(first.version()).isEqualTo(4);
        assertThat(first.variant()).isEqualTo(2);
        assertThat(other.newId()).isEqualTo(first);
        assertThat(one.newId()).isNotEqualTo(first).isEqualTo(other.newId());
        assertThat(HostEnvironment.system().newId()).isNotEqualTo(first);
    }

    @Test
    void shouldKeepAllElseWhenOneThingIsChanged() {
        HostEnvironment system = HostEnvironment.system();

        HostEnvironment changed = system.withCallbacks(Runnable::run)
                .withClock(() -> Instant.EPOCH)
                .withRandom(new Random(SEED));

        assertThat(changed.clock().instant()).isEqualTo(Instant.EPOCH);
        assertThat(changed.nanoTime()).isSameAs(system.nanoTime());
        assertThat(changed.sleeper()).isSameAs(system.sleeper());
        assertThat(changed.threads().callbacks()).isPresent();
        assertThat(system.threads().callbacks()).isEmpty();
    }
}
