package io.anneal.bench.scenario;

import io.anneal.bench.data.GeneratedMutations;
import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.store.Table;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** Threads that write drawn rows to a table of Anneal's, as fast as they can or as they are told. */
final class StoreWriters {
    /** Writes of a thread that are not acknowledged yet. */
    private static final int OUTSTANDING_MAX = 4096;

    private static final int PACED_ROWS = 64;
    private static final double SECOND_NANOS = 1e9;

    private final Table table;
    private final int threads;
    private final LongSupplier nanoTime;

    StoreWriters(Table table, int threads, LongSupplier nanoTime) {
        this.table = table;
        this.threads = threads;
        this.nanoTime = nanoTime;
    }

    /** One thread's work. */
    interface Writer {
        void run(int thread) throws IOException;
    }

    /** Runs the work in threads of its own and waits for all; the first failure is thrown. */
    static void inThreads(int threads, Writer writer) throws IOException {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                running.add(executor.submit(() -> {
                    writer.run(thread);
                    return null;
                }));
            }
            for (Future<?> work : running) {
                work.get();
            }
        } catch (ExecutionException e) {
            throw asIOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while writing");
        } finally {
            executor.shutdownNow();
        }
    }

    private static IOException asIOException(Throwable failure) {
        return failure instanceof IOException known
                ? known
                : new IOException("writing failed, reason=" + failure.getMessage(), failure);
    }

    /** Writes rows {@code 0 .. rows - 1}; returns when the last is acknowledged. */
    void burst(long rows) throws IOException {
        inThreads(threads, thread -> write(thread, rows, Double.POSITIVE_INFINITY));
    }

    /** The same, at a rate for all threads together. */
    void paced(long rows, double rowsPerSecond) throws IOException {
        inThreads(threads, thread -> write(thread, rows, rowsPerSecond / threads));
    }

    private void write(int thread, long rows, double rowsPerSecond) throws IOException {
        GeneratedMutations drawn = new GeneratedMutations(TableShape.KILOBYTE_ROWS, GeneratedTable.SEED);
        List<CompletableFuture<Void>> outstanding = new ArrayList<>();
        long startNanos = nanoTime.getAsLong();
        int written = 0;
        for (long id = thread; id < rows; id += threads) {
            if (written % PACED_ROWS == 0) {
                awaitTime(startNanos + (long) (written / rowsPerSecond * SECOND_NANOS));
            }
            int slot = written % OUTSTANDING_MAX;
            if (slot < outstanding.size()) {
                await(outstanding.set(slot, table.applyAsync(drawn.mutation(id))));
            } else {
                outstanding.add(table.applyAsync(drawn.mutation(id)));
            }
            written++;
        }
        for (CompletableFuture<Void> write : outstanding) {
            await(write);
        }
    }

    private void awaitTime(long nanos) {
        long left;
        while ((left = nanos - nanoTime.getAsLong()) > 0) {
            LockSupport.parkNanos(left);
        }
    }

    private static void await(CompletableFuture<Void> write) throws IOException {
        try {
            write.join();
        } catch (CompletionException e) {
            throw asIOException(e.getCause());
        }
    }
}
