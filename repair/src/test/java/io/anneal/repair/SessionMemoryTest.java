package io.anneal.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.ByteBudget;
import io.anneal.net.NetLimits;
import io.anneal.net.PeerException;
import io.anneal.net.RequestException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SessionMemoryTest {
    private static final long MIB = 1 << 20;
    private static final long CREDIT_BYTES = NetLimits.DEFAULT.initialCreditBytes();
    private static final int MOST = RepairConfig.BUFFER_MAX_BYTES;

    private static String codeOf(SessionMemory memory, int askedBytes, int participants) {
        return codeOf(memory, askedBytes, participants, 1);
    }

    private static String codeOf(SessionMemory memory, int askedBytes, int participants, int replicasHere) {
        try {
            memory.take(askedBytes, participants, replicasHere, 1);
            return "taken";
        } catch (RequestException refused) {
            return refused.code();
        }
    }

    @Test
    void shouldHaveRoomForSessionsOfAsManyReplicasAsAreTold() throws RequestException {
        for (int participants : new int[] {2, 3, 6, 20}) {
            ByteBudget budget = ByteBudget.of(320 * MIB);
            SessionMemory memory = new SessionMemory(budget, 4);
            List<SessionMemory.Place> places = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                places.add(memory.take(MOST, participants, 1, 1));
            }

            int bufferBytes = places.get(0).bufferBytes();
            assertThat(budget.reservedBytes())
                    .as("participants=%d", participants)
                    .isEqualTo(4 * RepairConfig.sessionBytes(bufferBytes, participants))
                    .isBetween(150 * MIB, 160 * MIB);
            assertThat(codeOf(memory, MOST, participants)).isEqualTo(PeerException.BUSY);
            places.forEach(SessionMemory.Place::close);
            places.forEach(SessionMemory.Place::close);
            assertThat(budget.reservedBytes()).isZero();
        }
    }

    @Test
    void shouldTakeManySmallSessionsAndRefuseNoneForEver() throws RequestException {
        ByteBudget budget = ByteBudget.of(320 * MIB);
        SessionMemory memory = new SessionMemory(budget, 4);
        for (int i = 0; i < 32; i++) {
            assertThat(memory.take((int) MIB, 3, 1, 1).bufferBytes()).isEqualTo(MIB);
        }
        assertThat(codeOf(memory, (int) MIB, 3)).isEqualTo(PeerException.BUSY);
    }

    @Test
    void shouldGiveSmallBuffersOutOfASmallBudget() throws RequestException {
        ByteBudget budget = ByteBudget.of(MIB);
        SessionMemory memory = new SessionMemory(budget, 4);

        assertThat(memory.take(MOST, 3, 1, 1).bufferBytes()).isEqualTo((MIB / 2 - 2 * 3 * CREDIT_BYTES) / (3 * 5));
        assertThat(budget.reservedBytes()).isLessThanOrEqualTo(MIB / 2);
    }

    @Test
    void shouldFindRoomForAllSessionsThatComeTogether() throws RequestException {
        ByteBudget budget = ByteBudget.of(320 * MIB);
        SessionMemory memory = new SessionMemory(budget, 4);

        for (int i = 0; i < 16; i++) {
            assertThat(memory.take(MOST, 3, 1, 16).bufferBytes())
                    .isBetween((int) (2 * MIB) - (64 << 10), (int) (2 * MIB));
        }
        assertThat(codeOf(memory, MOST, 3)).isEqualTo(PeerException.BUSY);
        assertThat(budget.reservedBytes()).isLessThanOrEqualTo(160 * MIB);
    }

    @Test
    void shouldTakeFewerAtOnceRatherThanMakeBuffersTooSmall() throws RequestException {
        SessionMemory memory = new SessionMemory(ByteBudget.of(64 * MIB), 4);

        for (int i = 0; i < 6; i++) {
            assertThat(memory.take(MOST, 3, 1, 10_000).bufferBytes()).isEqualTo(RepairConfig.BUFFER_MIN_BYTES);
        }
        assertThatThrownBy(() -> memory.take(MOST, 3, 1, 10_000))
                .isInstanceOfSatisfying(
                        RequestException.class,
                        refused -> assertThat(refused.code()).isEqualTo(PeerException.BUSY));
    }

    @Test
    void shouldSayWhenThereCanNeverBeRoom() {
        ByteBudget budget = ByteBudget.of(64 * MIB);
        SessionMemory memory = new SessionMemory(budget, 4);

        assertThatThrownBy(() -> memory.take(MOST, Integer.MAX_VALUE, 1, 1))
                .isInstanceOfSatisfying(
                        RequestException.class,
                        refused -> assertThat(refused.code()).isEqualTo(RepairCode.TOO_LARGE))
                .hasMessageContaining("replicas=" + Integer.MAX_VALUE)
                .hasMessageContaining("neededBytes=");
        assertThat(budget.reservedBytes()).isZero();
    }

    @Test
    void shouldCountEachReplicaOfThisProcess() throws RequestException {
        ByteBudget budget = ByteBudget.of(320 * MIB);
        SessionMemory memory = new SessionMemory(budget, 1);

        SessionMemory.Place place = memory.take(MOST, 5, 5, 1);

        assertThat(place.bufferBytes()).isEqualTo(RepairConfig.bufferBytes(budget, 5));
        assertThat(budget.reservedBytes())
                .isEqualTo(5 * RepairConfig.sessionBytes(place.bufferBytes(), 5))
                .isBetween(159 * MIB, 160 * MIB);
    }

    @Test
    void shouldNeverSendAwayForLaterWhatFitsNoBetterThen() {
        for (long budgetBytes = 1_000; budgetBytes < 64 * MIB; budgetBytes += budgetBytes / 3) {
            for (int participants = 2; participants < 20; participants++) {
                for (int replicasHere : new int[] {1, participants}) {
                    ByteBudget budget = ByteBudget.of(budgetBytes);
                    if (!budget.tryReserve(2L * participants * CREDIT_BYTES)) {
                        continue; // Its own streams fail.
                    }

                    assertThat(codeOf(new SessionMemory(budget, 4), MOST, participants, replicasHere))
                            .as("budgetBytes=%d, participants=%d", budgetBytes, participants)
                            .isNotEqualTo(PeerException.BUSY);
                }
            }
        }
    }
}
