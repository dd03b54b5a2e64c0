package io.anneal.table;

import java.util.List;

/**
 * Mutations on their way that last together. They share a {@link SharedReceipt} as their receipt, so that
 * the one who waits hears once, when all are answered.
 */
record PendingBatch(List<PendingWrite> writes) implements LogWriter.Message {
    /** Hears of each mutation; the first failure is that of all. Shards answer from threads of their own. */
    static final class SharedReceipt implements Receipt {
        private final Receipt all;
        private int leftCount;
        private Throwable failure;

        SharedReceipt(Receipt all, int count) {
            this.all = all;
            leftCount = count;
        }

        @Override
        public void applied() {
            answered(null);
        }

        @Override
        public void failed(Throwable reason) {
            answered(reason);
        }

        private void answered(Throwable reason) {
            synchronized (this) {
                failure = failure == null ? reason : failure;
                leftCount--;
                assert leftCount >= 0;
                if (leftCount > 0) {
                    return;
                }
            }
            if (failure == null) {
                all.applied();
            } else {
                all.failed(failure);
            }
        }
    }
}
