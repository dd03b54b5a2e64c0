package io.anneal.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * First in the pipeline of an accepted connection that must speak TLS: waits for its first byte. Where that is TLS's, the
 * files are looked at off the event loop and TLS takes over; anything else is refused before a byte of it is used.
 */
final class TlsGate extends ChannelInboundHandlerAdapter {
    private enum State {
        WAITING,
        LOADING,
        REFUSED
    }

    private final TlsFiles files;
    private final VerbHandlers handlers;
    private final String peer;
    private final long closeMs;
    private final Queue<Object> held = new ArrayDeque<>();

    private State state = State.WAITING;

    TlsGate(TlsFiles files, VerbHandlers handlers, String peer, long closeMs) {
        this.files = files;
        this.handlers = handlers;
        this.peer = peer;
        this.closeMs = closeMs;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        if (state == State.REFUSED || !in.isReadable()) {
            in.release();
            return;
        }
        held.add(in);
        if (state == State.LOADING) {
            return;
        }
        if (TlsLink.isHandshake(in.getByte(in.readerIndex()))) {
            state = State.LOADING;
            ctx.channel().config().setAutoRead(false);
            load(ctx);
        } else {
            refuse(
                    ctx,
                    new PeerException(
                            peer,
                            TlsLink.STEP,
                            PeerException.TLS_EXPECTED,
                            "the client does not speak TLS, and the server takes nothing else: give the client"
                                    + " certificates"));
        }
    }

    private void load(ChannelHandlerContext ctx) {
        boolean taken = handlers.offer(() -> {
            try {
                TlsMaterial material = files.current();
                ctx.executor().execute(() -> open(ctx, material));
            } catch (IOException | RuntimeException | Error unfit) {
                ctx.executor().execute(() -> refuse(ctx, TlsLink.unusable(peer, unfit)));
            }
        });
        if (!taken) {
            ctx.close();
        }
    }

    private void open(ChannelHandlerContext ctx, TlsMaterial material) {
        if (state != State.LOADING || ctx.isRemoved()) {
            return;
        }
        TlsLink.accept(ctx, material, handlers.executor(), peer, closeMs);
        while (!held.isEmpty()) {
            ctx.fireChannelRead(held.remove());
        }
        ctx.fireChannelReadComplete();
        ctx.channel().config().setAutoRead(true);
        ctx.pipeline().remove(this);
    }

    private void refuse(ChannelHandlerContext ctx, PeerException cause) {
        state = State.REFUSED;
        releaseHeld();
        ctx.fireExceptionCaught(cause);
    }

    private void releaseHeld() {
        while (!held.isEmpty()) {
            ReferenceCountUtil.release(held.remove());
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        releaseHeld();
    }
}
