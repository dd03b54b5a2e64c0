package io.anneal.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelId;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.FileRegion;
import io.netty.channel.socket.DuplexChannel;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.SplittableRandom;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * One end of a connection of a simulated network. Bytes go out and come in as pieces of any length; a peer that reads
 * nothing leaves no room, and the channel is not writable then.
 */
final class SimulatedChannel extends AbstractChannel implements DuplexChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);
    private static final int PIECE_BYTES_MAX = 32 << 10;
    private static final int TINY_PIECE_BYTES_MAX = 40;
    private static final int READS_MAX = 16;

    private enum State {
        NEW,
        CONNECTED,
        CLOSED
    }

    private record Number(String asShortText) implements ChannelId {
        @Override
        public String asLongText() {
            return asShortText;
        }

        @Override
        public int compareTo(ChannelId other) {
            return asLongText().compareTo(other.asLongText());
        }
    }

    private final class Config extends DefaultChannelConfig {
        Config() {
            super(SimulatedChannel.this);
        }

        @Override
        protected void autoReadCleared() {
            readWanted = false;
        }
    }

    private final SimulatedTransport transport;
    private final SimulatedHost host;
    private final SplittableRandom random;
    private final ChannelConfig config = new Config();
    private final Deque<byte[]> arrived = new ArrayDeque<>();

    private final InetSocketAddress local;
    private InetSocketAddress remote;
    private SimulatedPipe out;
    private State state = State.NEW;
    private ChannelPromise connecting;
    private Future<?> connectTimeout;
    private boolean outputShutDown;
    private boolean endArrived;
    private boolean readWanted;
    private boolean readIsComing;

    private SimulatedChannel(SimulatedTransport transport, Channel parent, InetSocketAddress local, String name) {
        super(parent, new Number(name));
        this.transport = transport;
        this.host = transport.host();
        this.random = transport.loop().time().random();
        this.local = local;
        config.setAllocator(transport.network().buffers());
        host.opened(this);
    }

    static SimulatedChannel client(SimulatedTransport transport) {
        SimulatedHost host = transport.host();
        InetSocketAddress local = new InetSocketAddress(host.address(), host.freePort());
        return new SimulatedChannel(transport, null, local, "from " + PeerAddress.text(local));
    }

    static SimulatedChannel accepted(
            SimulatedTransport transport,
            SimulatedServerChannel parent,
            InetSocketAddress client,
            SimulatedPipe fromClient) {
        InetSocketAddress local = (InetSocketAddress) parent.localAddress();
        SimulatedChannel channel = new SimulatedChannel(transport, parent, local, "of " + PeerAddress.text(client));
        channel.remote = client;
        channel.out = fromClient.reverse();
        channel.state = State.CONNECTED;
        fromClient.accepted(channel);
        return channel;
    }

    InetSocketAddress address() {
        return local;
    }

    /** Runs on the loop, unless that has ended. */
    private void soon(Runnable task) {
        if (!transport.loop().isShutdown()) {
            transport.loop().execute(task);
        }
    }

    private void connect(InetSocketAddress address, ChannelPromise promise) {
        connecting = promise;
        remote = address;
        int timeoutMs = config.getConnectTimeoutMillis();
        connectTimeout = eventLoop()
                .schedule(
                        () -> failToConnect(new ConnectTimeoutException(
                                "connection timed out after " + timeoutMs + " ms: " + PeerAddress.text(address))),
                        timeoutMs,
                        TimeUnit.MILLISECONDS);
        transport.network().connect(this, address);
    }

    void pipe(SimulatedPipe there) {
        out = there;
    }

    void connected() {
        soon(() -> {
            if (connecting == null) {
                out.reset(); // It has given up, of which the other end does not know.
                return;
            }
            connectTimeout.cancel(false);
            state = State.CONNECTED;
            ChannelPromise promise = connecting;
            connecting = null;
            promise.trySuccess();
            pipeline().fireChannelActive();
        });
    }

    void refused() {
        soon(() -> failToConnect(new ConnectException("Connection refused: " + PeerAddress.text(remote))));
    }

    private void failToConnect(IOException cause) {
        if (connecting != null) {
            connecting.tryFailure(cause);
            unsafe().close(voidPromise());
        }
    }

    /** Bytes are in the socket's buffer. */
    void arrived(byte[] bytes) {
        arrived.add(bytes);
        readSoon();
    }

    /** After all bytes that have arrived there are no more. */
    void endArrived() {
        endArrived = true;
        readSoon();
    }

    void reset() {
        soon(() -> {
            if (state == State.CONNECTED) {
                arrived.clear();
                pipeline().fireExceptionCaught(new IOException("Connection reset by peer"));
                unsafe().close(voidPromise());
            }
        });
    }

    /** The peer has read, or its buffer has become longer. */
    void roomCame() {
        soon(() -> ((Unsafe) unsafe()).writeAgain());
    }

    void readSoon() {
        boolean something = !arrived.isEmpty() || endArrived;
        if (something && readWanted && !readIsComing && !host.readsNothing() && isRegistered()) {
            readIsComing = true;
            soon(this::readArrived);
        }
    }

    private void readArrived() {
        readIsComing = false;
        if (!readWanted || !isOpen() || host.readsNothing()) {
            return;
        }
        long waitNanos = host.readWaitNanos();
        if (waitNanos > 0) {
            readIsComing = true;
            eventLoop().schedule(this::readArrived, waitNanos, TimeUnit.NANOSECONDS);
            return;
        }
        var buffers = unsafe().recvBufAllocHandle();
        buffers.reset(config);
        for (int i = 0; i < READS_MAX && !arrived.isEmpty() && (i == 0 || config.isAutoRead()); i++) {
            readWanted = false;
            pipeline().fireChannelRead(take());
            if (host.readsSlowly()) {
                break;
            }
        }
        buffers.readComplete();
        pipeline().fireChannelReadComplete();
        if (arrived.isEmpty() && endArrived && isOpen()) {
            unsafe().close(voidPromise());
        } else {
            readSoon();
        }
    }

    /** Some of the bytes that have arrived, however they were cut on the way. */
    private ByteBuf take() {
        int arrivedBytes = 0;
        int pieces = 1 + random.nextInt(arrived.size());
        for (byte[] piece : arrived) {
            arrivedBytes += piece.length;
            if (--pieces == 0 || arrivedBytes >= PIECE_BYTES_MAX) {
                break;
            }
        }
        var buffers = unsafe().recvBufAllocHandle();
        ByteBuf taken = buffers.allocate(alloc());
        int lengthBytes = Math.min(host.mayRead(arrivedBytes), taken.writableBytes());
        int restBytes = lengthBytes;
        while (restBytes > 0) {
            byte[] piece = arrived.remove();
            int takenBytes = Math.min(piece.length, restBytes);
            taken.writeBytes(piece, 0, takenBytes);
            if (takenBytes < piece.length) {
                arrived.addFirst(Arrays.copyOfRange(piece, takenBytes, piece.length));
            }
            restBytes -= takenBytes;
        }
        buffers.lastBytesRead(lengthBytes);
        buffers.incMessagesRead(1);
        host.read(lengthBytes);
        out.reverse().taken(lengthBytes);
        return taken;
    }

    @Override
    protected void doBeginRead() {
        readWanted = true;
        readSoon();
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer buffer) throws IOException {
        Object message = buffer.current();
        while (message != null) {
            int roomBytes = out.roomBytes();
            if (roomBytes == 0) {
                return;
            }
            int lengthBytes = Math.min(roomBytes, pieceBytes());
            if (message instanceof ByteBuf bytes) {
                write(buffer, bytes, lengthBytes);
            } else {
                write(buffer, (FileRegion) message, lengthBytes);
            }
            message = buffer.current();
        }
    }

    private int pieceBytes() {
        int maxBytes = random.nextInt(4) == 0 ? TINY_PIECE_BYTES_MAX : PIECE_BYTES_MAX;
        return 1 + random.nextInt(maxBytes);
    }

    private void write(ChannelOutboundBuffer buffer, ByteBuf bytes, int lengthBytesMax) {
        byte[] piece = new byte[Math.min(lengthBytesMax, bytes.readableBytes())];
        bytes.getBytes(bytes.readerIndex(), piece);
        if (piece.length > 0) {
            out.send(piece);
        }
        if (piece.length == bytes.readableBytes()) {
            buffer.remove();
        } else {
            bytes.skipBytes(piece.length);
            buffer.progress(piece.length);
        }
    }

    private void write(ChannelOutboundBuffer buffer, FileRegion region, int lengthBytesMax) throws IOException {
        if (region.transferred() < region.count()) {
            PieceOfFile piece = new PieceOfFile((int) Math.min(lengthBytesMax, region.count() - region.transferred()));
            if (region.transferTo(piece, region.transferred()) <= 0) {
                throw new EOFException(
                        "file has no more bytes, transferred=" + region.transferred() + ", count=" + region.count());
            }
            byte[] bytes = piece.bytes();
            out.send(bytes);
            buffer.progress(bytes.length);
        }
        if (region.transferred() >= region.count()) {
            buffer.remove();
        }
    }

    /** Takes so many bytes and no more. */
    private static final class PieceOfFile implements WritableByteChannel {
        private final ByteBuffer bytes;

        PieceOfFile(int lengthBytes) {
            bytes = ByteBuffer.allocate(lengthBytes);
        }

        @Override
        public int write(ByteBuffer source) {
            int lengthBytes = Math.min(bytes.remaining(), source.remaining());
            bytes.put(source.slice(source.position(), lengthBytes));
            source.position(source.position() + lengthBytes);
            return lengthBytes;
        }

        byte[] bytes() {
            return Arrays.copyOf(bytes.array(), bytes.position());
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            // Nothing is held.
        }
    }

    @Override
    protected Object filterOutboundMessage(Object message) {
        if (message instanceof ByteBuf || message instanceof FileRegion) {
            return message;
        }
        throw new UnsupportedOperationException("only bytes and file regions are sent, type="
                + message.getClass().getName());
    }

    @Override
    protected void doClose() {
        boolean wasConnected = state == State.CONNECTED;
        state = State.CLOSED;
        if (connecting != null) {
            connectTimeout.cancel(false);
            connecting.tryFailure(new ClosedChannelException());
            connecting = null;
        }
        if (wasConnected && arrived.isEmpty()) {
            out.end();
        } else if (wasConnected) {
            out.reset(); // As TCP does, when bytes are left that nobody has read.
        }
        arrived.clear();
        if (out != null) {
            out.closed();
        }
        host.closed(this);
        transport.closed(this);
    }

    @Override
    protected void doShutdownOutput() {
        outputShutDown = true;
        out.end();
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        if (eventLoop().inEventLoop()) {
            ((Unsafe) unsafe()).shutdownOutput(promise);
        } else {
            eventLoop().execute(() -> ((Unsafe) unsafe()).shutdownOutput(promise));
        }
        return promise;
    }

    @Override
    public boolean isOutputShutdown() {
        return outputShutDown || state == State.CLOSED;
    }

    @Override
    public boolean isInputShutdown() {
        return state == State.CLOSED;
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        return promise.setFailure(new UnsupportedOperationException("input is not shut down alone"));
    }

    @Override
    public boolean isShutdown() {
        return state == State.CLOSED;
    }

    @Override
    public ChannelFuture shutdown() {
        return close();
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        return close(promise);
    }

    @Override
    protected void doBind(SocketAddress address) {
        throw new UnsupportedOperationException("a client takes the next free port");
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return state != State.CLOSED;
    }

    @Override
    public boolean isActive() {
        return state == State.CONNECTED;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof SimulatedEventLoop;
    }

    @Override
    protected SocketAddress localAddress0() {
        return local;
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return state == State.CONNECTED ? remote : null;
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new Unsafe();
    }

    private final class Unsafe extends AbstractUnsafe {
        @Override
        public void connect(SocketAddress address, SocketAddress localAddress, ChannelPromise promise) {
            if (promise.setUncancellable() && ensureOpen(promise)) {
                SimulatedChannel.this.connect((InetSocketAddress) address, promise);
            }
        }

        void writeAgain() {
            if (isActive()) {
                flush0();
            }
        }
    }
}
