package io.anneal.repair;

import static io.anneal.repair.Sessions.BUFFER_BYTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.key.DecoratedKey;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.node.StagingArea;
import io.anneal.node.Waiver;
import io.anneal.repair.message.ReadRate;
import io.anneal.repair.message.SessionOpened;
import io.anneal.repair.message.SyncVote;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EarlyEndTest {
    private static final List<DecoratedKey> KEYS = HandMadeTable.keys(9);

    @TempDir
    private Path directory;

    private int runs;
    private RepairReport report;

    /** Asks for an end before the first window, and for others when it is through with some. */
    private static final class Ending implements RepairListener {
        private final long token;
        private final List<Long> later = new ArrayList<>();
        private final List<Boolean> answers = new ArrayList<>();
        private boolean offered;
        private EarlyEnd end;

        Ending(long token, Long... later) {
            this.token = token;
            this.later.addAll(List.of(later));
        }

        @Override
        public void endsEarlyBy(EarlyEnd value) {
            offered = true;
            end = value;
            ask(token);
        }

        private void ask(long asked) {
            try {
                answers.add(end.endAt(asked));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void progress(long windows, long rowsRead, long bytesRead, double covered) {
            if (offered && !later.isEmpty()) {
                ask(later.remove(0));
            }
        }
    }

    private static RepairConfig config(int bufferBytes, List<TokenRange> ranges) {
        return new RepairConfig(
                new UUID(0, 1),
                "ks",
                "t",
                ranges,
                bufferBytes,
                100,
                1,
                false,
                true,
                Optional.empty(),
                Set.of(Waiver.EMPTY_REPLICA),
                1,
                ReadRate.UNLIMITED,
                Optional.empty(),
                false);
    }

    private TestTable repair(RepairConfig config, RepairListener listener) throws IOException {
        return repair(config, listener, RepairMaster.Before.NOTHING);
    }

    /** The follower, which had nothing. */
    private TestTable repair(RepairConfig config, RepairListener listener, RepairMaster.Before before)
            throws IOException {
        try (StagingArea ownStaging = Sessions.staging(directory.resolve("master" + runs));
                StagingArea otherStaging = Sessions.staging(directory.resolve("follower" + runs++))) {
            TestTable own = new TestTable("master", Sessions.rows(KEYS, 1), Optional.of(ownStaging));
            TestTable other = new TestTable("follower", Sessions.rows(List.of(), 1), Optional.of(otherStaging));
            own.takesInAtOnce = true;
            other.takesInAtOnce = true;
            try (Participant replica = new LocalParticipant("follower", other.opener(), Runnable::run);
                    RepairMaster master = new RepairMaster(
                            config,
                            own,
                            List.of(replica),
                            listener,
                            RepairMetrics.unseen(),
                            before,
                            Optional.empty())) {
                report = master.run();
            }
            assertThat(own.repairedRanges).isEqualTo(other.repairedRanges);
            return other;
        }
    }

    @Test
    void shouldRepairAndRecordNothingAfterTheTokenThatIsTheLast() throws IOException {
        long token = KEYS.get(3).token();
        Ending ending = new Ending(token);

        TestTable other = repair(config(BUFFER_BYTES, List.of(TokenRange.FULL)), ending);

        assertThat(ending.answers).containsExactly(true);
        assertThat(other.stagedLines())
                .isEqualTo(Sessions.rows(KEYS.subList(0, 4), 1).lines());
        assertThat(other.repairedRanges).containsExactly(new TokenRange(Long.MIN_VALUE, token));
    }

    /** A part that another worker took would be brought to the replica as SSTables by both. */
    @Test
    void shouldNotEndEarlyBeforeItIsKnownWhetherAReplicaGetsSSTablesFirst() {
        Ending ending = new Ending(KEYS.get(3).token());
        RepairMaster.Before before = new RepairMaster.Before() {
            @Override
            public Optional<UUID> left(int replica) {
                return Optional.empty();
            }

            @Override
            public int check(List<SyncVote> votes, List<SessionOpened> opened, ToDoubleFunction<RingPosition> share)
                    throws IOException {
                throw new IOException("another session does all of it");
            }
        };

        assertThatThrownBy(() -> repair(config(BUFFER_BYTES, List.of(TokenRange.FULL)), ending, before))
                .hasMessageContaining("another session does all of it");

        assertThat(ending.offered).isFalse();
    }

    @Test
    void shouldEndEarlierButNeitherLaterNorWhereItHasBeen() throws IOException {
        long first = KEYS.get(0).token();
        long fifth = KEYS.get(5).token();
        Ending ending = new Ending(fifth, fifth + 1, first - 1, KEYS.get(4).token());

        TestTable other = repair(config(1, List.of(TokenRange.FULL)), ending);

        assertThat(ending.answers).containsExactly(true, false, false, true);
        assertThat(other.stagedLines())
                .isEqualTo(Sessions.rows(KEYS.subList(0, 5), 1).lines());
    }

    @Test
    void shouldEndBetweenTwoOfItsRanges() throws IOException {
        List<TokenRange> ranges = List.of(
                new TokenRange(Long.MIN_VALUE, KEYS.get(1).token()),
                new TokenRange(KEYS.get(4).token(), KEYS.get(7).token()));

        TestTable other =
                repair(config(BUFFER_BYTES, ranges), new Ending(KEYS.get(3).token()));

        assertThat(other.stagedLines())
                .isEqualTo(Sessions.rows(KEYS.subList(0, 2), 1).lines());
        assertThat(other.repairedRanges).containsExactly(ranges.get(0));
        assertThat(report.ranges()).extracting(RangeReport::range).containsExactly(ranges.get(0));
    }

    @Test
    void shouldReportWhatItComparedOfEachRange() throws IOException {
        List<TokenRange> ranges = List.of(
                new TokenRange(KEYS.get(1).token(), KEYS.get(4).token()),
                new TokenRange(KEYS.get(4).token(), Long.MIN_VALUE));
        long token = KEYS.get(6).token();

        repair(config(BUFFER_BYTES, ranges), new Ending(token));

        assertThat(report.ranges())
                .extracting(RangeReport::range)
                .containsExactly(ranges.get(0), new TokenRange(KEYS.get(4).token(), token));
        assertThat(report.ranges()).extracting(RangeReport::rowsCompared).containsExactly(3L, 2L);
    }

    /** Has time for so many windows. */
    private static final class Timed implements RepairListener {
        private final List<Long> ends = new ArrayList<>();
        private int windowsLeft;

        Timed(int windowsLeft) {
            this.windowsLeft = windowsLeft;
        }

        @Override
        public long nanosLeft() {
            return windowsLeft;
        }

        @Override
        public void progress(long windows, long rowsRead, long bytesRead, double covered) {
            windowsLeft--;
        }

        @Override
        public void endsAt(long token) {
            ends.add(token);
        }
    }

    @Test
    void shouldEndBeforeThePartitionInWhichItsTimeIsUp() throws IOException {
        Timed timed = new Timed(3);

        TestTable other = repair(config(1, List.of(TokenRange.FULL)), timed);

        assertThat(timed.ends).singleElement().satisfies(token -> {
            assertThat(KEYS).extracting(DecoratedKey::token).contains(token + 1);
            assertThat(other.repairedRanges).containsExactly(new TokenRange(Long.MIN_VALUE, token));
            assertThat(other.stagedLines())
                    .isEqualTo(Sessions.rows(
                                    KEYS.stream()
                                            .filter(key -> key.token() <= token)
                                            .toList(),
                                    1)
                            .lines())
                    .isNotEmpty();
        });
    }

    @Test
    void shouldGoOnWhereItsTimeIsUpAroundTheRingOrAtItsEnd() throws IOException {
        Timed around = new Timed(0);
        Timed whole = new Timed(2);
        long middle = KEYS.get(3).token();

        repair(config(1, List.of(new TokenRange(middle, middle))), around);
        TestTable all = repair(config(BUFFER_BYTES, List.of(TokenRange.FULL)), whole);

        assertThat(around.ends).isEmpty();
        assertThat(whole.ends).isEmpty();
        assertThat(all.repairedRanges).containsExactly(TokenRange.FULL);
    }

    /** Its tokens come in another order than those who would cut it see them in. */
    @Test
    void shouldNotEndEarlyWhereARangeGoesAroundTheRing() throws IOException {
        long middle = KEYS.get(3).token();
        Ending ending = new Ending(KEYS.get(1).token());

        TestTable other = repair(config(BUFFER_BYTES, List.of(new TokenRange(middle, middle))), ending);

        assertThat(ending.offered).isFalse();
        assertThat(other.repairedRanges).containsExactly(new TokenRange(middle, middle));
    }
}
