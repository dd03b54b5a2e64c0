package io.anneal.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CheckpointTest {
    private static final Map<String, String> IDENTITY = Map.of("kind", "repair", "text", "two\nlines \\n and\r back\\");

    @TempDir
    private Path directory;

    private Path file() {
        return directory.resolve("below").resolve("job.checkpoint");
    }

    private Checkpoint open() throws IOException {
        return Checkpoint.open(
                Optional.of(file()),
                IDENTITY,
                Map.of("started", "17"),
                facts -> true,
                System::nanoTime,
                () -> List.of("shop.orders (1,2] a,b", "with\nend", "plain"));
    }

    @Test
    void shouldReadWhatItWrote() throws Exception {
        try (Checkpoint checkpoint = open()) {
            checkpoint.record(0, checkpoint.unit(0).done(7, 8, Optional.empty()));
            checkpoint.record(1, checkpoint.unit(1).kept(3, 4, "as far\nas here"));
        }

        try (Checkpoint again = open()) {
            assertThat(again.units())
                    .containsExactly(
                            CheckpointContent.UnitState.open("shop.orders (1,2] a,b")
                                    .done(7, 8, Optional.empty()),
                            CheckpointContent.UnitState.open("with\nend").kept(3, 4, "as far\nas here"),
                            CheckpointContent.UnitState.open("plain"));
            assertThat(again.facts()).containsExactly(Map.entry("started", "17"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\n",
                "anneal-job",
                "anneal-job 2",
                "anneal-job 2\n",
                "anneal-job 2\ncrc32 00000000\n",
                "anneal-job 1\n",
                "{\"format\": 1}"
            })
    void shouldRefuseWhatIsNoCheckpoint(String content) throws Exception {
        Files.createDirectories(file().getParent());
        Files.writeString(file(), content);

        assertThatThrownBy(this::open)
                .isInstanceOf(JobRefusedException.class)
                .hasMessageContainingAll("remove it", file().toString());
        assertThat(file()).hasContent(content);
    }

    @Test
    void shouldRefuseAFileThatIsCutOrDamagedAnywhere() throws Exception {
        open().close();
        byte[] whole = Files.readAllBytes(file());

        for (int i = 0; i < whole.length; i++) {
            refuses(Arrays.copyOf(whole, i));
            byte[] damaged = whole.clone();
            damaged[i] ^= 1;
            refuses(damaged);
        }

        Files.write(file(), whole);
        open().close();
    }

    private void refuses(byte[] content) throws IOException {
        Files.write(file(), content);
        assertThatThrownBy(this::open)
                .as(new String(content, StandardCharsets.UTF_8))
                .isInstanceOf(JobRefusedException.class);
    }

    @Test
    void shouldNotWriteOnceItIsClosed() throws Exception {
        Checkpoint outlived = open();
        outlived.close();
        try (Checkpoint next = open()) {
            next.record(0, next.unit(0).done(1, 1, Optional.empty()));

            assertThatThrownBy(() -> outlived.record(1, outlived.unit(1).done(1, 1, Optional.empty())))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
        }
        try (Checkpoint last = open()) {
            assertThat(last.units().get(0).isDone()).isTrue();
            assertThat(last.units().get(1).isDone()).isFalse();
        }
    }

    @Test
    void shouldWriteThoughItsThreadIsInterrupted() throws Exception {
        try (Checkpoint checkpoint = open()) {
            Thread.currentThread().interrupt();
            checkpoint.record(0, checkpoint.unit(0).done(1, 1, Optional.empty()));
            assertThat(Thread.interrupted()).isTrue();
        }
        try (Checkpoint again = open()) {
            assertThat(again.unit(0).isDone()).isTrue();
        }
    }
}
