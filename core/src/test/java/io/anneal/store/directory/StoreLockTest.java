package io.anneal.store.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.anneal.io.StorageException;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StoreLockTest {
    private static final Instant SINCE = Instant.parse("2026-01-02T03:04:05Z");

    @TempDir
    private Path directory;

    /** Takes the lock in another process and holds it until its input ends. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] args) throws IOException {
            try (Closeable lock = StoreLock.take(Path.of(args[0]), () -> SINCE)) {
                System.out.println("taken " + lock);
                System.out.flush();
                while (System.in.read() >= 0) {
                    continue;
                }
            }
        }
    }

    @Test
    void shouldNameOwnerInTheSameProcess() throws IOException {
        Path store = directory.resolve("a/b");
        try (Closeable lock = StoreLock.take(store, () -> SINCE)) {
            assertThat(lock).isNotNull();
            assertThatThrownBy(() -> StoreLock.take(store, () -> SINCE))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("store is in use")
                    .hasMessageContaining("directory=" + store)
                    .hasMessageContaining("pid=" + ProcessHandle.current().pid());
            assertThat(StoreLock.owner(store)).isPresent();
        }
        assertThat(StoreLock.owner(store)).isEmpty();
        StoreLock.take(store, () -> SINCE).close();
    }

    @Test
    void shouldKnowTheDirectoryByAnyName() throws IOException {
        Path store = Files.createDirectory(directory.resolve("store"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), store);
        try (Closeable lock = StoreLock.take(store, () -> SINCE)) {
            assertThat(lock).isNotNull();
            assertThatThrownBy(() -> StoreLock.take(link, () -> SINCE)).isInstanceOf(IllegalStateException.class);
        }
    }

    private Process start() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Holder.class.getName(),
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    @Test
    void shouldNameOwnerInAnotherProcess() throws IOException, InterruptedException {
        Process holder = start();
        try {
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(holder.getInputStream(), StandardCharsets.UTF_8));
            assertThat(lines.readLine()).startsWith("taken");
            assertThatThrownBy(() -> StoreLock.take(directory, () -> SINCE))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("directory=" + directory)
                    .hasMessageContaining("pid=" + holder.pid())
                    .hasMessageContaining("host=")
                    .hasMessageContaining("since=" + SINCE);
            // Asking must not let go of what another has, nor must failing.
            assertThat(StoreLock.owner(directory))
                    .hasValueSatisfying(owner -> assertThat(owner).contains("pid=" + holder.pid()));
            assertThat(StoreLock.owner(directory)).isPresent();
        } finally {
            holder.destroyForcibly().waitFor();
        }
        // A killed owner is none.
        assertThat(StoreLock.owner(directory)).isEmpty();
        StoreLock.take(directory, () -> SINCE).close();
    }

    @Test
    void shouldKeepOthersOutThoughSomebodyRemovesTheLock() throws IOException, InterruptedException {
        Process holder = start();
        try {
            assertThat(new BufferedReader(new InputStreamReader(holder.getInputStream(), StandardCharsets.UTF_8))
                            .readLine())
                    .startsWith("taken");
            Files.delete(directory.resolve(StoreLock.FILE));
            assertThat(StoreLock.owner(directory))
                    .hasValueSatisfying(owner -> assertThat(owner).contains("pid=" + holder.pid()));
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> StoreLock.take(directory, () -> SINCE))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("whose file LOCK somebody removed, is in use")
                        .hasMessageContaining("directory=" + directory)
                        .hasMessageContaining("pid=" + holder.pid());
            }
        } finally {
            holder.destroyForcibly().waitFor();
        }
        StoreLock.take(directory, () -> SINCE).close();
    }

    @Test
    void shouldLeaveTheOwnerOutWhenItHasNotSaidItsNameYet() throws IOException, InterruptedException {
        Process holder = start();
        try {
            assertThat(new BufferedReader(new InputStreamReader(holder.getInputStream(), StandardCharsets.UTF_8))
                            .readLine())
                    .startsWith("taken");
            Files.writeString(directory.resolve(StoreLock.FILE), "");
            assertThatThrownBy(() -> StoreLock.take(directory, () -> SINCE))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageEndingWith("directory=" + directory);
        } finally {
            holder.destroyForcibly().waitFor();
        }
    }

    @Test
    void shouldKeepThisProcessOutWhereThereAreNoLocks() throws IOException {
        try (FileSystem files = Jimfs.newFileSystem(Configuration.unix())) {
            Path store = files.getPath("/store");
            try (Closeable lock = StoreLock.take(store, () -> SINCE)) {
                assertThat(lock).isNotNull();
                assertThatThrownBy(() -> StoreLock.take(store, () -> SINCE))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("pid=");
            }
            StoreLock.take(store, () -> SINCE).close();
        }
    }

    @Test
    void shouldNameWhatCannotBeMade() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");
        assertThatThrownBy(() -> StoreLock.take(file.resolve("store"), () -> SINCE))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining(file.toString());
        Files.createDirectory(directory.resolve(StoreLock.FILE));
        assertThatThrownBy(() -> StoreLock.take(directory, () -> SINCE))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("LOCK");
        Files.delete(directory.resolve(StoreLock.FILE));
        StoreLock.take(directory, () -> SINCE).close();
    }

    @Test
    void shouldCloseTwice() throws IOException {
        Closeable first = StoreLock.take(directory, () -> SINCE);
        first.close();
        try (Closeable second = StoreLock.take(directory, () -> SINCE)) {
            assertThat(second).isNotNull();
            first.close();
            assertThat(StoreLock.owner(directory)).isPresent();
        }
    }

    @Test
    void shouldBeNoOnesWhereNoStoreIs() throws IOException {
        assertThat(StoreLock.owner(directory)).isEqualTo(Optional.empty());
    }
}
