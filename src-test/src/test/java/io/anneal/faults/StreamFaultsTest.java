package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.anneal.environment.HostEnvironment;
import io.anneal.net.NetTimeouts;
import io.anneal.net.PeerException;
import io.anneal.streaming.StreamReport;
import io.anneal.testkit.LinkFault;
import io.anneal.testkit.LinkFault.Direction;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A table goes to another node over real sockets that go wrong at any byte, as whole files, parts and rows: all of it is there,
 * nothing was sent twice, or a clear error and nothing of it. A failure names the fault; {@code -Danneal.seed=N} for others.
 */
@Timeout(300)
class StreamFaultsTest {
    private static final int ROUNDS = Integer.getInteger("anneal.link.rounds", 30);
    private static final long SEED = Long.getLong("anneal.seed", new Random().nextLong());

    private static BufferLeaks leaks;

    @TempDir
    private Path directory;

    private StreamedTable table;
    private Random random;

    @BeforeAll
    static void watchBuffers() {
        System.out.println("seed=" + SEED);
        leaks = new BufferLeaks();
    }

    @AfterAll
    static void findLostBuffers() {
        leaks.close();
    }

    @BeforeEach
    void start() throws IOException {
        random = new Random(SEED);
        table = StreamedTable.open(directory, NetTimeouts.DEFAULT);
    }

    /** Also: nothing is held by either side any more. */
    @AfterEach
    void stop() throws Exception {
        table.close();
        table.assertNothingLeft();
    }

    private interface FaultAt {
        LinkFault at(long offset);
    }

    /** Through a connection that is healed when the target comes again: complete, in as many bytes as without the fault. */
    private void assertComesWholeAt(int rounds, FaultAt fault) throws IOException {
        StreamReport clean = table.stream();
        table.assertArrived();
        long lengthBytes = table.forwardedBytes(Direction.TO_CLIENT);
        for (int round = 0; round < rounds; round++) {
            LinkFault drawn = fault.at(random.nextLong(lengthBytes));
            StreamReport report = table.stream(drawn);

            assertThat(report.bytes()).as("%s", drawn).isEqualTo(clean.bytes());
            table.assertArrived();
        }
    }

    @Test
    void shouldGoOnWhereTheConnectionWasCut() throws IOException {
        assertComesWholeAt(
                ROUNDS,
                offset -> random.nextInt(4) == 0
                        ? LinkFault.close(Direction.TO_CLIENT, offset)
                        : LinkFault.reset(Direction.TO_CLIENT, offset));
    }

    @Test
    void shouldWaitForWhatIsLateOrSlow() throws IOException {
        assertComesWholeAt(2, offset -> LinkFault.delay(Direction.TO_CLIENT, offset, 50));
        assertComesWholeAt(1, offset -> LinkFault.throttle(Direction.TO_CLIENT, 8_000_000));
    }

    /** What a frame's checksum finds comes again as a frame, what only a file's or a chunk's finds as an SSTable. */
    @Test
    void shouldTakeNoFlippedBit() throws IOException {
        StreamReport clean = table.stream();
        long lengthBytes = table.forwardedBytes(Direction.TO_CLIENT);
        for (int round = 0; round < ROUNDS / 2; round++) {
            LinkFault drawn =
                    LinkFault.flip(Direction.TO_CLIENT, random.nextLong(lengthBytes), random.nextInt(Byte.SIZE));

            assertThat(table.stream(drawn).bytes()).as("%s", drawn).isBetween(clean.bytes(), 2 * clean.bytes());
            table.assertArrived();
        }
    }

    /** Either side falls silent, or reads no more: the other one notices, lets go, and the target comes again. */
    @Test
    void shouldComeAgainWhenAPeerFellSilent() throws IOException {
        table.close();
        table = StreamedTable.open(directory.resolve("impatient"), FaultyConversation.IMPATIENT);
        StreamReport clean = table.stream();
        long lengthBytes = table.forwardedBytes(Direction.TO_CLIENT);
        List<LinkFault> faults = new ArrayList<>();
        for (long offset : new long[] {0, 300, lengthBytes / 2, lengthBytes - 1000}) {
            faults.add(LinkFault.halfOpen(Direction.TO_CLIENT, offset));
            faults.add(LinkFault.stall(Direction.TO_CLIENT, offset));
        }
        faults.add(LinkFault.stall(Direction.TO_SERVER, 500));
        for (LinkFault fault : faults) {
            assertThat(table.stream(fault).bytes()).as("%s", fault).isEqualTo(clean.bytes());
            table.assertArrived();
        }
    }

    @Test
    void shouldFailByNameWhenThePeerTalksNonsense() throws IOException {
        byte[] nonsense = new byte[100_000];
        random.nextBytes(nonsense);
        try (ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            Thread answering = new Thread(() -> answer(server, nonsense), "nonsense");
            answering.setDaemon(true);
            answering.start();
            InetSocketAddress address = (InetSocketAddress) server.getLocalSocketAddress();

            PeerException failure = catchThrowableOfType(PeerException.class, () -> table.streamFrom(address));

            assertThat(failure.code()).isEqualTo(PeerException.NOT_ANNEAL);
            assertThat(failure).hasMessageContaining(String.valueOf(address.getPort()));
            table.assertNothingArrived();
        }
    }

    private static void answer(ServerSocket server, byte[] nonsense) {
        while (!server.isClosed()) {
            try (Socket client = server.accept()) {
                client.getOutputStream().write(nonsense);
                client.getInputStream().readAllBytes();
            } catch (IOException gone) {
                continue; // The next one, if the server is not closed.
            }
        }
    }

    static HostEnvironment hurried() {
        HostEnvironment system = HostEnvironment.system();
        return system.withTime(system.clock(), system.nanoTime(), nanos -> Thread.onSpinWait());
    }
}
