package io.anneal.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What no node that runs here has: later versions, and compressors of others. What real nodes have is tested with them. */
final class TableFactsTest {
    private static final Map<String, String> LZ4 = Map.of("class", "org.apache.cassandra.io.compress.LZ4Compressor");

    private static List<String> objections(
            Map<String, String> compression, Optional<String> replicationType, Optional<String> transactionalMode) {
        return new TableFacts(
                        864_000,
                        Map.of("class", "org.apache.cassandra.db.compaction.SizeTieredCompactionStrategy"),
                        compression,
                        false,
                        false,
                        Map.of("class", "org.apache.cassandra.locator.SimpleStrategy", "replication_factor", "3"),
                        replicationType,
                        transactionalMode,
                        false,
                        false)
                .objections();
    }

    @Test
    void shouldHaveNoneAgainstWhatIsKnown() {
        assertThat(objections(LZ4, Optional.empty(), Optional.empty())).isEmpty();
        assertThat(objections(Map.of("class", "ZstdCompressor"), Optional.of("untracked"), Optional.of("off")))
                .isEmpty();
        assertThat(objections(Map.of("enabled", "false"), Optional.empty(), Optional.empty()))
                .isEmpty();
        assertThat(objections(Map.of(), Optional.of(""), Optional.of(""))).isEmpty();
    }

    @Test
    void shouldNameACompressorThatIsNotKnown() {
        assertThat(objections(Map.of("class", "com.example.SealingCompressor"), Optional.empty(), Optional.empty()))
                .containsExactly("its compressor is not known here: com.example.SealingCompressor");
        assertThat(objections(
                        Map.of("sstable_compression", "com.example.SealingCompressor"),
                        Optional.empty(),
                        Optional.empty()))
                .hasSize(1);
    }

    @Test
    void shouldNameTrackedKeyspacesAndAccord() {
        assertThat(objections(LZ4, Optional.of("tracked"), Optional.of("full")))
                .containsExactly(
                        "its keyspace tracks mutations: replication_type tracked",
                        "it has Accord transactions: transactional_mode full");
    }
}
