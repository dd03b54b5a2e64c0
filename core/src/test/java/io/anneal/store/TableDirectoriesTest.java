package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The moment from which data dates. */
final class TableDirectoriesTest {
    private static final Instant TAKEN = Instant.parse("2026-11-02T10:15:30.123Z");

    @TempDir
    private Path disk;

    @TempDir
    private Path otherDisk;

    @BeforeEach
    void setUp() throws IOException {
        sstable(disk, "nb-1-big-Data.db", TAKEN.minusSeconds(900));
        sstable(disk, "nb-2-big-Data.db", TAKEN.minusSeconds(600));
    }

    private static void sstable(Path directory, String name, Instant modified) throws IOException {
        Files.setLastModifiedTime(Files.writeString(directory.resolve(name), ""), FileTime.from(modified));
    }

    private static void manifest(Path directory, String createdAt) throws IOException {
        Path manifest = directory.resolve("manifest.json");
        Files.writeString(
                manifest,
                "{\n  \"files\" : [ \"nb-1-big-Data.db\" ]," + createdAt + "\n  \"expires_at\" : null,\n"
                        + "  \"ephemeral\" : false\n}");
        Files.setLastModifiedTime(manifest, FileTime.from(TAKEN.minusSeconds(30)));
    }

    private Optional<Instant> asOf(Path... directories) throws IOException {
        return new TableDirectories("ks", "t", Optional.empty(), List.of(directories)).asOf();
    }

    @Test
    void shouldReadWhenASnapshotWasTaken() throws IOException {
        manifest(disk, "\n  \"created_at\" : \"" + TAKEN + "\",");
        assertThat(asOf(disk)).contains(TAKEN);
        // A copy that does not keep times, and the other disk of the node, which has no manifest.
        sstable(disk, "nb-1-big-Data.db", TAKEN.plusSeconds(9_000));
        sstable(otherDisk, "nb-3-big-Data.db", TAKEN.minusSeconds(9_000));
        assertThat(asOf(disk, otherDisk)).contains(TAKEN);
        assertThat(asOf(otherDisk, disk)).contains(TAKEN);
    }

    @Test
    void shouldTakeTheOldestOfSeveralSnapshots() throws IOException {
        manifest(disk, "\"created_at\":\"" + TAKEN + "\",");
        manifest(otherDisk, "\"created_at\":\"" + TAKEN.minusSeconds(5) + "\",");
        assertThat(asOf(disk, otherDisk)).contains(TAKEN.minusSeconds(5));
    }

    @Test
    void shouldTakeTheNewestFileTimeWhenNoManifestTells() throws IOException {
        assertThat(asOf(disk)).contains(TAKEN.minusSeconds(600));
        manifest(disk, "");
        assertThat(asOf(disk)).contains(TAKEN.minusSeconds(30));
        Files.createDirectories(disk.resolve("snapshots/of-today"));
        assertThat(asOf(disk)).contains(TAKEN.minusSeconds(30));
    }

    @Test
    void shouldNotKnowTheTimeOfNothing() throws IOException {
        assertThat(asOf(otherDisk)).isEmpty();
    }

    @Test
    void shouldNameTheManifestWhoseTimeCannotBeRead() throws IOException {
        manifest(disk, "\"created_at\":\"yesterday\",");
        assertThatThrownBy(() -> asOf(disk)).isInstanceOf(IOException.class).hasMessageContaining("manifest.json");
    }
}
