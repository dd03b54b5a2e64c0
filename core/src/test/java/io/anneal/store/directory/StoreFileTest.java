package io.anneal.store.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import io.anneal.io.UnsupportedVersionException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StoreFileTest {
    private static final StoreFile FACTS = new StoreFile(12, UUID.fromString("2d987f40-e54c-11f1-9953-9ddbc8d5a59d"));

    @TempDir
    private Path directory;

    @Test
    void shouldReadWhatWasWritten() throws IOException {
        assertThat(StoreFile.read(directory)).isEmpty();
        FACTS.create(directory, OutputFile.CREATE_NEW);
        assertThat(StoreFile.read(directory)).contains(FACTS);
    }

    @Test
    void shouldNoticeEveryChangedByte() throws IOException {
        FACTS.create(directory, OutputFile.CREATE_NEW);
        Path file = directory.resolve(StoreFile.FILE);
        byte[] bytes = Files.readAllBytes(file);
        for (int i = 0; i < bytes.length; i++) {
            byte[] changed = bytes.clone();
            changed[i] ^= 1;
            Files.write(file, changed);
            assertThatThrownBy(() -> StoreFile.read(directory))
                    .isInstanceOfAny(CorruptStoreException.class, UnsupportedVersionException.class)
                    .hasMessageContaining(file.toString());
        }
        Files.writeString(file, "");
        assertThatThrownBy(() -> StoreFile.read(directory)).isInstanceOf(CorruptStoreException.class);
    }

    @Test
    void shouldTellOtherReleasesStore() throws IOException {
        Files.writeString(directory.resolve(StoreFile.FILE), "anneal-store 2\nsomething new\n");
        assertThatThrownBy(() -> StoreFile.read(directory))
                .isInstanceOf(UnsupportedVersionException.class)
                .hasMessageContaining("found=2");
    }

    @Test
    void shouldNameFileThatCannotBeReadOrWritten() throws IOException {
        assertThatThrownBy(() -> FACTS.create(directory, file -> {
                    throw new IOException("No space left on device");
                }))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("STORE");
        assertThat(StoreFile.read(directory)).isEmpty();
        Files.createDirectory(directory.resolve(StoreFile.FILE));
        assertThatThrownBy(() -> StoreFile.read(directory))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("STORE");
    }
}
