package io.anneal.paging;

import io.anneal.fragment.CorruptItemException;
import io.anneal.io.ByteReader;
import io.anneal.net.Message;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerException;
import io.anneal.paging.message.PageEnd;
import io.anneal.paging.message.PagingWire;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageRequest;
import io.anneal.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The pages that a peer sends on one stream, one behind the other, each checked. One thread at a time, but for closing. */
final class ComingPages implements Closeable {
    private final MessageStream messages;
    private final TableSchema schema;
    private final CompletableFuture<Void> closed;

    /** What the next page answers; empty when none is wanted any more. */
    private Optional<PageRequest> next;

    private int pageCount;

    /** @param request that was sent, whose answer nothing was read of */
    ComingPages(MessageStream messages, TableSchema schema, PageRequest request) {
        this.messages = messages;
        this.schema = schema;
        closed = messages.stream().closed();
        next = Optional.of(request);
    }

    /** Whether the next page, if one comes, is the answer. */
    boolean answers(PageRequest request) {
        return next.isPresent() && next.get().isAnsweredAs(request);
    }

    /** Whether another page may come. */
    boolean hasNext() {
        return next.isPresent() && !closed.isDone();
    }

    /** Whether its first page was read, and no other. */
    boolean isNew() {
        return pageCount == 1;
    }

    /** Done when nothing more can come. */
    CompletableFuture<Void> closed() {
        return closed;
    }

    /**
     * Waits for the next page; empty when the peer sends none: it is asked for anew.
     *
     * @throws IllegalArgumentException or
     * @throws io.anneal.io.ByteUnderflowException or
     * @throws CorruptItemException when what comes is no answer
     */
    Optional<Page> read() throws IOException {
        PageRequest request = next.orElseThrow();
        PageCheck check = new PageCheck(request, schema);
        while (true) {
            Optional<Message> read = messages.readHere();
            if (read.isEmpty() && check.isEmpty()) {
                return Optional.empty();
            }
            try (Message message =
                    read.orElseThrow(() -> new IllegalArgumentException("the peer ended the stream within a page"))) {
                if (message.kind() == PagingWire.PAGE) {
                    ByteReader in = new ByteReader().wrap(message.content());
                    PageEnd end = PageEnd.decode(in);
                    byte[] bytes = message.bytes();
                    check.add(bytes, bytes.length - in.remainingBytes());
                    Page page = check.conclude(end);
                    next = request.next(page, end.nowSeconds());
                    pageCount++;
                    return Optional.of(page);
                }
                if (message.kind() != PagingWire.ITEMS) {
                    throw new IllegalArgumentException("message is of no known kind, kind=" + message.kind());
                }
                byte[] bytes = message.bytes();
                if (bytes.length == 0) {
                    // So many come as the peer likes.
                    throw new IllegalArgumentException("message has no items, and its page goes on");
                }
                check.add(bytes, 0);
            }
        }
    }

    /** Takes no more. */
    @Override
    public void close() {
        messages.stream().reset(PeerException.CLOSED, "who asked for pages takes no more of them");
    }
}
