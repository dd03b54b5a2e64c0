package io.anneal.net;

import io.netty.channel.AbstractServerChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DuplexChannel;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** A port of a simulated host that takes connections. */
final class SimulatedServerChannel extends AbstractServerChannel {
    private final SimulatedTransport transport;
    private final ChannelInitializer<DuplexChannel> initializer;
    private final ChannelConfig config = new DefaultChannelConfig(this);
    private InetSocketAddress address;
    private boolean closed;

    SimulatedServerChannel(SimulatedTransport transport, ChannelInitializer<DuplexChannel> initializer) {
        this.transport = transport;
        this.initializer = initializer;
    }

    /** Makes this end of a connection. */
    void accept(InetSocketAddress client, SimulatedPipe fromClient) {
        SimulatedChannel channel = SimulatedChannel.accepted(transport, this, client, fromClient);
        transport.open(channel, initializer);
    }

    @Override
    protected void doBind(SocketAddress wanted) throws BindException {
        InetSocketAddress asked = (InetSocketAddress) wanted;
        SimulatedHost host = transport.host();
        if (!asked.getAddress().equals(host.address())) {
            throw new BindException("Cannot assign requested address");
        }
        int port = asked.getPort() == 0 ? host.freePort() : asked.getPort();
        if (!host.listen(port, this)) {
            throw new BindException("Address already in use");
        }
        address = new InetSocketAddress(host.address(), port);
    }

    @Override
    protected void doClose() {
        closed = true;
        if (address != null) {
            transport.host().stopListening(address.getPort(), this);
        }
        transport.closed(this);
    }

    @Override
    protected void doBeginRead() {
        // Connections come by themselves.
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public boolean isActive() {
        return !closed && address != null;
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof SimulatedEventLoop;
    }

    @Override
    protected SocketAddress localAddress0() {
        return address;
    }
}
