package io.anneal.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class DirectoryLockTest {
    private static final String FILE = "LOCK";
    private static final int THREADS = 4;
    private static final int LOOKS = 2_000;

    @TempDir
    private Path directory;

    /** As sessions of one table do, each of which opens the same closed store. */
    @Test
    void shouldSeeNoOwnerWhenSeveralLookAtOnce() throws Exception {
        DirectoryLock.take(directory, FILE, "directory", Optional.empty()).close();
        ExecutorService executor = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<Long>> lookers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                lookers.add(executor.submit(() -> {
                    long owned = 0;
                    for (int look = 0; look < LOOKS; look++) {
                        owned += DirectoryLock.owner(directory, FILE).stream().count();
                    }
                    return owned;
                }));
            }
            for (Future<Long> looker : lookers) {
                assertThat(looker.get()).isZero();
            }
        } finally {
            executor.shutdownNow();
        }
        try (DirectoryLock lock = DirectoryLock.take(directory, FILE, "directory", Optional.empty())) {
            assertThat(DirectoryLock.owner(directory, FILE)).as("%s", lock).isPresent();
        }
        assertThat(DirectoryLock.owner(directory, FILE)).isEmpty();
    }
}
