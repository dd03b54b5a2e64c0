package io.anneal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.UnsupportedVersionException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeFileTest {
    @TempDir
    private Path dir;

    @Test
    void shouldKeepTheIdOverRestarts() throws Exception {
        UUID id = NodeFile.idOf(dir, UUID::randomUUID);

        assertThat(NodeFile.idOf(dir, UUID::randomUUID)).isEqualTo(id);
        assertThat(dir).isDirectoryContaining(file -> file.endsWith(NodeFile.FILE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "anneal-node 1\n", "nonsense", "anneal-node 1\nid 0-0-0-0-0\ncrc32 00000000\n"})
    void shouldRefuseAFileThatIsWrongByName(String text) throws Exception {
        Files.writeString(dir.resolve(NodeFile.FILE), text);

        assertThatThrownBy(() -> NodeFile.idOf(dir, UUID::randomUUID))
                .isInstanceOf(ReplicaException.class)
                .hasMessageContaining(dir.resolve(NodeFile.FILE).toString());
        assertThat(dir.resolve(NodeFile.FILE)).hasContent(text);
    }

    @Test
    void shouldRefuseAFileWhoseIdWasChanged() throws Exception {
        NodeFile.idOf(dir, () -> new UUID(1, 2));
        Path file = dir.resolve(NodeFile.FILE);
        Files.writeString(file, Files.readString(file).replace("id 0", "id 1"));

        assertThatThrownBy(() -> NodeFile.idOf(dir, UUID::randomUUID)).isInstanceOf(ReplicaException.class);
    }

    @Test
    void shouldRefuseTheFileOfAnotherRelease() throws Exception {
        Files.writeString(dir.resolve(NodeFile.FILE), "anneal-node 2\nname x\n");

        assertThatThrownBy(() -> NodeFile.idOf(dir, UUID::randomUUID)).isInstanceOf(UnsupportedVersionException.class);
    }
}
