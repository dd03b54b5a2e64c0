package io.anneal.faults;

import com.sun.management.GarbageCollectionNotificationInfo;
import io.anneal.cli.AnnealCommand;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/**
 * The command in a process that says when it ends how much memory it had in use at most: what a collection left, and what
 * lay outside the heap.
 */
public final class MeasuredCommand {
    /** Names the file in which it says so. */
    public static final String FILE_PROPERTY = "anneal.test.peaks";

    private static final long SAMPLE_MS = 5;

    private final AtomicLong liveBytes = new AtomicLong();
    private final AtomicLong directBytes = new AtomicLong();

    private MeasuredCommand() {}

    /** The most that was in use. */
    public record Peaks(long liveBytes, long directBytes) {
        public static Peaks read(Path file) throws IOException {
            String[] numbers = Files.readString(file).strip().split(" ");
            return new Peaks(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]));
        }

        @Override
        public String toString() {
            return "liveMiB=" + (liveBytes >> 20) + ", directMiB=" + (directBytes >> 20);
        }
    }

    public static void main(String[] arguments) {
        new MeasuredCommand().watch(Path.of(System.getProperty(FILE_PROPERTY)));
        AnnealCommand.main(arguments);
    }

    private void watch(Path file) {
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            ((NotificationEmitter) collector)
                    .addNotificationListener(
                            (notification, handback) -> collected(
                                    GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData())),
                            notification -> notification
                                    .getType()
                                    .equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION),
                            null);
        }
        Thread sampler = new Thread(this::sample, "memory-sampler");
        sampler.setDaemon(true);
        sampler.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                Files.writeString(file, liveBytes + " " + directBytes + "\n");
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }));
    }

    /** What a collection of the young has left is partly garbage: so the whole heap counts only what the old generation has. */
    private void collected(GarbageCollectionNotificationInfo collection) {
        long usedBytes = collection.getGcInfo().getMemoryUsageAfterGc().entrySet().stream()
                .filter(pool ->
                        pool.getKey().contains("Tenured") || pool.getKey().contains("Survivor"))
                .map(Map.Entry::getValue)
                .mapToLong(MemoryUsage::getUsed)
                .sum();
        liveBytes.accumulateAndGet(usedBytes, Math::max);
    }

    private void sample() {
        while (!Thread.interrupted()) {
            long bytes = PlatformDependent.usedDirectMemory();
            for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
                bytes += pool.getName().equals("direct") ? pool.getMemoryUsed() : 0;
            }
            directBytes.accumulateAndGet(bytes, Math::max);
            try {
                Thread.sleep(SAMPLE_MS);
            } catch (InterruptedException stopped) {
                return;
            }
        }
    }
}
