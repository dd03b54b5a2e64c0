package io.anneal.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.io.ByteBudget;
import io.anneal.io.UnsupportedVersionException;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.DuplexChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import net.jpountz.lz4.LZ4Factory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Conversations that are right but for a few changes, each over a connection of its own on a simulated network: whatever
 * comes, the server fails with a known type, keeps nothing and stays within its memory. {@code -Danneal.fuzz.cases} says how
 * many, {@code -Danneal.seed} where to start.
 */
@Timeout(3600)
class ConversationFuzzTest {
    private static final Verb ECHO = NetFixture.ECHO;
    private static final Verb READ_ALL = new Verb(2, "test.readAll");
    private static final Verb ASK_BACK = new Verb(3, "test.askBack");
    private static final Verb LEAVE = new Verb(4, "test.leave");
    private static final int CASES = Integer.getInteger("anneal.fuzz.cases", 10_000);
    private static final int CASES_OF_A_NETWORK = 500;
    private static final long BUDGET_BYTES = 1 << 20;

    @Test
    void shouldFailByNameAndKeepNothingWhateverFramesCome() throws IOException {
        long first = Long.getLong("anneal.seed", 1);
        for (long seed = first; seed < first + CASES; seed += CASES_OF_A_NETWORK) {
            Campaign campaign = new Campaign(seed);
            for (long of = seed; of < Math.min(first + CASES, seed + CASES_OF_A_NETWORK); of++) {
                try {
                    campaign.run(of);
                } catch (IOException | RuntimeException | AssertionError failure) {
                    throw new AssertionError("failed with seed=" + of + ", network=" + seed, failure);
                }
            }
            campaign.server.close();
            assertThat(campaign.network.bufferBytes())
                    .as("bytes of buffers in use after seed=%s", seed)
                    .isZero();
        }
    }

    private static final class Campaign {
        private final SimulatedNetwork network;
        private final NetConfig config;
        private final ByteBudget budget = ByteBudget.of(BUDGET_BYTES);
        private final List<IOException> failures = new ArrayList<>();
        private final List<CompletableFuture<?>> futures = new ArrayList<>();
        private final Transport transport;
        private final NetServer server;

        Campaign(long seed) throws IOException {
            network = new SimulatedNetwork(seed);
            NetTimeouts timeouts = new NetTimeouts(5_000, 5_000, 10_000, 60_000, 10_000, 1_000, 20_000);
            config = NetFixture.config()
                    .withTimeouts(timeouts)
                    .withLimits(NetLimits.DEFAULT.withStreams(8 << 10, 64 << 10, 300_000, 20))
                    .withBudget(budget)
                    .withCompressionFromBytes(seed / CASES_OF_A_NETWORK % 2 == 0 ? 100 : 0);
            VerbHandlers handlers = new VerbHandlers(network.executor())
                    .register(ECHO, (peer, request) -> CompletableFuture.completedFuture(request))
                    .registerStream(READ_ALL, this::readAll)
                    .registerStream(ASK_BACK, this::askBack)
                    .registerStream(LEAVE, stream -> futures.add(stream.closed()));
            server = NetServer.bind(
                    config,
                    new InetSocketAddress(SimulatedPair.SERVER, 7000),
                    handlers,
                    network.random(),
                    failures::add,
                    network.host(SimulatedPair.SERVER));
            transport = network.host(SimulatedPair.CLIENT);
        }

        private void readAll(PeerStream stream) {
            futures.add(stream.closed());
            futures.add(stream.readAll(piece -> piece.position(piece.limit())));
            futures.add(stream.write(ByteBuffer.allocate(50_000)));
            futures.add(stream.end());
        }

        private void askBack(PeerStream stream) {
            futures.add(stream.closed());
            futures.add(stream.connection().request(ECHO, ByteBuffer.allocate(20_000)));
            PeerStream back = stream.connection().open(READ_ALL);
            futures.add(back.closed());
            futures.add(back.write(ByteBuffer.allocateDirect(30_000)));
            futures.add(back.readMessage(10_000));
            futures.add(stream.read(piece -> piece.get()));
        }

        void run(long seed) throws IOException {
            Random random = new Random(seed);
            boolean inHandshake = random.nextInt(10) == 0;
            RawClient client = new RawClient(config, random, inHandshake);
            transport.connect(server.address(), 1_000, client.initializer());
            network.runUntilIdle();
            if (random.nextBoolean()) {
                network.runFor(Duration.ofMillis(random.nextInt(2_000)));
            }
            client.close();
            network.runFor(Duration.ofSeconds(3));

            assertThat(server.connectionCount()).isZero();
            assertThat(budget.reservedBytes()).isZero();
            assertThat(budget.reservedBytesMost()).isLessThanOrEqualTo(BUDGET_BYTES);
            for (CompletableFuture<?> future : futures) {
                assertThat(future).isDone();
                if (future.isCompletedExceptionally()) {
                    Throwable failure = future.handle((value, failed) -> failed).join();
                    assertThat(failure instanceof CompletionException ? failure.getCause() : failure)
                            .isInstanceOfAny(PeerException.class, CorruptFrameException.class, RequestException.class);
                }
            }
            for (IOException failure : failures) {
                assertThat(failure)
                        .isInstanceOfAny(
                                PeerException.class, CorruptFrameException.class, UnsupportedVersionException.class);
                if (failure instanceof PeerException peer) {
                    assertThat(peer.getCause() instanceof RuntimeException)
                            .as("%s", peer)
                            .isFalse();
                }
            }
            futures.clear();
            failures.clear();
        }
    }

    /** Shakes hands, right or wrong, then says its conversation. */
    private static final class RawClient extends ChannelInboundHandlerAdapter {
        private final Random random;
        private final boolean wrongHandshake;
        private final Handshake handshake;
        private final boolean lz4;
        private final FrameDecoder decoder = new FrameDecoder("server", new Traffic());
        private Channel channel;
        private boolean proven;

        RawClient(NetConfig config, Random random, boolean wrongHandshake) {
            this.random = random;
            this.wrongHandshake = wrongHandshake;
            this.handshake = new Handshake(Handshake.Role.CLIENT, config, random, "server");
            this.lz4 = config.compressionFromBytes() > 0;
        }

        ChannelInitializer<DuplexChannel> initializer() {
            return new ChannelInitializer<>() {
                @Override
                protected void initChannel(DuplexChannel made) {
                    channel = made;
                    made.pipeline().addLast(decoder).addLast(RawClient.this);
                }
            };
        }

        void close() {
            if (channel != null) {
                channel.close();
            }
        }

        private void send(byte[] bytes) {
            channel.writeAndFlush(Unpooled.wrappedBuffer(bytes));
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            byte[] hello = RawPeer.bytesOf(FrameKind.HELLO, 0, 0, handshake.helloBytes());
            send(wrongHandshake && random.nextBoolean() ? joined(changed(List.of(hello))) : hello);
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) throws IOException {
            Frame frame = (Frame) message;
            try {
                if (frame.kind() == FrameKind.HELLO && !proven) {
                    handshake.accept(frame);
                    byte[] proof = RawPeer.bytesOf(FrameKind.PROOF, 0, 0, handshake.proof());
                    send(wrongHandshake ? joined(changed(List.of(proof))) : proof);
                } else if (frame.kind() == FrameKind.PROOF && !proven) {
                    proven = true;
                    decoder.proven();
                    send(joined(changed(conversation())));
                }
            } finally {
                frame.release();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }

        private List<byte[]> conversation() {
            List<byte[]> frames = new ArrayList<>();
            long streamId = 1;
            for (int i = 0; i <= random.nextInt(6); i++) {
                int verb = 1 + random.nextInt(5);
                int end = random.nextBoolean() ? FrameDescriptor.FLAG_END : 0;
                frames.add(piece(FrameKind.OPEN, end, verb, streamId, 2_000));
                int pieces = end == 0 ? random.nextInt(4) : 0;
                for (int piece = 1; piece <= pieces; piece++) {
                    int last = piece == pieces && random.nextBoolean() ? FrameDescriptor.FLAG_END : 0;
                    frames.add(piece(FrameKind.DATA, last, 0, streamId, 1_500));
                }
                if (random.nextBoolean()) {
                    frames.add(RawPeer.bytesOf(FrameKind.CREDIT, random.nextInt(100_000), streamId, new byte[0]));
                }
                if (random.nextInt(4) == 0) {
                    byte[] report =
                            new Report(0, "test-enough", "no more").encode().array();
                    frames.add(RawPeer.bytesOf(FrameKind.RESET, 0, streamId, report));
                }
                if (verb == ASK_BACK.number()) {
                    frames.add(RawPeer.bytesOf(FrameKind.CREDIT, random.nextInt(100_000), 2, new byte[0]));
                    frames.add(piece(FrameKind.DATA, random.nextInt(2) * FrameDescriptor.FLAG_END, 0, 2, 1_000));
                }
                if (random.nextInt(4) == 0) {
                    frames.add(
                            RawPeer.bytesOf(random.nextBoolean() ? FrameKind.PING : FrameKind.PONG, 0, 0, new byte[0]));
                }
                streamId += 2;
            }
            if (random.nextInt(3) == 0) {
                frames.add(RawPeer.bytesOf(FrameKind.DRAIN, random.nextInt(2), 0, new byte[0]));
            }
            if (random.nextInt(3) == 0) {
                byte[] report =
                        new Report(0, PeerException.CLOSED, "closed").encode().array();
                frames.add(RawPeer.bytesOf(FrameKind.GOODBYE, 0, 0, report));
            }
            return frames;
        }

        private byte[] piece(FrameKind kind, int flags, int argument, long streamId, int bytesMax) {
            byte[] plain = new byte[random.nextInt(bytesMax)];
            if (!lz4 || plain.length == 0 || random.nextBoolean()) {
                random.nextBytes(plain);
                return RawPeer.bytesOf(kind, flags, argument, streamId, plain);
            }
            byte[] block = LZ4Factory.fastestInstance().fastCompressor().compress(plain);
            byte[] payload = ByteBuffer.allocate(Integer.BYTES + block.length)
                    .putInt(plain.length)
                    .put(block)
                    .array();
            return RawPeer.bytesOf(kind, flags | FrameDescriptor.FLAG_LZ4, argument, streamId, payload);
        }

        private List<byte[]> changed(List<byte[]> right) {
            List<byte[]> frames = new ArrayList<>(right);
            for (int i = random.nextInt(4); i > 0 && !frames.isEmpty(); i--) {
                change(frames, random.nextInt(frames.size()));
            }
            return frames;
        }

        private void change(List<byte[]> frames, int index) {
            byte[] frame = frames.get(index).clone();
            ByteBuffer view = ByteBuffer.wrap(frame);
            switch (random.nextInt(12)) {
                case 0 -> frame[random.nextInt(frame.length)] ^= (byte) (1 << random.nextInt(8));
                case 1 -> frames.add(random.nextInt(frames.size() + 1), frame);
                case 2 -> Collections.swap(frames, index, random.nextInt(frames.size()));
                case 3 -> frames.remove(index);
                case 4 -> frame = Arrays.copyOf(frame, random.nextInt(frame.length));
                case 5 -> frame[4 + random.nextInt(24)] = (byte) random.nextInt();
                case 6 -> frame[FrameDescriptor.KIND_OFFSET] = (byte) random.nextInt(13);
                case 7 -> frame[FrameDescriptor.FLAGS_OFFSET] = (byte) random.nextInt(10);
                case 8 -> view.putLong(FrameDescriptor.STREAM_ID_OFFSET, number());
                case 9 -> view.putInt(FrameDescriptor.ARGUMENT_OFFSET, (int) number());
                case 10 -> view.putInt(FrameDescriptor.PAYLOAD_LENGTH_OFFSET, (int) number());
                default -> {
                    for (int i = FrameDescriptor.HEADER_LENGTH_BYTES; i < frame.length; i++) {
                        if (random.nextInt(20) == 0) {
                            frame[i] = (byte) random.nextInt();
                        }
                    }
                }
            }
            if (index < frames.size()) {
                // With checksums that are right again, mostly: without them the change is found by the first look.
                frames.set(index, random.nextInt(8) == 0 ? frame : sealed(frame));
            }
        }

        private long number() {
            return switch (random.nextInt(6)) {
                case 0 -> random.nextLong();
                case 1 -> 0x7FFF_FFFF_FFFF_FFFFL;
                case 2 -> 0x8000_0000L;
                case 3 -> -1;
                default -> random.nextInt(12);
            };
        }

        private static byte[] sealed(byte[] frame) {
            if (frame.length < FrameDescriptor.HEADER_LENGTH_BYTES) {
                return frame;
            }
            ByteBuffer view = ByteBuffer.wrap(frame);
            int lengthBytes = view.getInt(FrameDescriptor.PAYLOAD_LENGTH_OFFSET);
            int unchecked = view.get(FrameDescriptor.FLAGS_OFFSET) & FrameDescriptor.FLAG_UNCHECKED;
            int restBytes = frame.length - FrameDescriptor.HEADER_LENGTH_BYTES;
            int sumBytes = lengthBytes < 0 || lengthBytes > restBytes ? restBytes : lengthBytes;
            ByteBuffer payload = ByteBuffer.wrap(frame, FrameDescriptor.HEADER_LENGTH_BYTES, sumBytes);
            view.putInt(
                    FrameDescriptor.PAYLOAD_CHECKSUM_OFFSET, unchecked != 0 ? 0 : FrameDescriptor.checksum(payload));
            return RawPeer.resealed(frame);
        }

        private static byte[] joined(List<byte[]> frames) {
            ByteBuffer all = ByteBuffer.allocate(
                    frames.stream().mapToInt(frame -> frame.length).sum());
            frames.forEach(all::put);
            return all.array();
        }
    }
}
