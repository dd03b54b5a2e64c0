package io.anneal.cli.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NamedReplicaTest {
    private static final String TABLE = "/data/ks/t-2e52ce90e54c11f199539ddbc8d5a59d";

    @TempDir
    private Path directory;

    private List<NamedReplica> named(String... paths) throws IOException {
        List<Path> directories = new ArrayList<>();
        for (String path : paths) {
            directories.add(Files.createDirectories(directory.resolve(path)));
        }
        return NamedReplica.of(directories, List.of());
    }

    private List<String> names(String... paths) throws IOException {
        return named(paths).stream().map(NamedReplica::name).toList();
    }

    private List<String> owners(String... paths) throws IOException {
        return named(paths).stream().map(NamedReplica::owner).toList();
    }

    @Test
    void shouldNameByWhatDiffers() throws IOException {
        assertThat(names("n1/anneal", "n2/anneal")).containsExactly("n1", "n2");
        assertThat(names("one", "two")).containsExactly("one", "two");
        assertThat(names("r1/n1/data", "r1/n2/data", "r2/n1/data")).containsExactly("r1-n1", "r1-n2", "r2-n1");
        assertThat(names("x/n1/d/a", "x/n2/d/b")).containsExactly("n1-a", "n2-b");
        assertThat(names("y/n1", "y/deep/n2")).containsExactly("n1", "deep-n2");
        assertThat(names("z", "z/inner")).containsExactly("z", "z-inner");
        assertThat(names("alone/a")).containsExactly("a");
    }

    @Test
    void shouldNotNameByWhatIsAboveAllOfThem() throws IOException {
        for (String copied : List.of("all/nb/ks/t", "all/shallow")) {
            Files.writeString(Files.createDirectories(directory.resolve(copied)).resolve("schema.cql"), "");
        }
        assertThat(names("all/nb/ks/t", "all/shallow")).containsExactly("nb-ks-t", "shallow");
    }

    @Test
    void shouldNotNameBySnapshotsInCassandrasLayout() throws IOException {
        assertThat(names("n1" + TABLE + "/snapshots/a", "n2" + TABLE + "/snapshots/b"))
                .containsExactly("n1", "n2");
        assertThat(owners("n1" + TABLE + "/snapshots/a", "n2" + TABLE + "/snapshots/a"))
                .isEqualTo(owners("n1" + TABLE + "/snapshots/b", "n2/data"));
        assertThat(names("n1" + TABLE + "/snapshots/a", "n1" + TABLE + "/snapshots/b"))
                .containsExactly("a", "b");
    }

    @Test
    void shouldTellNodesOfOneNameApart() throws IOException {
        assertThat(names("r1/n1/data", "r2/n1/data")).isEqualTo(names("r1/n2/data", "r2/n2/data"));
        assertThat(owners("r1/n1/data", "r2/n1/data").get(0))
                .isNotEqualTo(owners("r1/n2/data", "r2/n2/data").get(0));
        assertThat(owners("here/n1", "here/n2").get(0))
                .isNotEqualTo(owners("there/n1", "there/n2").get(0));
    }

    @Test
    void shouldAskForNamesWhenPathsGiveNone() {
        assertThatThrownBy(() -> names("a/b-c", "a-b/c", "a/b/c"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--name");
    }
}
