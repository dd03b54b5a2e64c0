package io.anneal.net;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/**
 * The way to other nodes: real sockets, or a simulated network. Everything above is the same on both. It belongs to the
 * one client or server that it is given to, which closes it.
 */
public abstract class Transport {
    static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(64 << 10, 128 << 10);

    Transport() {}

    /** Direct memory that the buffers of all transports of this process have taken from the system; nearly none is given back. */
    public static long directBytes() {
        return ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT)
                .metric()
                .usedDirectMemory();
    }

    /** Sockets of this machine, with so many threads that move the bytes of all connections. */
    public static Transport sockets(int threads) {
        return SocketTransport.best(threads);
    }

    /** Starts to connect; the initializer sets up the channel before anything happens on it. */
    abstract ChannelFuture connect(
            InetSocketAddress address, long timeoutMs, ChannelInitializer<DuplexChannel> initializer);

    /** Starts to listen; the initializer sets up each accepted channel before anything happens on it. */
    abstract ChannelFuture bind(InetSocketAddress address, ChannelInitializer<DuplexChannel> initializer);

    /** A future to hand to callers: waiting for it works wherever the caller's thread may wait. */
    abstract <T> CompletableFuture<T> newFuture();

    /** Runs work on an event loop after so long; false if none runs any more. */
    abstract boolean schedule(Runnable work, long delayMs);

    /** Waits for a future of a channel, but never an event loop for itself; false if it is not done by then. */
    abstract boolean await(Future<?> future, long timeoutMs);

    /** Ends the channels that are left, and what moves their bytes; waits for that, but not on an event loop. */
    abstract void close(long timeoutMs);
}
