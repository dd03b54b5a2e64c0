package io.anneal.paging;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.net.MessageStream;
import io.anneal.paging.message.PageEnd;
import io.anneal.paging.message.PagingWire;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pages that answer one question, sent as the peer takes them: a lot of them is read while the lot before it is sent, so that two
 * are held at most. A page that cannot be read, or has no room, ends the stream before it, unless it is the first: the peer asks for it
 * anew, and hears why there is none. Holds no thread while it waits; one thread at a time.
 */
final class SentPages {
    private static final Logger LOG = LoggerFactory.getLogger(SentPages.class);
    /** Of a lot of small pages: about a frame. */
    private static final int LOT_BYTES = 60 << 10;
    /** For which the first page of a lot waits for the others. */
    private static final long LOT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** Of a message, after which the page goes on in another one. */
    private static final int MESSAGE_BYTES = 1 << 20;

    private final MessageStream messages;
    private final Source source;
    private final Predicate<Runnable> executor;
    private final ByteBudget budget;
    private final LongSupplier nanoTime;
    private final PageRequest first;
    private final long startNanos;
    private final CompletableFuture<Void> closed;

    /** What is read next; empty when no more is sent. */
    private Optional<PageRequest> next;

    private volatile CompletableFuture<Void> written = CompletableFuture.completedFuture(null);

    /** Where pages come from. */
    interface Source {
        Page read(PageRequest request) throws IOException;

        /** Resets the stream, whose first page cannot be read. */
        void refuse(Throwable failed);

        /** Lets go of what is kept for the next page. */
        void forget();
    }

    /** Pages that are sent together. */
    private static final class Lot {
        private final List<MessageStream.Part> parts = new ArrayList<>();
        private long lengthBytes;
        private long reservedBytes;

        void add(Page page) {
            List<ByteBuffer> content = new ArrayList<>();
            long contentBytes = 0;
            for (ByteBuffer items : page.items()) {
                if (contentBytes > 0 && contentBytes + items.remaining() > MESSAGE_BYTES) {
                    parts.add(new MessageStream.Part(PagingWire.ITEMS, content));
                    content = new ArrayList<>();
                    contentBytes = 0;
                }
                content.add(items);
                contentBytes += items.remaining();
            }
            content.add(0, ByteBuffer.wrap(PageEnd.encode(page)));
            parts.add(new MessageStream.Part(PagingWire.PAGE, content));
            lengthBytes += page.lengthBytes();
        }
    }

    /** @param executor where pages are read; says whether it takes the work */
    SentPages(
            MessageStream messages,
            Source source,
            PageRequest request,
            Predicate<Runnable> executor,
            ByteBudget budget,
            HostEnvironment environment) {
        this.messages = messages;
        this.source = source;
        this.executor = executor;
        this.budget = budget;
        nanoTime = environment.nanoTime();
        first = request;
        next = Optional.of(request);
        startNanos = nanoTime.getAsLong();
        closed = messages.stream().closed();
    }

    /** Done when the stream is over, in whatever way. */
    CompletableFuture<Void> closed() {
        return closed;
    }

    /** Reads the next lot, which is sent once the one before it is. */
    void step() {
        if (closed.isDone()) {
            return;
        }
        Lot lot = new Lot();
        try {
            fill(lot);
        } catch (IOException | RuntimeException | Error failed) {
            if (next.equals(Optional.of(first))) {
                source.refuse(failed);
                return;
            }
            LOG.debug("page was not read ahead, it will be asked for", failed);
            next = Optional.empty();
        }
        written.whenComplete((done, failure) -> send(lot));
    }

    private void fill(Lot lot) throws IOException {
        long beginNanos = nanoTime.getAsLong();
        boolean takesMore = true;
        while (takesMore && next.isPresent()) {
            PageRequest request = next.get();
            Page page = source.read(request);
            boolean isFirst = request == first;
            if (!isFirst && !budget.tryReserveSpare(page.lengthBytes())) {
                next = Optional.empty();
                return;
            }
            lot.reservedBytes += isFirst ? 0 : page.lengthBytes();
            lot.add(page);
            long nowNanos = nanoTime.getAsLong();
            next = request.next(page, first.nowSeconds() + TimeUnit.NANOSECONDS.toSeconds(nowNanos - startNanos));
            takesMore = !isFirst && lot.lengthBytes < LOT_BYTES && nowNanos - beginNanos < LOT_NANOS;
        }
    }

    private void send(Lot lot) {
        if (closed.isDone()) {
            budget.release(lot.reservedBytes);
            source.forget();
            return;
        }
        if (!lot.parts.isEmpty()) {
            written = messages.write(lot.parts);
            written.whenComplete((done, failure) -> budget.release(lot.reservedBytes));
        }
        if (next.isEmpty() || !executor.test(this::step)) {
            messages.stream().end();
        }
    }

    /** Resets the stream if the peer has taken nothing for so long. Any thread. */
    void resetIfIdle(long idleNanos) {
        if (!written.isDone() && messages.stream().idleNanos() >= idleNanos) {
            messages.stream().reset(PagingWire.IDLE, "pages were not taken for too long");
        }
    }
}
