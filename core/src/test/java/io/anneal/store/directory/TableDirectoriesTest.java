package io.anneal.store.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.UnsupportedVersionException;
import io.anneal.sstable.Descriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What snapshots hold, and the moment from which data dates. */
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

    private static void list(Path directory, String... files) throws IOException {
        String names = Stream.of(files).map(file -> '"' + file + '"').collect(Collectors.joining(","));
        Files.writeString(directory.resolve("manifest.json"), "{\"files\":[" + names + "]}\n");
    }

    private static List<Descriptor> live(Path... directories) throws IOException {
        return new TableDirectories("ks", "t", Optional.empty(), List.of(directories)).liveSSTables();
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
    void shouldTakeTheNewestDataFileWhenThereIsNoSnapshotFile() throws IOException {
        sstable(disk, "nb-2-big-Index.db", TAKEN);
        assertThat(asOf(disk)).contains(TAKEN.minusSeconds(600));
        assertThat(asOf(disk, otherDisk)).contains(TAKEN.minusSeconds(600));
    }

    @Test
    void shouldNotGrowYoungByASchemaTextThatIsPutBesideIt() throws IOException {
        sstable(disk, "schema.cql", TAKEN);
        assertThat(asOf(disk)).contains(TAKEN.minusSeconds(600));
    }

    @Test
    void shouldTakeTheOlderOfManifestAndSchemaWhenNoManifestTells() throws IOException {
        manifest(disk, "");
        assertThat(asOf(disk)).contains(TAKEN.minusSeconds(30));
        sstable(disk, "schema.cql", TAKEN.minusSeconds(20));
        assertThat(asOf(disk)).contains(TAKEN.minusSeconds(30));
        sstable(otherDisk, "schema.cql", TAKEN.minusSeconds(40));
        assertThat(asOf(disk, otherDisk)).contains(TAKEN.minusSeconds(40));
        manifest(disk, "\"created_at\" : null,");
        assertThat(asOf(disk)).contains(TAKEN.minusSeconds(30));
    }

    @Test
    void shouldNotGrowYoungWhenSomebodyElsesFileIsAdded() throws IOException {
        sstable(disk, "notes.txt", TAKEN.plusSeconds(9_000));
        Files.createDirectories(disk.resolve("snapshots/of-today"));
        assertThat(asOf(disk)).contains(TAKEN.minusSeconds(600));
        manifest(disk, "");
        assertThat(asOf(disk)).contains(TAKEN.minusSeconds(30));
    }

    /** A store's schema text is as old as the table, and tells nothing of its data. */
    @Test
    void shouldTakeTheManifestsTimeOfAStoresTable() throws IOException {
        sstable(disk, "schema.cql", TAKEN.minusSeconds(9_000));
        sstable(disk, "MANIFEST", TAKEN.minusSeconds(300));
        sstable(disk, "notes.txt", TAKEN.plusSeconds(9_000));
        assertThat(asOf(disk)).contains(TAKEN.minusSeconds(300));
    }

    @Test
    void shouldNotKnowTheTimeOfNothing() throws IOException {
        assertThat(asOf(otherDisk)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\0\0\0\0",
                "{",
                "{\"files\":[\"nb-1-big-Data.db\"",
                "{\"files\":[\"nb-1-big-Data.db\"],\"created_at\":\"2026-11-",
                "{\"files\":[\"nb-1-big-Data.db\"],\"created_at\":\"2026-11-02T10:15:30Z\"",
                "{\"files\":[\"nb-1-big-Data.db\"]}}",
                "{\"files\":[\"nb-1-big-Data.db\"],\"created_at\":\"yesterday\"}",
                "{\"files\":[\"nb-1-big-Data.db\"],\"created_at\":7}",
                "{\"files\":\"nb-1-big-Data.db\"}",
                "{\"created_at\":\"2026-11-02T10:15:30Z\"}",
                "[]"
            })
    void shouldNameTheManifestThatCannotBeRead(String text) throws IOException {
        Path manifest = Files.writeString(disk.resolve("manifest.json"), text);
        assertThatThrownBy(() -> asOf(disk))
                .isInstanceOf(CorruptSnapshotException.class)
                .hasMessageContaining(manifest.toString());
        assertThatThrownBy(() -> live(disk))
                .isInstanceOf(CorruptSnapshotException.class)
                .hasMessageContaining(manifest.toString());
    }

    @Test
    void shouldNameTheManifestThatIsNoText() throws IOException {
        Path manifest = Files.write(disk.resolve("manifest.json"), new byte[] {'{', (byte) 0xff, '}'});
        assertThatThrownBy(() -> live(disk))
                .isInstanceOf(CorruptSnapshotException.class)
                .hasMessageContaining(manifest.toString());
    }

    @Test
    void shouldNameTheSSTableThatTheManifestListsAndIsNotThere() throws IOException {
        list(disk, "nb-1-big-Data.db", "nb-7-big-Data.db", "nb-2-big-Data.db");
        assertThatThrownBy(() -> live(disk))
                .isInstanceOf(CorruptSnapshotException.class)
                .hasMessageContaining("nb-7-big-Data.db")
                .hasMessageContaining(disk.resolve("manifest.json").toString());
        sstable(disk, "nb-7-big-Data.db", TAKEN);
        assertThat(live(disk)).hasSize(3);
    }

    @Test
    void shouldFindWhatTheManifestListsOnTheOtherDisks() throws IOException {
        list(disk, "nb-1-big-Data.db", "nb-2-big-Data.db", "nb-3-big-Data.db");
        sstable(otherDisk, "nb-3-big-Data.db", TAKEN);
        assertThat(live(disk, otherDisk)).hasSize(3);
        assertThat(live(otherDisk, disk)).hasSize(3);
        assertThatThrownBy(() -> live(disk)).hasMessageContaining("nb-3-big-Data.db");

        // Later versions of Cassandra write the same manifest on every disk.
        list(otherDisk, "nb-1-big-Data.db", "nb-2-big-Data.db", "nb-3-big-Data.db");
        assertThat(live(disk, otherDisk)).hasSize(3);
        assertThatThrownBy(() -> live(otherDisk)).hasMessageContaining("nb-1-big-Data.db");
    }

    @Test
    void shouldNotTakeAnotherSnapshotsFileForTheOneThatIsMissing() throws IOException {
        list(disk, "nb-1-big-Data.db", "nb-2-big-Data.db", "nb-3-big-Data.db");
        list(otherDisk, "nb-3-big-Data.db");
        sstable(otherDisk, "nb-3-big-Data.db", TAKEN);
        assertThatThrownBy(() -> live(disk, otherDisk)).hasMessageContaining("nb-3-big-Data.db");
    }

    @Test
    void shouldNotMissFilesOfSecondaryIndexes() throws IOException {
        list(disk, "nb-1-big-Data.db", ".by_name/nb-1-big-Data.db", ".by_item\\/nb-9-big-Data.db");
        assertThat(live(disk)).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ks-t-ka-1-Data.db", "ks-t-jb-1-TOC.txt", "lb-1-big-Index.db", "x-Data.db"})
    void shouldHaveWhatNobodyReadsAmongTheLiveSSTables(String name) throws IOException {
        sstable(otherDisk, name, TAKEN);
        assertThat(live(disk, otherDisk)).hasSize(3);
        assertThatThrownBy(() -> Formats.open(live(otherDisk).get(0)))
                .isInstanceOf(UnsupportedVersionException.class)
                .hasMessageContaining(otherDisk.toString())
                .hasMessageContaining(name.substring(0, name.lastIndexOf('-')));
    }

    @Test
    void shouldHaveOldDataAmongTheLiveSSTablesWhateverItIs() throws IOException {
        Path elsewhere = Files.writeString(otherDisk.resolve("moved.db"), "");
        Files.createSymbolicLink(disk.resolve("ks-t-ka-1-Data.db"), elsewhere);
        Files.createSymbolicLink(disk.resolve("ks-t-ka-2-Data.db"), otherDisk.resolve("gone"));
        assertThat(live(disk)).hasSize(4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ks-t-tmp-ka-1-Data.db", "tmplink-la-1-big-Data.db", "ks-t.by_v-ka-1-Data.db"})
    void shouldLeaveOutWhatIsNoPartOfTheTable(String name) throws IOException {
        sstable(disk, name, TAKEN);
        Files.createDirectory(disk.resolve("x-Data.db"));
        assertThat(live(disk)).hasSize(2);
        assertThat(asOf(disk)).contains(TAKEN.minusSeconds(600));
    }

    @Test
    void shouldNameWhatTheManifestListsUnderNoNameOfAnSSTable() throws IOException {
        sstable(disk, "ks-t-tmp-ka-1-Data.db", TAKEN);
        list(disk, "nb-1-big-Data.db", "ks-t-tmp-ka-1-Data.db");
        assertThatThrownBy(() -> live(disk))
                .isInstanceOf(CorruptSnapshotException.class)
                .hasMessageContaining("ks-t-tmp-ka-1-Data.db");
    }

    @Test
    void shouldReadTheSnapshotOfAnEmptyTable() throws IOException {
        list(otherDisk);
        assertThat(live(otherDisk)).isEmpty();
    }
}
