package io.anneal.net;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The two ways to the kernel: native epoll where its library loads, else the JDK's selectors. */
enum Transport {
    NIO(NioSocketChannel.class, NioServerSocketChannel.class, NioIoHandler::newFactory),
    EPOLL(EpollSocketChannel.class, EpollServerSocketChannel.class, EpollIoHandler::newFactory);

    private final Class<? extends SocketChannel> socketType;
    private final Class<? extends ServerSocketChannel> serverSocketType;
    private final Supplier<IoHandlerFactory> ioHandlers;

    Transport(
            Class<? extends SocketChannel> socketType,
            Class<? extends ServerSocketChannel> serverSocketType,
            Supplier<IoHandlerFactory> ioHandlers) {
        this.socketType = socketType;
        this.serverSocketType = serverSocketType;
        this.ioHandlers = ioHandlers;
    }

    static Transport best() {
        return Epoll.isAvailable() ? EPOLL : NIO;
    }

    Class<? extends SocketChannel> socketType() {
        return socketType;
    }

    Class<? extends ServerSocketChannel> serverSocketType() {
        return serverSocketType;
    }

    MultiThreadIoEventLoopGroup group(String name, int threads) {
        return new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(name, true), ioHandlers.get());
    }

    /** Ends the loops and what hangs on them, and waits, but not on a loop for itself. */
    static void shutDown(MultiThreadIoEventLoopGroup group, long timeoutMs) {
        group.shutdownGracefully(0, timeoutMs, TimeUnit.MILLISECONDS);
        boolean onLoop = false;
        for (var loop : group) {
            onLoop |= loop.inEventLoop();
        }
        if (!onLoop) {
            group.terminationFuture().awaitUninterruptibly(2 * timeoutMs, TimeUnit.MILLISECONDS);
        }
    }
}
