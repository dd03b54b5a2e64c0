package io.anneal.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The frames of one connection that wait to be sent. Hands the socket slices, and only while it takes them, so that a
 * long payload never lies a second time in direct memory. Belongs to the event loop, but for the reservation of room,
 * which any thread may make.
 */
final class OutboundQueue extends ChannelInboundHandlerAdapter {
    private static final int SLICE_LENGTH_BYTES = 256 << 10;

    private final String peer;
    private final Traffic traffic;
    private final long queuedBytesMax;
    private final NetTimeouts timeouts;
    private final AtomicLong queuedBytes = new AtomicLong();
    private final Deque<OutboundFrame> frames = new ArrayDeque<>();

    private ChannelHandlerContext ctx;
    private boolean draining;
    private boolean ending;
    private int slicesInSocket;
    private long slicesTaken;
    private long slicesTakenAtCheck;
    private Future<?> stallCheck;

    OutboundQueue(String peer, Traffic traffic, NetConfig config) {
        this.peer = peer;
        this.traffic = traffic;
        this.queuedBytesMax = config.limits().outboundBytesMax();
        this.timeouts = config.timeouts();
    }

    /** Takes room for a frame that is offered next; false if the queue is full. An empty queue takes any frame. */
    boolean tryReserve(int lengthBytes) {
        long before = queuedBytes.getAndAdd(lengthBytes);
        if (before > 0 && before + lengthBytes > queuedBytesMax) {
            release(lengthBytes);
            return false;
        }
        return true;
    }

    void release(int lengthBytes) {
        queuedBytes.addAndGet(-lengthBytes);
    }

    boolean full() {
        return queuedBytes.get() > queuedBytesMax;
    }

    /** For frames that may not be refused: answers, whose number is bounded, and the few of the connection itself. */
    void offer(OutboundFrame frame) {
        queuedBytes.addAndGet(frame.lengthBytes());
        offerReserved(frame);
    }

    void offerReserved(OutboundFrame frame) {
        if (ending || !ctx.channel().isActive()) {
            release(frame.lengthBytes());
            return;
        }
        frames.add(frame);
        watchForStall();
        drain();
    }

    /**
     * Sends one last frame instead of all that wait, then ends this direction and leaves the other open for a moment:
     * closing at once would reset the connection and could take the last frame away from the peer.
     */
    void endWith(OutboundFrame last) {
        if (ending || !ctx.channel().isActive()) {
            return;
        }
        boolean insideFrame = !frames.isEmpty() && frames.peek().started();
        dropAll();
        if (insideFrame) {
            ctx.close();
            return;
        }
        offer(new OutboundFrame(last.header(), last.payload(), last.lengthBytes(), this::shutdownOutput));
        ending = true;
        ctx.executor().schedule((Runnable) ctx::close, timeouts.closeMs(), TimeUnit.MILLISECONDS);
    }

    private void shutdownOutput() {
        ((DuplexChannel) ctx.channel()).shutdownOutput();
    }

    private void drain() {
        if (draining) {
            return;
        }
        draining = true;
        while (!frames.isEmpty() && ctx.channel().isWritable()) {
            while (!frames.isEmpty() && ctx.channel().isWritable()) {
                writeSlice(frames.peek());
            }
            ctx.flush();
        }
        draining = false;
    }

    private void writeSlice(OutboundFrame frame) {
        int lengthBytes = Math.min(frame.remainingBytes(), SLICE_LENGTH_BYTES);
        ByteBuf slice = ctx.alloc().directBuffer(lengthBytes);
        slice.writeBytes(frame.header());
        int payloadBytes = lengthBytes - slice.readableBytes();
        ByteBuffer payload = frame.payload();
        slice.writeBytes(payload.slice(payload.position(), payloadBytes));
        payload.position(payload.position() + payloadBytes);

        boolean last = frame.remainingBytes() == 0;
        if (last) {
            frames.remove();
        }
        slicesInSocket++;
        ctx.write(slice).addListener(written -> {
            slicesInSocket--;
            if (written.isSuccess()) {
                slicesTaken++;
                traffic.sent(lengthBytes);
            }
            if (last) {
                release(frame.lengthBytes());
            }
            if (last && written.isSuccess()) {
                frame.onWritten().run();
            }
        });
    }

    private void watchForStall() {
        if (stallCheck == null) {
            slicesTakenAtCheck = slicesTaken;
            stallCheck = ctx.executor().schedule(this::checkForStall, timeouts.writeMs(), TimeUnit.MILLISECONDS);
        }
    }

    private void checkForStall() {
        stallCheck = null;
        // Room may be reserved for frames that are not here yet; only bytes that the socket does not take are a stall.
        if (frames.isEmpty() && slicesInSocket == 0) {
            return;
        }
        if (slicesTaken == slicesTakenAtCheck) {
            ctx.fireExceptionCaught(new PeerException(
                    peer,
                    "write",
                    PeerException.WRITE_TIMEOUT,
                    "peer takes no more bytes, waitingBytes=" + queuedBytes.get() + ", timeoutMs="
                            + timeouts.writeMs()));
            return;
        }
        watchForStall();
    }

    private void dropAll() {
        for (OutboundFrame frame : frames) {
            release(frame.lengthBytes());
        }
        frames.clear();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        ctx = context;
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        drain();
        context.fireChannelWritabilityChanged();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        dropAll();
        if (stallCheck != null) {
            stallCheck.cancel(false);
        }
        context.fireChannelInactive();
    }
}
