package io.anneal.net;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** TCP by the kernel: native epoll where its library loads, else the JDK's selectors. */
final class SocketTransport extends Transport {
    /**
     * What the kernel may hold on loopback, each way. Left to itself it takes megabytes, and a request waits behind them
     * all. Other links need as much as their delay asks for, and the kernel knows that better.
     */
    private static final int LOOPBACK_BUFFER_BYTES = 128 << 10;

    private final Class<? extends SocketChannel> socketType;
    private final Class<? extends ServerSocketChannel> serverSocketType;
    private final MultiThreadIoEventLoopGroup group;

    private SocketTransport(
            Class<? extends SocketChannel> socketType,
            Class<? extends ServerSocketChannel> serverSocketType,
            IoHandlerFactory ioHandlers,
            int threads) {
        this.socketType = socketType;
        this.serverSocketType = serverSocketType;
        this.group = new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory("anneal-net", true), ioHandlers);
    }

    static SocketTransport best(int threads) {
        return Epoll.isAvailable() ? epoll(threads) : nio(threads);
    }

    static SocketTransport epoll(int threads) {
        return new SocketTransport(
                EpollSocketChannel.class, EpollServerSocketChannel.class, EpollIoHandler.newFactory(), threads);
    }

    static SocketTransport nio(int threads) {
        return new SocketTransport(
                NioSocketChannel.class, NioServerSocketChannel.class, NioIoHandler.newFactory(), threads);
    }

    @Override
    ChannelFuture connect(InetSocketAddress address, long timeoutMs, ChannelInitializer<DuplexChannel> initializer) {
        Bootstrap bootstrap = new Bootstrap();
        if (isLoopback(address)) {
            bootstrap
                    .option(ChannelOption.SO_SNDBUF, LOOPBACK_BUFFER_BYTES)
                    .option(ChannelOption.SO_RCVBUF, LOOPBACK_BUFFER_BYTES);
        }
        return bootstrap
                .group(group)
                .channel(socketType)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, Math.toIntExact(timeoutMs))
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                .handler(initializer)
                .connect(address);
    }

    @Override
    ChannelFuture bind(InetSocketAddress address, ChannelInitializer<DuplexChannel> initializer) {
        ServerBootstrap bootstrap = new ServerBootstrap();
        if (isLoopback(address)) {
            // What is accepted has the buffer of the listening socket, since its window is agreed on before.
            bootstrap
                    .option(ChannelOption.SO_RCVBUF, LOOPBACK_BUFFER_BYTES)
                    .childOption(ChannelOption.SO_SNDBUF, LOOPBACK_BUFFER_BYTES);
        }
        return bootstrap
                .group(group)
                .channel(serverSocketType)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                .childHandler(initializer)
                .bind(address);
    }

    private static boolean isLoopback(InetSocketAddress address) {
        return address.getAddress() != null && address.getAddress().isLoopbackAddress();
    }

    @Override
    <T> CompletableFuture<T> newFuture() {
        return new CompletableFuture<>();
    }

    @Override
    boolean schedule(Runnable work, long delayMs) {
        try {
            group.next().schedule(work, delayMs, TimeUnit.MILLISECONDS);
            return true;
        } catch (RejectedExecutionException shutDown) {
            return false;
        }
    }

    @Override
    boolean await(Future<?> future, long timeoutMs) {
        return onLoop() ? future.isDone() : future.awaitUninterruptibly(timeoutMs, TimeUnit.MILLISECONDS);
    }

    private boolean onLoop() {
        boolean onLoop = false;
        for (var loop : group) {
            onLoop |= loop.inEventLoop();
        }
        return onLoop;
    }

    @Override
    void close(long timeoutMs) {
        group.shutdownGracefully(0, timeoutMs, TimeUnit.MILLISECONDS);
        await(group.terminationFuture(), 2 * timeoutMs);
    }
}
