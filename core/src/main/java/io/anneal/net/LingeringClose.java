package io.anneal.net;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/**
 * Once begun, turns a close into an end of this direction only, until the peer closes too: a socket that is closed while
 * bytes of the peer are unread makes the peer lose what was sent to it last, which is the reason for the close.
 */
final class LingeringClose extends ChannelDuplexHandler {
    private final long closeMs;

    private boolean begun;
    private boolean closing;

    LingeringClose(long closeMs) {
        this.closeMs = closeMs;
    }

    /** On the event loop. */
    void begin() {
        begun = true;
    }

    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        if (!begun || !ctx.channel().isActive()) {
            ctx.close(promise);
            return;
        }
        ctx.channel().closeFuture().addListener(closed -> promise.trySuccess());
        if (!closing) {
            closing = true;
            ((DuplexChannel) ctx.channel()).shutdownOutput();
            ctx.channel().config().setAutoRead(true);
            ctx.executor().schedule((Runnable) ctx::close, closeMs, TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (closing) {
            ReferenceCountUtil.release(message);
        } else {
            ctx.fireChannelRead(message);
        }
    }
}
