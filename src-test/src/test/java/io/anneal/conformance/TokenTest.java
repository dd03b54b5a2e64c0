package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.bench.peer.CassandraPeer;
import io.anneal.key.DecoratedKey;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The tokens of random keys against those that Cassandra computes. */
@WithCassandra
class TokenTest {
    private static final long SEED = Long.getLong("anneal.seed", 20_261);

    @Test
    void shouldGiveEveryKeyTheTokenThatCassandraGivesIt(CassandraPeer peer) {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int i = 0; i < 400; i++) {
            // Every length of the last block several times, then long ones; from 0x80 on bytes are sign-extended there.
            byte[] key = new byte[i < 200 ? i % 40 : random.nextInt(2000)];
            random.nextBytes(key);

            assertThat(DecoratedKey.of(key).token())
                    .as("seed=%d, key=%s", SEED, DecoratedKey.of(key))
                    .isEqualTo(peer.token("system", "local", key));
        }
    }
}
