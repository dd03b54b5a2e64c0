package io.anneal.repair;

import static io.anneal.repair.Sessions.BUFFER_BYTES;
import static io.anneal.repair.Sessions.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.key.TokenRange;
import io.anneal.node.Replicas;
import io.anneal.node.StagingArea;
import io.anneal.node.Waiver;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One process that has two replicas, and one that has a third. */
@Timeout(60)
class ReplicaNamesTest {
    @TempDir
    private Path directory;

    private final List<StagingArea> stagings = new ArrayList<>();
    private final List<TestTable> tables = new ArrayList<>();
    private Nodes both;
    private Nodes other;

    @BeforeEach
    void start() throws IOException {
        for (int i = 0; i < 3; i++) {
            stagings.add(Sessions.staging(directory.resolve("replica" + i)));
            tables.add(new TestTable("replica" + i, Sessions.rows(KEYS.get(i), 2), Optional.of(stagings.get(i))));
        }
        both = Nodes.repairing(
                new Replicas()
                        .add("n0", tables.get(0).opener())
                        .add("n1", tables.get(1).opener()),
                Sessions.host());
        other = Nodes.repairing(new Replicas().add("n2", tables.get(2).opener()), Sessions.host());
    }

    @AfterEach
    void stop() throws IOException {
        both.close();
        other.close();
        for (StagingArea staging : stagings) {
            staging.close();
        }
    }

    private RepairMember at(Nodes node, String name) {
        return RepairMember.at(other.client().keepAll(5_000), RepairRunner.address(node.address()), name);
    }

    private RepairReport repair(RepairMember... members) throws IOException {
        return Repair.of("ks.t")
                .between(members)
                .range(TokenRange.FULL)
                .allow(Set.of(Waiver.EMPTY_REPLICA))
                .bufferBytes(BUFFER_BYTES)
                .patience(Duration.ZERO)
                .run(other.environment(Sessions.host()));
    }

    @Test
    void shouldRepairTwoReplicasOfOneNodeWithAThird() throws IOException {
        RepairReport report = repair(at(both, "n0"), at(both, "n1"), at(other, Replicas.THE_ONLY_ONE));

        assertThat(report.replicas())
                .extracting(RepairReport.ReplicaReport::name)
                .containsExactly("replica0", "replica1", "replica2");
        assertThat(report.replicas())
                .extracting(RepairReport.ReplicaReport::rowsWritten)
                .containsExactly(4L, 4L, 4L);
    }

    @Test
    void shouldSayWhichNamesThereAre() {
        assertThatThrownBy(() -> repair(at(other, "n2"), at(both, "n7")))
                .hasMessageContaining("no replica of this name, name=n7, names=[n0, n1]");
        assertThatThrownBy(() -> repair(at(other, "n2"), at(both, Replicas.THE_ONLY_ONE)))
                .hasMessageContaining("name one of them")
                .hasMessageContaining("names=[n0, n1]");
        assertThatThrownBy(() -> repair(at(both, Replicas.THE_ONLY_ONE), at(other, "n2")))
                .hasMessageContaining("names=[n0, n1]");
        assertThat(tables).allSatisfy(table -> assertThat(table.stagedFiles()).isEmpty());
    }

    @Test
    void shouldRefuseOneReplicaByTwoNames() {
        assertThatThrownBy(() -> repair(at(other, "n2"), at(both, "n0"), at(both, "n0")))
                .isInstanceOf(RepairException.class)
                .hasMessageContaining("one server is given as two replicas");
        assertThatThrownBy(() -> repair(at(other, "n2"), at(other, Replicas.THE_ONLY_ONE)))
                .isInstanceOf(RepairException.class)
                .hasMessageContaining("two servers have one id")
                .hasMessageContaining("node=" + other.id())
                .hasMessageContaining(".anneal.node");
    }
}
