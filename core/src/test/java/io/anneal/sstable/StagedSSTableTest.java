package io.anneal.sstable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StagedSSTableTest {
    private static final Set<Component> COMPONENTS =
            EnumSet.of(Component.DATA, Component.INDEX, Component.STATISTICS, Component.DIGEST);

    @TempDir
    private Path directory;

    private Descriptor descriptor;
    private StagedSSTable staged;

    @BeforeEach
    void stage() throws IOException {
        descriptor = new Descriptor(directory, "nb", "7", "big");
        staged = StagedSSTable.of(descriptor);
        for (Component component : COMPONENTS) {
            Files.writeString(staged.file(component), "ours");
        }
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void shouldShowNoSSTableUntilPublished() throws IOException {
        assertThat(names()).hasSize(4).allSatisfy(name -> {
            assertThat(Descriptor.of(directory.resolve(name))).isEmpty();
            // What Cassandra takes for a component, or for leftovers of its own.
            assertThat(name).doesNotEndWith(".db").doesNotEndWith(".tmp");
            assertThat(name.split("-")).hasSizeGreaterThan(4);
        });
    }

    @Test
    void shouldGiveEveryFileItsNameWhenPublished() throws IOException {
        staged.publish(COMPONENTS, OutputFile.CREATE_NEW);

        assertThat(names())
                .containsExactly(
                        "nb-7-big-Data.db",
                        "nb-7-big-Digest.crc32",
                        "nb-7-big-Index.db",
                        "nb-7-big-Statistics.db",
                        "nb-7-big-TOC.txt");
        assertThat(Files.readAllLines(descriptor.file(Component.TOC)))
                .containsExactly("Data.db", "Digest.crc32", "Index.db", "Statistics.db", "TOC.txt");
        assertThat(StagedSSTable.sweep(directory)).isEmpty();
        assertThat(names()).hasSize(5);
    }

    /** Renaming stops at each component in turn, as in a crash: somebody else's file is in the way. */
    @ParameterizedTest
    @EnumSource(names = {"DATA", "INDEX", "STATISTICS", "DIGEST", "TOC"})
    void shouldSweepOnlyItsOwnWhenRenamingStopped(Component stop) throws IOException {
        Files.writeString(descriptor.file(stop), "theirs");
        Files.writeString(directory.resolve("nb-8-big-Data.db"), "theirs");
        Files.writeString(directory.resolve("nb-7-big-Filter.db"), "theirs");
        assertThatThrownBy(() -> staged.publish(COMPONENTS, OutputFile.CREATE_NEW))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining(stop.fileSuffix());

        StagedSSTable.sweep(directory);

        assertThat(names())
                .containsExactlyInAnyOrder("nb-8-big-Data.db", "nb-7-big-Filter.db", "nb-7-big-" + stop.fileSuffix());
        assertThat(descriptor.file(stop)).hasContent("theirs");
    }

    @Test
    void shouldSweepStagedFilesWhenThereIsNoListYet() throws IOException {
        Files.writeString(descriptor.file(Component.DATA), "theirs");

        StagedSSTable.sweep(directory);

        assertThat(names()).containsExactly("nb-7-big-Data.db");
    }

    @Test
    void shouldKeepNamedFilesWhenTheListIsCutShort() throws IOException {
        Files.writeString(descriptor.file(Component.INDEX), "theirs");
        Files.writeString(staged.file(Component.TOC), "Data.db\nDigest.crc32\nInd");

        StagedSSTable.sweep(directory);

        assertThat(names()).containsExactly("nb-7-big-Index.db");
    }

    @Test
    void shouldFinishASweepThatWasCutShort() throws IOException {
        staged.publish(COMPONENTS, OutputFile.CREATE_NEW);
        Files.move(descriptor.file(Component.TOC), staged.file(Component.TOC));
        Files.delete(descriptor.file(Component.DATA));

        StagedSSTable.sweep(directory);

        assertThat(names()).isEmpty();
    }

    @Test
    void shouldRefuseAnSSTableThatExists() throws IOException {
        assertThatThrownBy(() -> StagedSSTable.of(descriptor))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("nb-7-big");
        staged.publish(COMPONENTS, OutputFile.CREATE_NEW);
        assertThatThrownBy(() -> StagedSSTable.of(descriptor)).isInstanceOf(IllegalStateException.class);
    }
}
