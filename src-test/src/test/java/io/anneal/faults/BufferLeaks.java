package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Netty's paranoid look at every buffer that is allocated, from now until the close, which fails if one was lost. */
final class BufferLeaks implements AutoCloseable {
    private static final String CANARY = "a buffer that the test itself loses";

    private final Level before = ResourceLeakDetector.getLevel();
    private final List<String> leaks = new CopyOnWriteArrayList<>();

    BufferLeaks() {
        ResourceLeakDetector.setLevel(Level.PARANOID);
        ByteBufUtil.setLeakListener((type, records) -> leaks.add(records));
    }

    @Override
    public void close() {
        try {
            // A detector that does not find this one proves nothing; what was lost before it is found with it.
            while (leaks.stream().noneMatch(leak -> leak.contains(CANARY))) {
                lose(CANARY + " " + System.nanoTime());
                System.gc();
                ByteBufAllocator.DEFAULT.buffer(1).release();
            }
            assertThat(leaks).allMatch(leak -> leak.contains(CANARY));
        } finally {
            ByteBufUtil.setLeakListener(null);
            ResourceLeakDetector.setLevel(before);
        }
    }

    /** @param hint unlike any other, since the detector tells of the same loss only once */
    private static void lose(String hint) {
        ByteBufAllocator.DEFAULT.buffer(1).touch(hint);
    }
}
