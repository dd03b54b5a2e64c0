package io.anneal.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.FileRegion;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.Future;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * Sends the frames of one connection, only while the socket takes them: first those of the connection itself, then a piece
 * of each stream that may send, in turn. A stream that has sent little goes before those that have sent much, so that a
 * request does not wait for a hundred files; of so many pieces one is of the others (after the flow queues of RFC 8290).
 * Belongs to the event loop.
 */
final class FrameWriter extends ChannelInboundHandlerAdapter {
    /** What sends pieces in turn. */
    interface Sender {
        /** Sends one piece; false if there is no more to send now. */
        boolean sendPiece(FrameWriter writer);

        /** True until much was sent. */
        boolean hasSentLittle();
    }

    /** After so many pieces of streams that have sent little, one of the others. */
    private static final int LITTLE_IN_ROW_MAX = 8;

    /** Control frames that wait: a peer that asks for so many and reads none is not read either. */
    private static final int CONTROL_FRAMES_MAX = 4096;

    private final String peer;
    private final Traffic traffic;
    private final NetTimeouts timeouts;
    private final Deque<ByteBuf> control = new ArrayDeque<>();
    private final Deque<Sender> little = new ArrayDeque<>();
    private final Deque<Sender> much = new ArrayDeque<>();

    private ChannelHandlerContext ctx;
    private boolean pumping;
    private boolean ending;
    private boolean closed;
    private int littleInRow;
    private int framesInSocket;
    private long framesTaken;
    private long framesTakenAtCheck;
    private Future<?> stallCheck;

    FrameWriter(String peer, Traffic traffic, NetConfig config) {
        this.peer = peer;
        this.traffic = traffic;
        this.timeouts = config.timeouts();
    }

    ChannelHandlerContext context() {
        return ctx;
    }

    /** For the few frames of the connection itself. */
    void control(FrameKind kind, int argument, long streamId, ByteBuffer payload) {
        if (ending || closed) {
            return;
        }
        control.add(frame(kind, argument, streamId, payload));
        if (control.size() == CONTROL_FRAMES_MAX) {
            ctx.channel().config().setAutoRead(false);
        }
        pump();
    }

    private ByteBuf frame(FrameKind kind, int argument, long streamId, ByteBuffer payload) {
        int checksum = FrameDescriptor.checksum(payload.duplicate());
        ByteBuf frame = header(kind, 0, argument, streamId, payload.remaining(), checksum, payload.remaining());
        frame.writeBytes(payload.duplicate());
        return frame;
    }

    /** A pooled buffer with a header and room for so many bytes. */
    ByteBuf header(
            FrameKind kind, int flags, int argument, long streamId, int lengthBytes, int checksum, int roomBytes) {
        ByteBuf frame = ctx.alloc().directBuffer(FrameDescriptor.HEADER_LENGTH_BYTES + roomBytes);
        ByteBuffer out = frame.internalNioBuffer(0, FrameDescriptor.HEADER_LENGTH_BYTES);
        FrameDescriptor.putHeader(out, kind, flags, argument, streamId, lengthBytes, checksum);
        return frame.writerIndex(FrameDescriptor.HEADER_LENGTH_BYTES);
    }

    /** The stream has something to send and may; it is in no queue yet. */
    void ready(Sender sender) {
        if (ending || closed) {
            return;
        }
        (sender.hasSentLittle() ? little : much).add(sender);
        pump();
    }

    /** Bytes for the socket, from within {@link Sender#sendPiece}. */
    ChannelFuture send(ByteBuf bytes) {
        return count(bytes.readableBytes(), ctx.write(bytes));
    }

    ChannelFuture send(FileRegion region) {
        return count((int) region.count(), ctx.write(region));
    }

    private ChannelFuture count(int lengthBytes, ChannelFuture write) {
        framesInSocket++;
        write.addListener(written -> {
            framesInSocket--;
            if (written.isSuccess()) {
                framesTaken++;
                traffic.sent(lengthBytes);
            }
        });
        return write;
    }

    private void pump() {
        if (pumping) {
            return;
        }
        pumping = true;
        boolean wrote = false;
        while (!closed && ctx.channel().isWritable() && sendNext()) {
            wrote = true;
            if (!ctx.channel().isWritable()) {
                ctx.flush(); // Which may make it writable again at once.
            }
        }
        pumping = false;
        if (wrote) {
            ctx.flush();
            watchForStall();
        }
        if (control.isEmpty() && !closed) {
            ctx.channel().config().setAutoRead(true);
        }
    }

    private boolean sendNext() {
        ByteBuf frame = control.poll();
        if (frame != null) {
            send(frame);
            return true;
        }
        boolean takeLittle = !little.isEmpty() && (much.isEmpty() || littleInRow < LITTLE_IN_ROW_MAX);
        Sender sender = takeLittle ? little.poll() : much.poll();
        if (sender == null) {
            return false;
        }
        littleInRow = takeLittle ? littleInRow + 1 : 0;
        if (sender.sendPiece(this)) {
            (sender.hasSentLittle() ? little : much).add(sender);
        }
        return true;
    }

    /**
     * Sends one last frame instead of all that wait, then ends this direction and leaves the other open for a moment:
     * closing at once would reset the connection and could take the last frame away from the peer.
     */
    void endWith(FrameKind kind, ByteBuffer payload) {
        if (ending || closed || !ctx.channel().isActive()) {
            return;
        }
        dropAll();
        ending = true;
        send(frame(kind, 0, 0, payload)).addListener(written -> {
            if (written.isSuccess()) {
                ((DuplexChannel) ctx.channel()).shutdownOutput();
            }
        });
        ctx.flush();
        ctx.executor().schedule((Runnable) ctx::close, timeouts.closeMs(), TimeUnit.MILLISECONDS);
    }

    private void watchForStall() {
        if (stallCheck == null && framesInSocket > 0) {
            framesTakenAtCheck = framesTaken;
            stallCheck = ctx.executor().schedule(this::checkForStall, timeouts.writeMs(), TimeUnit.MILLISECONDS);
        }
    }

    private void checkForStall() {
        stallCheck = null;
        if (framesInSocket > 0 && framesTaken == framesTakenAtCheck) {
            ctx.fireExceptionCaught(new PeerException(
                    peer,
                    "write",
                    PeerException.WRITE_TIMEOUT,
                    "peer takes no more bytes, waitingFrames=" + (framesInSocket + control.size()) + ", timeoutMs="
                            + timeouts.writeMs()));
            return;
        }
        watchForStall();
    }

    private void dropAll() {
        control.forEach(ByteBuf::release);
        control.clear();
        little.clear();
        much.clear();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        ctx = context;
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        pump();
        context.fireChannelWritabilityChanged();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        closed = true;
        dropAll();
        if (stallCheck != null) {
            stallCheck.cancel(false);
        }
        context.fireChannelInactive();
    }
}
