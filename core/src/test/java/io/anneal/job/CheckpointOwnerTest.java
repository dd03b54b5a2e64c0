package io.anneal.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CheckpointOwnerTest {
    private static final int TAKEN = 0;
    private static final int REFUSED = 3;

    @TempDir
    Path directory;

    /** Another process that wants the checkpoint. */
    static final class Other {
        private Other() {}

        public static void main(String[] arguments) throws IOException {
            try {
                open(Path.of(arguments[0])).close();
            } catch (JobRefusedException e) {
                System.exit(REFUSED);
            }
        }
    }

    private static Checkpoint open(Path file) throws IOException {
        return Checkpoint.open(
                Optional.of(file), Map.of(), Map.of(), facts -> true, System::nanoTime, () -> List.of("unit"));
    }

    private int other(Path checkpoint) throws IOException, InterruptedException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Other.class.getName(),
                        checkpoint.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    @Test
    void shouldKeepOtherProcessesOffAfterARefusalInThisOne() throws Exception {
        Path checkpoint = directory.resolve("run.json");
        Checkpoint held = open(checkpoint);
        try {
            assertThatThrownBy(() -> open(checkpoint))
                    .isInstanceOf(JobRefusedException.class)
                    .hasMessageContaining("another run uses this checkpoint");

            assertThat(other(checkpoint)).isEqualTo(REFUSED);
        } finally {
            held.close();
        }
        assertThat(other(checkpoint)).isEqualTo(TAKEN);
        open(checkpoint).close();
    }
}
