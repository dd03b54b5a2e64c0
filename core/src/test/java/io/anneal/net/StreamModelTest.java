package io.anneal.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.io.ByteBudget;
import io.anneal.net.SimulatedFaults.Cut;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random streams of both sides over a simulated network, with faults and without: whatever is read is what was written, in
 * order; every future comes to an end, of a known type; and nothing is left, neither stream, nor reservation, nor buffer.
 */
@Timeout(600)
class StreamModelTest {
    private static final Verb STREAM = new Verb(9, "test.stream");
    private static final int SEEDS = Integer.getInteger("anneal.seeds", 25);
    private static final int STEPS = 150;

    /** One direction of a stream: what was written, what was read, and how far it came. */
    private static final class Direction {
        final ByteArrayOutputStream written = new ByteArrayOutputStream();
        final ByteArrayOutputStream read = new ByteArrayOutputStream();
        boolean endRead;
        /** Of the writes that came to their end. */
        long takenBytes;
    }

    /** A stream from one of its sides. */
    private record Side(PeerStream stream, Direction out, Direction in) {}

    @Test
    void shouldKeepEveryPromiseWithoutFaults() {
        run(false);
    }

    @Test
    void shouldKeepEveryPromiseUnderFaults() {
        run(true);
    }

    private static void run(boolean faults) {
        Long only = Long.getLong("anneal.seed");
        for (long seed = only == null ? 0 : only; seed < (only == null ? SEEDS : only + 1); seed++) {
            try {
                new Run(seed, faults).run();
            } catch (IOException | RuntimeException | AssertionError failure) {
                throw new AssertionError("failed with seed=" + seed + ", faults=" + faults, failure);
            }
        }
    }

    private static final class Run {
        private final SplittableRandom random;
        private final boolean faults;
        private final SimulatedFaults quiet;
        private final ByteBudget budget;
        private final SimulatedPair net;
        private final List<Side> sides = new ArrayList<>();
        private final List<CompletableFuture<?>> futures = new ArrayList<>();
        private final List<Connection> connections = new ArrayList<>();
        private int openedCount;

        Run(long seed, boolean faults) throws IOException {
            this.random = new SplittableRandom(seed);
            this.faults = faults;
            // Mostly so few that bytes wait in the sender's socket.
            this.quiet = SimulatedFaults.NONE.withBufferBytes(1_000 + random.nextInt(1 << random.nextInt(1, 18)));
            this.budget = ByteBudget.of(random.nextLong(200_000, 4_000_000));
            int initialCreditBytes = random.nextInt(2_000, 40_000);
            NetConfig config = NetFixture.config()
                    .withBudget(budget)
                    .withLimits(NetLimits.DEFAULT.withStreams(
                            initialCreditBytes, initialCreditBytes * random.nextInt(1, 10), 300_000, 30))
                    .withCompressionFromBytes(random.nextBoolean() ? 0 : 500);
            this.net = SimulatedPair.started(seed, config);
            net.handlers.registerStream(STREAM, this::accepted);
        }

        /** The number of the stream is its first message, so that both sides find their directions. */
        private void accepted(PeerStream stream) {
            ByteBuffer number = ByteBuffer.allocate(Integer.BYTES);
            readNumber(stream, number);
        }

        private void readNumber(PeerStream stream, ByteBuffer number) {
            stream.read(piece -> {
                        while (number.hasRemaining() && piece.hasRemaining()) {
                            number.put(piece.get());
                        }
                    })
                    .whenComplete((more, failed) -> {
                        if (failed != null || !more) {
                            stream.reset("test-unread", "no number");
                        } else if (number.hasRemaining()) {
                            readNumber(stream, number);
                        } else {
                            Side opener = sides.get(2 * number.getInt(0));
                            sides.set(2 * number.getInt(0) + 1, new Side(stream, opener.in(), opener.out()));
                        }
                    });
        }

        void run() throws IOException {
            net.bothWays(quiet);
            for (int i = 0; i < STEPS; i++) {
                step();
            }
            settle();
            checkAll();
        }

        private void step() throws IOException {
            switch (random.nextInt(faults ? 16 : 13)) {
                case 0, 1 -> open();
                case 2 -> request();
                case 3, 4, 5 -> write();
                case 6, 7, 8 -> read();
                case 9 -> end();
                case 10 -> reset();
                case 11, 12 -> net.network.runFor(Duration.ofNanos(random.nextLong(1, 3_000_000)));
                default -> disturb();
            }
        }

        private Connection connection() throws IOException {
            connections.removeIf(connection -> !connection.isOpen());
            if (connections.isEmpty() || random.nextInt(20) == 0) {
                Connection made;
                try {
                    made = net.connect();
                } catch (PeerException | CorruptFrameException refused) {
                    assertThat(faults).as("refused, %s", refused).isTrue();
                    calm();
                    made = net.connect();
                }
                connections.add(made);
            }
            return connections.get(random.nextInt(connections.size()));
        }

        private void open() throws IOException {
            Connection connection = connection();
            if (random.nextBoolean() && !sides.isEmpty()) {
                Side known = sides.get(random.nextInt(sides.size()));
                connection = known == null ? connection : known.stream().connection();
            }
            Side side = new Side(connection.open(STREAM), new Direction(), new Direction());
            futures.add(side.stream().write(ByteBuffer.allocate(Integer.BYTES).putInt(0, openedCount++)));
            futures.add(side.stream().closed());
            sides.add(side);
            sides.add(null);
        }

        private Side side() {
            return sides.isEmpty() ? null : sides.get(random.nextInt(sides.size()));
        }

        private byte[] content() {
            byte[] content = new byte[random.nextInt(1 << random.nextInt(1, 18))];
            if (random.nextBoolean()) {
                random.nextBytes(content);
            } else {
                Arrays.fill(content, (byte) random.nextInt());
            }
            return content;
        }

        private void request() throws IOException {
            byte[] question = content();
            futures.add(connection()
                    .request(NetFixture.ECHO, ByteBuffer.wrap(question), random.nextLong(1, 30_000))
                    .thenAccept(answer -> assertThat(answer).isEqualTo(ByteBuffer.wrap(question))));
        }

        private void write() {
            Side side = side();
            if (side == null) {
                return;
            }
            byte[] content = content();
            boolean direct = random.nextBoolean();
            ByteBuffer data = direct ? ByteBuffer.allocateDirect(content.length) : ByteBuffer.allocate(content.length);
            data.put(content).flip();
            side.out().written.writeBytes(content);
            futures.add(side.stream().write(data).whenComplete((done, failed) -> {
                side.out().takenBytes += failed == null ? content.length : 0;
                // It is the caller's again: what becomes of it now must not be seen by the peer.
                for (int i = 0; i < data.capacity(); i++) {
                    data.put(i, (byte) 0x55);
                }
            }));
        }

        private void read() {
            Side side = side();
            if (side == null) {
                return;
            }
            int takesBytesMax = random.nextInt(1 << random.nextInt(1, 18));
            boolean whole = random.nextInt(4) == 0;
            PieceConsumer consumer = piece -> {
                byte[] taken = new byte[whole ? piece.remaining() : Math.min(piece.remaining(), takesBytesMax)];
                piece.get(taken);
                side.in().read.writeBytes(taken);
            };
            if (whole) {
                futures.add(side.stream().readAll(consumer).thenRun(() -> side.in().endRead = true));
            } else {
                futures.add(side.stream().read(consumer).thenAccept(more -> side.in().endRead |= !more));
            }
        }

        private void end() {
            Side side = side();
            if (side != null) {
                futures.add(side.stream().end());
            }
        }

        private void reset() {
            Side side = side();
            if (side != null) {
                side.stream().reset("test-enough", "no more");
            }
        }

        private void disturb() {
            calm();
            Cut cut = Cut.values()[random.nextInt(3)];
            switch (random.nextInt(6)) {
                case 0 -> net.bothWays(SimulatedFaults.NONE.withCutChance(1e-5, cut));
                case 1 -> net.bothWays(SimulatedFaults.NONE.withCorruptedChance(1e-5));
                case 2 -> net.network.partition(SimulatedPair.SERVER, SimulatedPair.CLIENT);
                case 3 -> net.network.cut(SimulatedPair.SERVER, SimulatedPair.CLIENT, cut);
                case 4 -> net.network.readBytesPerSecond(SimulatedPair.SERVER, random.nextInt(1_000_000));
                default ->
                    net.bothWays(SimulatedFaults.NONE.withDelay(Duration.ZERO, Duration.ofMillis(random.nextInt(300))));
            }
        }

        private void calm() {
            net.network.heal(SimulatedPair.SERVER, SimulatedPair.CLIENT);
            net.network.readAtOnce(SimulatedPair.SERVER);
            net.bothWays(quiet);
        }

        /** All is ended, the connections are drained while much is unread, and then all but a few streams are read. */
        private void settle() {
            calm();
            net.network.runFor(Duration.ofSeconds(1));
            for (Side side : sides) {
                if (side != null) {
                    futures.add(side.stream().end());
                }
            }
            for (Connection connection : connections) {
                futures.add(connection.drain());
            }
            net.network.runFor(Duration.ofNanos(random.nextLong(1, 100_000_000)));
            for (Side side : new ArrayList<>(sides)) {
                if (side != null && (!faults || random.nextInt(4) > 0)) {
                    readToTheEnd(side);
                }
            }
            // Beyond every time limit.
            net.network.runFor(Duration.ofMinutes(40));
        }

        private void readToTheEnd(Side side) {
            CompletableFuture<Void> read = side.stream().readAll(piece -> {
                byte[] taken = new byte[piece.remaining()];
                piece.get(taken);
                side.in().read.writeBytes(taken);
            });
            read.whenComplete((done, failed) -> {
                if (failed == null) {
                    side.in().endRead = true;
                } else if (causeOf(failed) instanceof IllegalStateException) {
                    // Another reader is at work.
                    net.network.schedule(Duration.ofMillis(200), () -> readToTheEnd(side));
                }
            });
            futures.add(read);
        }

        private static Throwable causeOf(Throwable failure) {
            return failure instanceof CompletionException ? failure.getCause() : failure;
        }

        private void checkAll() {
            for (Side side : sides) {
                if (side != null) {
                    check(side.in());
                }
            }
            for (CompletableFuture<?> future : futures) {
                assertThat(future).isDone();
                if (future.isCompletedExceptionally()) {
                    check(causeOf(future.handle((value, failed) -> failed).join()));
                }
            }
            assertThat(faults ? List.of() : net.failures).isEmpty();
            assertThat(budget.reservedBytes()).isZero();
            assertThat(budget.fairBytes(1, Long.MAX_VALUE))
                    .as("nobody shares it")
                    .isEqualTo(budget.totalBytes() / 4);
            net.close();
            assertThat(net.server.connectionCount()).isZero();
            assertThat(net.network.bufferBytes()).as("bytes of buffers in use").isZero();
        }

        private static void check(Direction direction) {
            byte[] written = direction.written.toByteArray();
            byte[] read = direction.read.toByteArray();
            assertThat(read.length).isLessThanOrEqualTo(written.length);
            assertThat(Arrays.equals(read, 0, read.length, written, 0, read.length))
                    .as("what is read is what was written, readBytes=%s", read.length)
                    .isTrue();
            if (direction.endRead) {
                assertThat(read.length).as("all is read").isEqualTo((int) direction.takenBytes);
            }
        }

        /** Without faults a stream fails only for what one of its sides did, or for want of memory. */
        private void check(Throwable failure) {
            assertThat(failure)
                    .isInstanceOfAny(PeerException.class, CorruptFrameException.class, IllegalStateException.class);
            if (!faults && !(failure instanceof IllegalStateException)) {
                assertThat(failure).isInstanceOf(PeerException.class);
                assertThat(((PeerException) failure).code())
                        .as("%s", failure)
                        .isIn(
                                "test-enough",
                                "test-unread",
                                PeerException.BUSY,
                                PeerException.TOO_MANY_STREAMS,
                                PeerException.REQUEST_TIMEOUT);
            }
        }
    }
}
