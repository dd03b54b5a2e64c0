package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.testkit.LinkFault;
import io.anneal.testkit.LinkFault.Direction;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Connections over real sockets that go wrong at any byte: a clear error or the whole, nothing stuck, nothing lost, and
 * the server serves whoever comes next. A failure names the fault, or its seed.
 */
@Timeout(600)
class MisbehavingPeerTest {
    private static final int[] SHORT = {0, 20};
    /** Of several frames. */
    private static final int[] LONGER = {0, 100, 70_000, 1};
    /** More than a stream's first credit. */
    private static final int[] LONG = {0, 100, 70_000, 1, 300_000, 64 << 10};

    private static final int ROUNDS = Integer.getInteger("anneal.link.rounds", 24);

    private static BufferLeaks leaks;

    @BeforeAll
    static void watchBuffers() {
        leaks = new BufferLeaks();
    }

    @AfterAll
    static void findLostBuffers() {
        leaks.close();
    }

    private interface FaultAt {
        LinkFault at(Direction direction, long offset);
    }

    @Test
    void shouldSurviveAResetAtAnyByte() throws Exception {
        assertSurvivesAtAnyByte(LinkFault::reset);
    }

    @Test
    void shouldSurviveACloseAtAnyByte() throws Exception {
        assertSurvivesAtAnyByte(LinkFault::close);
    }

    @Test
    void shouldSurviveAFlippedBitInAnyByte() throws Exception {
        long seed = Long.getLong("anneal.seed", new Random().nextLong());
        System.out.println("seed=" + seed);
        Random random = new Random(seed);
        assertSurvivesAtAnyByte((direction, offset) -> LinkFault.flip(direction, offset, random.nextInt(Byte.SIZE)));
    }

    private static void assertSurvivesAtAnyByte(FaultAt fault) throws Exception {
        try (FaultyConversation conversation = new FaultyConversation(FaultyConversation.PATIENT, SHORT)) {
            assertThat(conversation.run()).isEmpty();
            long[] lengthBytes = {
                conversation.lengthBytes(Direction.TO_SERVER), conversation.lengthBytes(Direction.TO_CLIENT)
            };
            for (Direction direction : Direction.values()) {
                for (long offset = 0; offset < lengthBytes[direction.ordinal()]; offset++) {
                    conversation.run(fault.at(direction, offset));
                }
                conversation.assertRecovers();
            }
        }
    }

    @Test
    void shouldFailByNameWhenTheLastByteOfAnAnswerIsMissing() throws Exception {
        try (FaultyConversation conversation = new FaultyConversation(FaultyConversation.PATIENT, 100)) {
            conversation.run();
            long lengthBytes = conversation.lengthBytes(Direction.TO_CLIENT);

            assertThat(conversation.run(LinkFault.close(Direction.TO_CLIENT, lengthBytes - 1)))
                    .isNotEmpty();
            assertThat(conversation.run(LinkFault.flip(Direction.TO_CLIENT, lengthBytes - 1, 0)))
                    .isNotEmpty();
        }
    }

    @Test
    void shouldGiveTheWholeHoweverSlowlyItComes() throws Exception {
        // A byte a write is hundreds of thousands of them: no more than a busy machine has done in time.
        try (FaultyConversation conversation = new FaultyConversation(FaultyConversation.PATIENT, LONGER)) {
            for (Direction direction : Direction.values()) {
                assertThat(conversation.run(LinkFault.bytewise(direction))).isEmpty();
            }
        }
        try (FaultyConversation conversation = new FaultyConversation(FaultyConversation.PATIENT, LONG)) {
            for (Direction direction : Direction.values()) {
                assertThat(conversation.run(LinkFault.throttle(direction, 2_000_000)))
                        .isEmpty();
                assertThat(conversation.run(
                                LinkFault.delay(direction, 50, 100), LinkFault.delay(direction, 100_000, 100)))
                        .isEmpty();
            }
        }
    }

    @Test
    void shouldNoticeAPeerThatFallsSilent() throws Exception {
        try (FaultyConversation conversation = new FaultyConversation(FaultyConversation.IMPATIENT, LONG)) {
            for (Direction direction : Direction.values()) {
                for (long offset : new long[] {0, 10, 200, 400, 50_000, 300_000}) {
                    assertThat(conversation.run(LinkFault.halfOpen(direction, offset)))
                            .as("%s %s", direction, offset)
                            .isNotEmpty();
                    assertThat(conversation.run(LinkFault.stall(direction, offset)))
                            .as("%s %s", direction, offset)
                            .isNotEmpty();
                }
            }
            conversation.assertRecovers();
        }
    }

    @Test
    void shouldSurviveAnythingAnywhereInALongConversation() throws Exception {
        long seed = Long.getLong("anneal.seed", new Random().nextLong());
        System.out.println("seed=" + seed);
        Random random = new Random(seed);
        try (FaultyConversation conversation = new FaultyConversation(FaultyConversation.IMPATIENT, LONG)) {
            for (int round = 0; round < ROUNDS; round++) {
                conversation.run(LinkFault.random(random, 700_000), LinkFault.random(random, 700_000));
            }
            conversation.assertRecovers();
        }
    }
}
