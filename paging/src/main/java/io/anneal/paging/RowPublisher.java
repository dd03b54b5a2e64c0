package io.anneal.paging;

import io.anneal.store.TableRow;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Rows for those who ask for a number of them, see the rules of Reactive Streams. Any thread. */
final class RowPublisher implements Flow.Publisher<TableRow> {
    private final Scan scan;
    private final Executor executor;

    RowPublisher(Scan scan, Executor executor) {
        this.scan = scan;
        this.executor = Objects.requireNonNull(executor, "executor");
    }

    @Override
    public void subscribe(Flow.Subscriber<? super TableRow> subscriber) {
        Objects.requireNonNull(subscriber, "subscriber");
        new Reading(subscriber).run(true);
    }

    /**
     * What one subscriber gets. {@link #turns} counts the wishes that nobody has looked at: whoever makes it one has the executor look,
     * so that one thread at a time reads.
     */
    private final class Reading implements Flow.Subscription {
        private final AtomicLong wanted = new AtomicLong();
        private final AtomicInteger turns = new AtomicInteger();
        private volatile boolean isOver;
        /** Why nothing more comes. */
        private volatile Optional<Throwable> refusal = Optional.empty();
        /** Null once over, so that nobody is held who wants nothing any more. */
        private Flow.Subscriber<? super TableRow> subscriber;

        private ScanRows rows;

        Reading(Flow.Subscriber<? super TableRow> subscriber) {
            this.subscriber = subscriber;
        }

        /** Asks for a turn. */
        private void run(boolean isFirst) {
            if (turns.getAndIncrement() > 0) {
                return;
            }
            try {
                executor.execute(() -> turn(isFirst));
            } catch (RuntimeException e) {
                // Where nothing runs there is only this thread to say so.
                refusal = Optional.of(e);
                turn(isFirst);
            }
        }

        private void turn(boolean isFirst) {
            if (isFirst) {
                begin();
            }
            int seen = turns.get();
            do {
                if (subscriber != null) {
                    handOver();
                }
                seen = turns.addAndGet(-seen);
            } while (seen > 0);
        }

        private void begin() {
            try {
                rows = new ScanRows(scan, scan.pages(false));
            } catch (RuntimeException e) {
                refusal = Optional.of(e);
            }
            subscriber.onSubscribe(this);
        }

        private void handOver() {
            boolean goesOn = false;
            try {
                while (wanted.get() > 0 && handOverOne()) {
                    wanted.updateAndGet(left -> left == Long.MAX_VALUE ? left : left - 1);
                }
                goesOn = !isOver && !completes();
            } finally {
                // Also where the subscriber throws: nothing is asked of it any more.
                if (!goesOn) {
                    isOver = true;
                    subscriber = null;
                    if (rows != null) {
                        rows.close();
                    }
                }
            }
        }

        private boolean handOverOne() {
            Optional<TableRow> row = Optional.empty();
            try {
                if (!isOver && refusal.isEmpty()) {
                    row = rows.hasNext() ? Optional.of(rows.next()) : Optional.empty();
                }
            } catch (UncheckedIOException e) {
                refusal = Optional.of(e.getCause());
            } catch (RuntimeException e) {
                refusal = Optional.of(e);
            }
            if (row.isPresent() && !isOver) {
                subscriber.onNext(row.get());
            }
            return row.isPresent() && !isOver;
        }

        /** Tells the end where it is known without reading more. */
        private boolean completes() {
            if (refusal.isPresent()) {
                subscriber.onError(refusal.get());
                return true;
            }
            if (rows != null && rows.isAtEnd()) {
                subscriber.onComplete();
                return true;
            }
            return false;
        }

        @Override
        public void request(long count) {
            if (isOver) {
                return;
            }
            if (count <= 0) {
                refusal = Optional.of(
                        new IllegalArgumentException("a subscriber asks for one row at least, count=" + count));
            } else {
                wanted.updateAndGet(left -> left + count < 0 ? Long.MAX_VALUE : left + count);
            }
            run(false);
        }

        @Override
        public void cancel() {
            if (!isOver) {
                isOver = true;
                run(false);
            }
        }
    }
}
