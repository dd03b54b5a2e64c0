package io.anneal.repair;

import static io.anneal.repair.Sessions.BUFFER_BYTES;
import static io.anneal.repair.Sessions.KEYS;
import static io.anneal.repair.Sessions.SCHEMA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.key.TokenRange;
import io.anneal.node.Replicas;
import io.anneal.node.StagingArea;
import io.anneal.node.Waiver;
import io.anneal.schema.TableSchema;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** No rows go from a table to one that was made after it was dropped, whichever replicas do not know their table's id. */
@Timeout(60)
class TableIdsTest {
    private static final String X = "2e52ce90-e54c-11f1-9953-9ddbc8d5a59d";
    private static final String Y = "2e6ce640-e54c-11f1-9953-9ddbc8d5a59d";

    @TempDir
    private Path directory;

    private final List<StagingArea> stagings = new ArrayList<>();
    private final List<TestTable> tables = new ArrayList<>();
    private Nodes nodes;

    @BeforeEach
    void start() throws IOException {
        Replicas replicas = new Replicas();
        for (int i = 0; i < 3; i++) {
            int index = i;
            replicas.add("n" + i, (keyspace, table, staged) -> tables.get(index));
        }
        nodes = Nodes.repairing(replicas, Sessions.host());
    }

    @AfterEach
    void stop() throws IOException {
        nodes.close();
        for (StagingArea staging : stagings) {
            staging.close();
        }
    }

    private static TableSchema schema(String id) {
        return switch (id) {
            case "X" -> SCHEMA.withId(X);
            case "x" -> SCHEMA.withId(X.toUpperCase(Locale.ROOT));
            case "Y" -> SCHEMA.withId(Y);
            default -> SCHEMA;
        };
    }

    private RepairReport repair(boolean remote, String... ids) throws IOException {
        RepairMember[] members = new RepairMember[ids.length];
        for (int i = 0; i < ids.length; i++) {
            stagings.add(Sessions.staging(directory.resolve("replica" + i)));
            FragmentList rows = FragmentList.builder(schema(ids[i]))
                    .partition(KEYS.get(i))
                    .row(HandMadeTable.row(i, 0).live(5).build())
                    .end()
                    .build();
            tables.add(new TestTable("replica" + ids[i] + i, rows, Optional.of(stagings.get(i))));
            members[i] = remote
                    ? RepairMember.at(nodes.client().keepAll(5_000), RepairRunner.address(nodes.address()), "n" + i)
                    : RepairMember.here("n" + i, tables.get(i).opener());
        }
        return Repair.of("ks.t")
                .between(members)
                .range(TokenRange.FULL)
                .allow(Set.of(Waiver.EMPTY_REPLICA))
                .bufferBytes(BUFFER_BYTES)
                .patience(Duration.ZERO)
                .run(nodes.environment(Sessions.host()));
    }

    @ParameterizedTest
    @CsvSource({
        "false,-,X,Y", "false,-,Y,X", "false,X,-,Y", "false,Y,-,X", "false,X,Y,-", "false,Y,X,-",
        "true,-,X,Y", "true,-,Y,X", "true,X,-,Y", "true,Y,-,X", "true,X,Y,-", "true,Y,X,-"
    })
    void shouldRefuseTwoIdsWhicheverReplicaKnowsNone(boolean remote, String first, String second, String third)
            throws IOException {
        List<String> ids = List.of(first, second, third);

        assertThatThrownBy(() -> repair(remote, first, second, third))
                .isInstanceOf(RepairException.class)
                .hasMessageContainingAll(
                        "table ids differ",
                        "replicaX" + ids.indexOf("X"),
                        "replicaY" + ids.indexOf("Y"),
                        X.replace("-", ""),
                        Y.replace("-", ""));

        for (TestTable table : tables) {
            assertThat(table.stagedFiles()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"false,-,X,x", "false,X,-,-", "true,-,X,x", "true,-,-,Y"})
    void shouldRepairWhenAllThatKnowTheirIdHaveOne(boolean remote, String first, String second, String third)
            throws IOException {
        assertThat(repair(remote, first, second, third).replicas())
                .extracting(RepairReport.ReplicaReport::rowsWritten)
                .containsExactly(2L, 2L, 2L);
    }
}
