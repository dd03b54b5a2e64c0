package io.anneal.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The channels that one client or server has on a host of a simulated network, with an event loop of their own. */
final class SimulatedTransport extends Transport {
    private final SimulatedNetwork network;
    private final SimulatedHost host;
    private final SimulatedTime time;
    private final SimulatedEventLoop loop;
    private final Set<Channel> channels = new LinkedHashSet<>();

    SimulatedTransport(SimulatedNetwork network, SimulatedHost host, SimulatedTime time) {
        this.network = network;
        this.host = host;
        this.time = time;
        this.loop = new SimulatedEventLoop(time);
    }

    SimulatedNetwork network() {
        return network;
    }

    SimulatedHost host() {
        return host;
    }

    SimulatedEventLoop loop() {
        return loop;
    }

    @Override
    ChannelFuture connect(InetSocketAddress address, long timeoutMs, ChannelInitializer<DuplexChannel> initializer) {
        SimulatedChannel channel = SimulatedChannel.client(this);
        channel.config().setConnectTimeoutMillis(Math.toIntExact(timeoutMs));
        return afterOpen(channel, initializer, connected -> channel.connect(address, connected));
    }

    @Override
    ChannelFuture bind(InetSocketAddress address, ChannelInitializer<DuplexChannel> initializer) {
        SimulatedServerChannel channel = new SimulatedServerChannel(this, initializer);
        return afterOpen(channel, null, bound -> channel.bind(address, bound));
    }

    private ChannelFuture afterOpen(
            Channel channel, ChannelInitializer<DuplexChannel> initializer, Consumer<ChannelPromise> next) {
        if (loop.isShutdown()) {
            RejectedExecutionException late = new RejectedExecutionException("transport is closed");
            return new DefaultChannelPromise(channel, ImmediateEventExecutor.INSTANCE).setFailure(late);
        }
        ChannelPromise promise = new DefaultChannelPromise(channel, loop);
        open(channel, initializer).addListener(opened -> {
            if (opened.isSuccess()) {
                next.accept(promise);
            } else {
                promise.setFailure(opened.cause());
            }
        });
        return promise;
    }

    /** Puts a channel on the loop. */
    ChannelFuture open(Channel channel, ChannelInitializer<DuplexChannel> initializer) {
        channels.add(channel);
        channel.config().setWriteBufferWaterMark(WATER_MARK);
        if (initializer != null) {
            channel.pipeline().addLast(initializer);
        }
        return loop.register(channel);
    }

    void closed(Channel channel) {
        channels.remove(channel);
    }

    @Override
    <T> CompletableFuture<T> newFuture() {
        return network.newFuture();
    }

    @Override
    boolean schedule(Runnable work, long delayMs) {
        if (loop.isShutdown()) {
            return false;
        }
        loop.schedule(work, delayMs, TimeUnit.MILLISECONDS);
        return true;
    }

    @Override
    boolean await(Future<?> future, long timeoutMs) {
        if (time.running() == null) {
            time.runUntil(future::isDone, Duration.ofMillis(timeoutMs));
        }
        return future.isDone();
    }

    @Override
    void close(long timeoutMs) {
        if (loop.isShutdown()) {
            return;
        }
        loop.execute(() -> {
            for (Channel channel : List.copyOf(channels)) {
                channel.unsafe().close(channel.voidPromise());
            }
        });
        if (time.running() == null) {
            time.runUntil(() -> channels.isEmpty() && !loop.hasTasks(), Duration.ofMillis(timeoutMs));
            loop.shutDownNow();
        } else {
            time.after(Duration.ofMillis(timeoutMs).toNanos(), loop::shutDownNow);
        }
    }
}
