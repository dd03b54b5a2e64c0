package io.anneal.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.key.TokenRange;
import io.anneal.node.Ring;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class NodeMomentTest {
    private static final UUID HOST = new UUID(0, 1);
    private static final UUID TABLE = new UUID(0, 2);
    private static final Instant START = Instant.ofEpochSecond(1_000_000);
    private static final Ring RING = Ring.of(List.of(TokenRange.FULL), Set.of("127.0.0.1"));
    private static final NodeMoment.TableMoment UNTRUNCATED = new NodeMoment.TableMoment(TABLE, Optional.empty());
    private static final NodeMoment BEFORE =
            moment(HOST, START, Set.of("s"), RING, Set.of(), Map.of("k.t", UNTRUNCATED));

    private static NodeMoment moment(
            UUID host,
            Instant startedAt,
            Set<String> schemas,
            Ring ring,
            Set<String> pending,
            Map<String, NodeMoment.TableMoment> tables) {
        Map<String, Set<String>> versions =
                schemas.stream().collect(Collectors.toMap(version -> version, version -> Set.of("node-of-" + version)));
        return new NodeMoment(host, startedAt, versions, Map.of("k", ring), pending, tables);
    }

    private static void assertRefused(NodeMoment now, String reason) {
        assertThat(BEFORE.changeTo(now))
                .hasValueSatisfying(change -> assertThat(change).contains(reason));
    }

    @Test
    void shouldFindNoChangeWhereAllIsAsBefore() {
        assertThat(BEFORE.unrest()).isEmpty();
        assertThat(BEFORE.changeTo(moment(HOST, START, Set.of("s"), RING, Set.of(), Map.of("k.t", UNTRUNCATED))))
                .isEmpty();
    }

    @Test
    void shouldFindNoChangeOfATableInWhatIsAboutOthers() {
        NodeMoment.TableMoment truncated = new NodeMoment.TableMoment(TABLE, Optional.of("00ff"));
        LiveTable other = new LiveTable("k", "other", TABLE, 1, false, List.of());
        NodeMoment before =
                moment(HOST, START, Set.of("s"), RING, Set.of(), Map.of("k.t", UNTRUNCATED, "k.other", UNTRUNCATED));
        NodeMoment now =
                moment(HOST, START, Set.of("s"), RING, Set.of(), Map.of("k.t", truncated, "k.other", UNTRUNCATED));
        assertThat(before.changeTo(now)).isPresent();

        assertThat(before.of(List.of(other)).changeTo(now)).isEmpty();

        assertThat(before.of(List.of(other)).rings()).containsOnlyKeys("k");
        LiveTable elsewhere = new LiveTable("l", "other", TABLE, 1, false, List.of());
        assertThat(before.of(List.of(elsewhere)).rings()).isEmpty();
    }

    @Test
    void shouldFindAnotherNodeAndARestart() {
        assertRefused(
                moment(new UUID(0, 9), START, Set.of("s"), RING, Set.of(), Map.of("k.t", UNTRUNCATED)),
                "another node answers");
        assertRefused(
                moment(HOST, START.plusMillis(1), Set.of("s"), RING, Set.of(), Map.of("k.t", UNTRUNCATED)),
                "node was restarted");
    }

    @Test
    void shouldFindATableThatIsTruncatedOrDroppedOrMadeAgain() {
        assertRefused(
                moment(
                        HOST,
                        START,
                        Set.of("s"),
                        RING,
                        Set.of(),
                        Map.of("k.t", new NodeMoment.TableMoment(TABLE, Optional.of("00ff")))),
                "table was truncated, table=k.t");
        assertRefused(moment(HOST, START, Set.of("s"), RING, Set.of(), Map.of()), "table was dropped, table=k.t");
        assertRefused(
                moment(
                        HOST,
                        START,
                        Set.of("s"),
                        RING,
                        Set.of(),
                        Map.of("k.t", new NodeMoment.TableMoment(new UUID(0, 3), Optional.empty()))),
                "table was dropped and made again, table=k.t");
    }

    @Test
    void shouldFindAnotherSchemaAndNodesThatDisagree() {
        assertRefused(
                moment(HOST, START, Set.of("other"), RING, Set.of(), Map.of("k.t", UNTRUNCATED)), "schema has changed");
        assertThat(moment(HOST, START, Set.of("s", "other"), RING, Set.of(), Map.of())
                        .unrest())
                .hasValueSatisfying(unrest -> assertThat(unrest).contains("nodes do not agree about the schema"));
    }

    @Test
    void shouldNotTakeANodeThatIsDownForAnotherSchema() {
        NodeMoment down = moment(HOST, START, Set.of("s", "UNREACHABLE"), RING, Set.of(), Map.of("k.t", UNTRUNCATED));
        assertThat(BEFORE.changeTo(down)).isEmpty();
        assertThat(down.changeTo(BEFORE)).isEmpty();
        assertThat(down.unrest())
                .as("nothing begins then")
                .contains("nodes can't be reached, nodes=[node-of-UNREACHABLE]");
        assertRefused(
                moment(HOST, START, Set.of("other", "UNREACHABLE"), RING, Set.of(), Map.of("k.t", UNTRUNCATED)),
                "schema has changed");
        NodeMoment disagreeing = moment(HOST, START, Set.of("s", "other"), RING, Set.of(), Map.of("k.t", UNTRUNCATED));
        assertThat(disagreeing.changeTo(disagreeing))
                .hasValueSatisfying(change -> assertThat(change).contains("nodes do not agree about the schema"));
    }

    @Test
    void shouldFindRangesThatMoveOrHaveMoved() {
        Ring moved = Ring.of(List.of(TokenRange.FULL), Set.of("127.0.0.2"));
        assertRefused(
                moment(HOST, START, Set.of("s"), moved, Set.of(), Map.of("k.t", UNTRUNCATED)),
                "ranges have other owners, keyspace=k");
        NodeMoment moving = moment(HOST, START, Set.of("s"), RING, Set.of("k"), Map.of("k.t", UNTRUNCATED));
        assertRefused(moving, "ranges are about to have other owners");
        assertThat(moving.unrest()).as("nothing begins then").isPresent();
    }
}
