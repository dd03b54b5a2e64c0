package io.anneal.bench.scenario;

import io.anneal.dualdao.operation.Key;
import io.anneal.dualdao.operation.Read;
import io.anneal.dualdao.operation.Write;
import java.util.concurrent.CountDownLatch;

/** Values by a number, in memory: so little that what stands before it shows. */
interface ValueDao {
    int KEY_COUNT = 1 << 10;
    int KEY_MASK = KEY_COUNT - 1;

    @Read
    String find(@Key long id);

    @Write
    void save(@Key long id, String value);

    /** All keys, boxed. */
    static Long[] keys() {
        Long[] keys = new Long[KEY_COUNT];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = (long) i;
        }
        return keys;
    }

    /** Values that are all there. Any thread: it is all the same which of two writes is seen. */
    class Values implements ValueDao {
        private final String[] values = new String[KEY_COUNT];
        private final int spinRounds;

        @SuppressWarnings("unused")
        private volatile long spun;

        /** @param spinRounds how much work a call is beside, a nanosecond or so each */
        Values(int spinRounds) {
            this.spinRounds = spinRounds;
            for (int i = 0; i < values.length; i++) {
                values[i] = "value " + i;
            }
        }

        @Override
        public String find(long id) {
            spin();
            return values[(int) id];
        }

        @Override
        public void save(long id, String value) {
            spin();
            values[(int) id] = value;
        }

        private void spin() {
            if (spinRounds == 0) {
                return;
            }
            long state = spinRounds;
            for (int i = 0; i < spinRounds; i++) {
                state = state * 6364136223846793005L + 1442695040888963407L;
            }
            spun = state;
        }
    }

    /** A class of its own, as a target's is: else calls of the origin and of it would be one to the compiler. */
    final class TargetValues extends Values {
        TargetValues() {
            super(0);
        }

        @Override
        public String find(long id) {
            return super.find(id);
        }
    }

    /** Answers nothing until it is let go. */
    final class Hanging implements ValueDao {
        private final CountDownLatch latch = new CountDownLatch(1);

        void letGo() {
            latch.countDown();
        }

        @Override
        public String find(long id) {
            await();
            return null;
        }

        @Override
        public void save(long id, String value) {
            await();
        }

        private void await() {
            try {
                latch.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
