package io.anneal.bench.scenario;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.Mutation;
import io.anneal.io.ByteWriter;
import io.anneal.key.TokenRange;
import io.anneal.net.Connection;
import io.anneal.net.Verb;
import io.anneal.net.VerbHandlers;
import io.anneal.store.Store;
import io.anneal.store.Table;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Streaming as it was before sinks and sources: the source reads rows and sends a request for each batch of them, of which it
 * has a few under way; the target writes them as any write, by log and memtables, and answers. At the end it flushes.
 */
final class OldWay {
    /** Sends a table to whoever asks; the answer comes when all was applied. */
    private static final Verb SEND = new Verb(4, "bench.old-send");
    /** Applies a batch. */
    private static final Verb APPLY = new Verb(5, "bench.old-apply");

    private static final int BATCH_BYTES = 64 << 10;
    private static final int BATCHES_UNDER_WAY = 4;
    private static final long DEADLINE_MS = 600_000;
    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    private final Store store;
    private volatile Table receiving;

    OldWay(Store store) {
        this.store = store;
    }

    void register(VerbHandlers handlers) {
        handlers.register(SEND, this::send).register(APPLY, this::apply);
    }

    /** Fetches a table, all of it, and flushes it. */
    void receive(Connection source, Table into) throws IOException {
        receiving = into;
        ByteBuffer name = ByteBuffer.wrap(into.schema().qualifiedName().getBytes(StandardCharsets.UTF_8));
        NetSide.await(source.request(SEND, name, DEADLINE_MS));
        into.flush();
    }

    private CompletableFuture<ByteBuffer> send(Connection target, ByteBuffer request) throws IOException {
        String name = StandardCharsets.UTF_8.decode(request).toString();
        Sender sender = new Sender(target, store.table(name));
        CompletableFuture<ByteBuffer> done = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        sender.sendAll();
                        done.complete(EMPTY);
                    } catch (IOException | RuntimeException failed) {
                        done.completeExceptionally(failed);
                    }
                },
                "bench-old-way");
        thread.setDaemon(true);
        thread.start();
        return done;
    }

    private CompletableFuture<ByteBuffer> apply(Connection source, ByteBuffer request) throws IOException {
        Table table = receiving;
        List<CompletableFuture<Void>> writes = new ArrayList<>();
        while (request.hasRemaining()) {
            byte[] items = new byte[request.getInt()];
            request.get(items);
            writes.add(table.applyAsync(Mutation.of(items)));
        }
        return CompletableFuture.allOf(writes.toArray(CompletableFuture[]::new)).thenApply(all -> EMPTY);
    }

    /** The source's loop, on one thread. */
    private static final class Sender {
        private final Connection target;
        private final Table table;
        private final CanonicalEncoder encoder;
        private final Deque<CompletableFuture<ByteBuffer>> underWay = new ArrayDeque<>();
        private ByteWriter batch = new ByteWriter(2 * BATCH_BYTES);
        private int partitionOffset;

        Sender(Connection target, Table table) {
            this.target = target;
            this.table = table;
            encoder = new CanonicalEncoder(table.schema(), CanonicalEncoder.UNCLAMPED);
        }

        void sendAll() throws IOException {
            try (FragmentCursor cursor = table.scan(TokenRange.Linear.ALL)) {
                while (cursor.advance() != null) {
                    add(cursor);
                }
            }
            sendBatch();
            while (!underWay.isEmpty()) {
                NetSide.await(underWay.poll());
            }
        }

        private void add(FragmentCursor cursor) throws IOException {
            switch (cursor.kind()) {
                case PARTITION_START -> {
                    partitionOffset = batch.lengthBytes();
                    batch.writeInt(0);
                }
                case STATIC_ROW, CLUSTERING_ROW -> encoder.row(cursor.key(), cursor.row(), batch);
                case PARTITION_END -> {
                    batch.setInt(partitionOffset, batch.lengthBytes() - partitionOffset - Integer.BYTES);
                    if (batch.lengthBytes() >= BATCH_BYTES) {
                        sendBatch();
                    }
                }
                case RANGE_TOMBSTONE_CHANGE ->
                    throw new IllegalStateException("drawn rows have no range deletions, key=" + cursor.key());
            }
        }

        private void sendBatch() throws IOException {
            if (underWay.size() == BATCHES_UNDER_WAY) {
                NetSide.await(underWay.poll());
            }
            underWay.add(target.request(APPLY, ByteBuffer.wrap(batch.array(), 0, batch.lengthBytes())));
            batch = new ByteWriter(2 * BATCH_BYTES);
        }
    }
}
