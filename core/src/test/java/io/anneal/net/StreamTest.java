package io.anneal.net;

import static io.anneal.net.NetFixture.ECHO;
import static io.anneal.net.NetFixture.bytes;
import static io.anneal.net.NetFixture.config;
import static io.anneal.net.NetFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.anneal.io.ByteBudget;
import io.netty.channel.epoll.Epoll;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams over real sockets: both directions, credit, memory, files, ends. */
@Timeout(120)
class StreamTest {
    private static final Verb STREAM = new Verb(9, "test.stream");

    /** A server that hands over the streams that come, a client, and one connection. */
    private static final class Pair implements AutoCloseable {
        final NetFixture net;
        final BlockingQueue<PeerStream> accepted = new LinkedBlockingQueue<>();
        final NetConfig server;
        final Connection connection;

        Pair() throws IOException {
            this(config());
        }

        Pair(NetConfig config) throws IOException {
            this(config, new NetFixture());
        }

        /** The sides have a budget each. */
        Pair(NetConfig config, NetFixture net) throws IOException {
            this.net = net;
            this.server = config;
            net.handlers.registerStream(STREAM, accepted::add);
            net.serve(config);
            net.callWith(config.withBudget(ByteBudget.of(config.budget().totalBytes())));
            connection = net.connect();
        }

        PeerStream accepted() throws InterruptedException {
            PeerStream stream = accepted.poll(20, TimeUnit.SECONDS);
            assertThat(stream).as("a stream comes").isNotNull();
            return stream;
        }

        @Override
        public void close() {
            net.close();
        }
    }

    private static void await(BooleanSupplier condition, String what) throws InterruptedException {
        for (int i = 0; i < 20_000 && !condition.getAsBoolean(); i++) {
            Thread.sleep(1);
        }
        assertThat(condition.getAsBoolean()).as(what).isTrue();
    }

    private static byte[] random(int lengthBytes, long number) {
        byte[] bytes = new byte[lengthBytes];
        new Random(number).nextBytes(bytes);
        return bytes;
    }

    private static void assertCode(CompletableFuture<?> future, String code) {
        assertThatThrownBy(() -> Waiting.result(future))
                .asInstanceOf(type(PeerException.class))
                .extracting(PeerException::code)
                .isEqualTo(code);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCarryStreamsThatEitherSideOpensBothWays(boolean epoll) throws Exception {
        Assumptions.assumeTrue(!epoll || Epoll.isAvailable());
        NetFixture net = new NetFixture(() -> epoll ? SocketTransport.epoll(1) : SocketTransport.nio(1));
        try (Pair pair = new Pair(config(), net)) {
            PeerStream here = pair.connection.open(STREAM);
            here.write(bytes("to the server"));
            PeerStream there = pair.accepted();
            PeerStream back = there.connection().open(STREAM);
            back.write(bytes("to the client"));
            PeerStream client = pair.accepted();

            // Half closed: the other direction goes on.
            here.end();
            assertThat(text(Waiting.result(there.readMessage(100)))).isEqualTo("to the server");
            byte[] much = random(3 << 20, 1);
            there.write(ByteBuffer.wrap(much));
            there.end();
            assertThat(Waiting.result(here.readMessage(much.length))).isEqualTo(ByteBuffer.wrap(much));
            back.end();
            assertThat(text(Waiting.result(client.readMessage(100)))).isEqualTo("to the client");
            client.end();
            assertThat(Waiting.result(back.readMessage(1)).hasRemaining()).isFalse();

            for (PeerStream stream : List.of(here, there, back, client)) {
                Waiting.result(stream.closed());
            }
            assertThat(pair.server.budget().reservedBytes()).isZero();
        }
    }

    @Test
    void shouldStopOnlyAStreamThatNobodyReadsAndStayWithinTheBudget() throws Exception {
        ByteBudget budget = ByteBudget.of(4 << 20);
        try (Pair pair = new Pair(config().withBudget(budget))) {
            List<CompletableFuture<Void>> stuck = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                stuck.add(pair.connection.open(STREAM).write(ByteBuffer.allocate(1 << 20)));
            }
            for (int i = 0; i < 20; i++) {
                byte[] question = random(200_000, i);
                assertThat(pair.connection.call(ECHO, ByteBuffer.wrap(question)))
                        .isEqualTo(ByteBuffer.wrap(question));
            }
            assertThat(stuck).noneMatch(CompletableFuture::isDone);
            assertThat(budget.reservedBytesMost()).isLessThanOrEqualTo(4 << 20);
            for (int i = 0; i < 10; i++) {
                pair.accepted().reset("test-enough", "no more");
            }
            for (CompletableFuture<Void> write : stuck) {
                assertCode(write, "test-enough");
            }
            await(() -> budget.reservedBytes() == 0, "all is given back");
        }
    }

    @Test
    void shouldRefuseStreamsWhileTheBudgetIsFullAndTakeThemWhenItIsFreeAgain() throws Exception {
        ByteBudget budget = ByteBudget.of(200 << 10); // Of which one peer has half.
        try (Pair pair = new Pair(config().withBudget(budget))) {
            List<PeerStream> held = new ArrayList<>();
            assertThat(budget.tryReserve(180 << 10)).isTrue();
            PeerStream refused = pair.connection.open(STREAM);
            assertCode(refused.closed(), PeerException.BUSY);
            assertCode(refused.write(bytes("late")), PeerException.BUSY);

            budget.release(180 << 10);
            PeerStream first = pair.connection.open(STREAM);
            held.add(pair.accepted());
            for (int i = 0; i < 2; i++) {
                pair.connection.open(STREAM);
                held.add(pair.accepted());
            }
            assertCode(pair.connection.open(STREAM).closed(), PeerException.BUSY);
            held.get(0).reset("test-done", "done");
            assertCode(first.closed(), "test-done");
            await(() -> budget.reservedBytes() == 64 << 10, "two are left");
            pair.connection.open(STREAM);
            pair.accepted();
        }
    }

    @Test
    void shouldRefuseMoreStreamsThanAgreedOnBothSides() throws Exception {
        NetLimits limits = NetLimits.DEFAULT.withStreams(32 << 10, 1 << 20, 1 << 20, 2);
        try (Pair pair = new Pair(config().withLimits(limits))) {
            pair.connection.open(STREAM);
            PeerStream two = pair.connection.open(STREAM);
            assertCode(pair.connection.open(STREAM).closed(), PeerException.TOO_MANY_STREAMS);
            PeerStream there = pair.accepted();
            pair.accepted();
            PeerStream back = there.connection().open(STREAM);
            there.connection().open(STREAM);
            assertCode(there.connection().open(STREAM).closed(), PeerException.TOO_MANY_STREAMS);
            pair.accepted();
            pair.accepted();

            two.reset("test-done", "done");
            back.reset("test-done", "done");
            pair.connection.open(STREAM);
            pair.accepted();
            there.connection().open(STREAM);
            pair.accepted();
        }
    }

    @Test
    void shouldResetAtTheServerWhenTheTimeOfARequestIsOver() throws Exception {
        try (Pair pair = new Pair()) {
            CompletableFuture<ByteBuffer> answer = pair.connection.request(STREAM, bytes("x"), 50);
            PeerStream there = pair.accepted();

            assertCode(answer, PeerException.REQUEST_TIMEOUT);
            assertCode(there.closed(), PeerException.REQUEST_TIMEOUT);
            await(() -> pair.server.budget().reservedBytes() == 0, "the memory of the request is given back");
        }
    }

    @Test
    void shouldLeaveNothingBehindAfterManyRequests() throws Exception {
        try (Pair pair = new Pair()) {
            Connection[] server = new Connection[1];
            Verb registering = new Verb(10, "test.registering");
            pair.net.handlers.register(registering, (peer, request) -> {
                server[0] = peer;
                peer.onClose(() -> {}).close();
                return CompletableFuture.completedFuture(request);
            });
            for (int round = 0; round < 100; round++) {
                List<CompletableFuture<ByteBuffer>> answers = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    answers.add(pair.connection.request(registering, bytes("x")));
                }
                Waiting.results(answers);
            }
            await(() -> ((Session) server[0]).isEmpty(), "the server's streams and callbacks are gone");
            assertThat(((Session) pair.connection).isEmpty()).isTrue();
            assertThat(pair.server.budget().reservedBytes()).isZero();
        }
    }

    @Test
    void shouldEndAfterItsStreamsWhenDrained() throws Exception {
        try (Pair pair = new Pair()) {
            PeerStream here = pair.connection.open(STREAM);
            PeerStream there = pair.accepted();

            CompletableFuture<Void> drained = pair.connection.drain();

            assertCode(pair.connection.open(STREAM).closed(), PeerException.CLOSED);
            here.write(bytes("still open"));
            here.end();
            assertThat(text(Waiting.result(there.readMessage(100)))).isEqualTo("still open");
            assertCode(there.connection().open(STREAM).closed(), PeerException.CLOSED);
            assertThat(drained).isNotDone();
            there.write(bytes("answer"));
            there.end();
            assertThat(text(Waiting.result(here.readMessage(100)))).isEqualTo("answer");

            Waiting.result(drained);
            assertThat(pair.connection.isOpen()).isFalse();
            assertThat(pair.connection.closeCause()).isEmpty();
        }
    }

    /** The drained side is through when the other one has not read all yet. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldLetThePeerReadToTheEndWhenDrained(boolean bothDrain) throws Exception {
        try (Pair pair = new Pair()) {
            PeerStream here = pair.connection.open(STREAM);
            PeerStream there = pair.accepted();
            byte[] content = random(20_000, 3);
            there.end();
            assertThat(Waiting.result(here.readMessage(1)).hasRemaining()).isFalse();

            CompletableFuture<Void> drained = pair.connection.drain();
            if (bothDrain) {
                there.connection().drain();
            }
            here.write(ByteBuffer.wrap(content));
            Waiting.result(here.end());
            Waiting.result(here.closed());
            pair.net.executor.submit(() -> {}).get(20, TimeUnit.SECONDS);
            // Round trips, after which a goodbye would be here.
            await(() -> there.connection().bytesReceived() >= pair.connection.bytesSent(), "all has come");

            assertThat(Waiting.result(there.readMessage(content.length))).isEqualTo(ByteBuffer.wrap(content));
            Waiting.result(there.closed());
            Waiting.result(drained);
        }
    }

    @Test
    void shouldFailWhatIsLostByName() throws Exception {
        try (Pair pair = new Pair()) {
            PeerStream here = pair.connection.open(STREAM);
            CompletableFuture<ByteBuffer> message = here.readMessage(100);
            CompletableFuture<Void> written = here.write(ByteBuffer.allocate(10 << 20));
            pair.accepted();

            pair.net.server.close();

            for (CompletableFuture<?> future :
                    List.of(message, written, here.closed(), here.end(), here.write(bytes("x")))) {
                assertThatThrownBy(() -> Waiting.result(future)).isInstanceOf(PeerException.class);
            }
        }
    }

    @Test
    void shouldRefuseASecondReaderAndWritesAfterTheEnd() throws Exception {
        try (Pair pair = new Pair()) {
            PeerStream here = pair.connection.open(STREAM);
            PeerStream there = pair.accepted();
            CompletableFuture<Boolean> first = there.read(piece -> piece.position(piece.limit()));

            assertThatThrownBy(() -> Waiting.result(there.read(piece -> {}))).isInstanceOf(IllegalStateException.class);
            here.write(bytes("x"));
            assertThat(Waiting.result(first)).isTrue();
            here.end();
            assertThatThrownBy(() -> Waiting.result(here.write(bytes("late"))))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(Waiting.result(there.read(piece -> {}))).isFalse();
        }
    }

    @Test
    void shouldHandOverAgainWhatTheConsumerLeaves() throws Exception {
        try (Pair pair = new Pair()) {
            PeerStream here = pair.connection.open(STREAM);
            here.write(bytes("abc"));
            here.end();
            PeerStream there = pair.accepted();
            StringBuilder read = new StringBuilder();
            for (int i = 0; i < 3; i++) {
                assertThat(Waiting.result(there.read(piece -> read.append((char) piece.get()))))
                        .isTrue();
            }
            assertThat(Waiting.result(there.read(piece -> {}))).isFalse();
            assertThat(read).hasToString("abc");
        }
    }

    @Test
    void shouldResetTheStreamOfAConsumerThatTakesNothing() throws Exception {
        try (Pair pair = new Pair()) {
            PeerStream here = pair.connection.open(STREAM);
            here.write(bytes("abc"));
            PeerStream there = pair.accepted();

            assertThatThrownBy(() -> Waiting.result(there.readAll(piece -> {})))
                    .isInstanceOf(IllegalStateException.class);
            assertCode(here.closed(), PeerException.INTERNAL);
        }
    }

    @Test
    void shouldResetTheStreamOfAConsumerThatFails() throws Exception {
        try (Pair pair = new Pair()) {
            for (Exception thrown : List.of(
                    new IOException("disk is full"),
                    new IllegalStateException("mistake"),
                    new CorruptFrameException("another peer", 7, "of another connection"))) {
                PeerStream here = pair.connection.open(STREAM);
                here.write(ByteBuffer.allocate(20_000));
                PeerStream there = pair.accepted();

                CompletableFuture<Void> read = there.readAll(piece -> {
                    if (thrown instanceof IOException io) {
                        throw io;
                    }
                    throw (RuntimeException) thrown;
                });

                assertThatThrownBy(() -> read.get(20, TimeUnit.SECONDS)).hasRootCause(thrown);
                assertCode(here.closed(), PeerException.INTERNAL);
                await(() -> pair.server.budget().reservedBytes() == 0, "memory is given back");
            }
            assertThat(text(pair.connection.call(ECHO, bytes("alive")))).isEqualTo("alive");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldSendPartsOfFilesInTheOrderOfTheCalls(boolean tls, @TempDir Path directory) throws Exception {
        byte[] content = random(1 << 20, 5);
        Path path = Files.write(directory.resolve("content"), content);
        try (FileChannel file = FileChannel.open(path);
                Pair pair = new Pair(tls ? overTls(directory) : config())) {
            PeerStream here = pair.connection.open(STREAM);
            here.write(bytes("before,"));
            here.write(file, 1, content.length - 2);
            here.write(bytes(",between,"));
            here.write(file, content.length, 0);
            here.write(file, 77, 1_000);
            here.write(bytes(",after"));
            here.end();

            ByteArrayOutputStream expected = new ByteArrayOutputStream();
            expected.writeBytes(bytes("before,").array());
            expected.write(content, 1, content.length - 2);
            expected.writeBytes(bytes(",between,").array());
            expected.write(content, 77, 1_000);
            expected.writeBytes(bytes(",after").array());
            assertThat(Waiting.result(pair.accepted().readMessage(2 << 20)))
                    .isEqualTo(ByteBuffer.wrap(expected.toByteArray()));
            assertThat(file.position()).isZero();
        }
    }

    /** Each piece costs both ends a wake-up and a few calls of the kernel, whatever its length. */
    @Test
    void shouldSendFilesInLongPiecesThatAreReadOnTheThreadThatWaitsForThem(@TempDir Path directory) throws Exception {
        byte[] content = random(3 << 20, 6);
        Path path = Files.write(directory.resolve("content"), content);
        NetLimits wide = NetLimits.DEFAULT.withStreams(4 << 20, 4 << 20, 1 << 20, 10);
        try (FileChannel file = FileChannel.open(path);
                Pair pair = new Pair(config().withLimits(wide))) {
            PeerStream here = pair.connection.open(STREAM);
            here.write(file, 0, content.length);
            here.end();
            PeerStream there = pair.accepted();

            ByteArrayOutputStream received = new ByteArrayOutputStream();
            List<Integer> lengths = new ArrayList<>();
            Set<Thread> threads = new HashSet<>();
            while (there.readHere(piece -> {
                threads.add(Thread.currentThread());
                lengths.add(piece.remaining());
                byte[] bytes = new byte[piece.remaining()];
                piece.get(bytes);
                received.writeBytes(bytes);
            })) {
                assertThat(threads).containsExactly(Thread.currentThread());
            }

            assertThat(received.toByteArray()).isEqualTo(content);
            assertThat(lengths).hasSizeLessThanOrEqualTo(1 + content.length / FrameDescriptor.FILE_PIECE_BYTES_MAX);
        }
    }

    private static NetConfig overTls(Path directory) throws Exception {
        Certificates certificates = Certificates.make(directory.resolve("certificates"));
        certificates.issue("local", "IP:127.0.0.1", "20200101000000Z", "20900101000000Z");
        return NetConfig.of(new NodeIdentity(new UUID(1, 2), "a", Map.of()), Optional.empty(), new VersionRange(1, 3))
                .withTimeouts(NetFixture.TIMEOUTS)
                .withTls(certificates.of("local"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldResetOnlyTheStreamOfAFileThatBecomesShorter(boolean tls, @TempDir Path directory) throws Exception {
        Path path = Files.write(directory.resolve("content"), new byte[4 << 20]);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
                Pair pair = new Pair(tls ? overTls(directory) : config())) {
            PeerStream here = pair.connection.open(STREAM);
            assertThatThrownBy(() -> Waiting.result(here.write(file, 1, 4 << 20)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("fileBytes=4194304");
            CompletableFuture<Void> written = here.write(file, 0, 4 << 20);
            PeerStream there = pair.accepted();
            // One piece is read, the next one is on its way or here, and the credit is used up.
            assertThat(Waiting.result(there.read(piece -> {}))).isTrue();
            file.truncate(100);

            CompletableFuture<Void> read = there.readAll(piece -> piece.position(piece.limit()));

            assertThatThrownBy(() -> Waiting.result(written)).isInstanceOf(IOException.class);
            assertCode(read, PeerException.INTERNAL);
            assertThat(text(pair.connection.call(ECHO, bytes("alive")))).isEqualTo("alive");
        }
    }

    /** A buffer is the caller's again only once the socket is done with it, whatever becomes of the stream. */
    @Test
    void shouldKeepBuffersAndFilesOfAResetStreamUntilTheyAreSent(@TempDir Path directory) throws Exception {
        NetLimits wide = NetLimits.DEFAULT.withStreams(8 << 20, 8 << 20, 1 << 20, 10);
        Path path = Files.write(directory.resolve("content"), random(4 << 20, 1));
        try (Pair pair = new Pair(config().withLimits(wide))) {
            for (int round = 0; round < 40; round++) {
                PeerStream here = pair.connection.open(STREAM);
                ByteBuffer direct = ByteBuffer.allocateDirect(4 << 20);
                FileChannel file = FileChannel.open(path);
                CompletableFuture<Void> written = round % 2 == 0 ? here.write(direct) : here.write(file, 0, 4 << 20);
                pair.accepted();
                here.reset("test-enough", "no more");
                written.handle((done, failed) -> {
                            for (int i = 0; i < direct.capacity(); i += 512) {
                                direct.put(i, (byte) 7);
                            }
                            try {
                                file.close();
                            } catch (IOException failure) {
                                throw new AssertionError(failure);
                            }
                            return null;
                        })
                        .get(20, TimeUnit.SECONDS);
            }
            assertThat(text(pair.connection.call(ECHO, bytes("alive")))).isEqualTo("alive");
        }
    }

    @Test
    void shouldTellThePeerOfAResetBeforeADrainedConnectionEnds() throws Exception {
        try (Pair pair = new Pair()) {
            PeerStream here = pair.connection.open(STREAM);
            PeerStream there = pair.accepted();
            CompletableFuture<Void> drained = pair.connection.drain();

            here.reset("test-enough", "no more");

            assertCode(there.closed(), "test-enough");
            Waiting.result(drained);
        }
    }

    @Test
    void shouldKeepAnIdleConnectionAndResetAnIdleStream() throws Exception {
        NetTimeouts impatient = new NetTimeouts(10_000, 10_000, 30_000, 1_500, 30_000, 1_000, 4_000);
        try (Pair pair = new Pair(config().withTimeouts(impatient))) {
            PeerStream here = pair.connection.open(STREAM);
            pair.accepted();

            assertCode(here.closed(), PeerException.STREAM_IDLE);

            assertThat(text(pair.connection.call(ECHO, bytes("alive")))).isEqualTo("alive");
        }
    }
}
