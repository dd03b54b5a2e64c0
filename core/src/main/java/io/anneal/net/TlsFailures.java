package io.anneal.net;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import javax.net.ssl.SSLException;

/** Follows the TLS handler, and raises its failures as ours, the first one only. */
final class TlsFailures extends ChannelInboundHandlerAdapter {
    private final TlsMaterial material;
    private final String peer;
    private final LingeringClose linger;

    private boolean failed;

    TlsFailures(TlsMaterial material, String peer, long closeMs) {
        this.material = material;
        this.peer = peer;
        this.linger = new LingeringClose(closeMs);
    }

    LingeringClose linger() {
        return linger;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake) {
            if (!handshake.isSuccess()) {
                fail(ctx, handshake.cause());
            }
        } else if (!(event instanceof SslCloseCompletionEvent)) {
            ctx.fireUserEventTriggered(event);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable raised) {
        Throwable cause = TlsLink.unwrapped(raised);
        if (cause instanceof SSLException) {
            fail(ctx, cause);
        } else {
            ctx.fireExceptionCaught(raised);
        }
    }

    private void fail(ChannelHandlerContext ctx, Throwable cause) {
        if (!failed) {
            failed = true;
            linger.begin();
            ctx.fireExceptionCaught(TlsLink.failure(peer, material, cause));
        }
    }
}
