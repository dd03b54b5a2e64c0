package io.anneal.bench.scenario;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ClusterSidesTest {
    @TempDir
    private Path directory;

    @Test
    void shouldTellWhatAnAgentSaidThatHasEnded() throws IOException, InterruptedException {
        Path log = directory.resolve("agent.log");
        Process agent = new ProcessBuilder("bash", "-c", "read line; echo no memory >&2; exit 3")
                .redirectError(log.toFile())
                .start();
        ClusterSides.requireRunning(agent, log);

        agent.getOutputStream().close();
        agent.waitFor();

        assertThatThrownBy(() -> ClusterSides.requireRunning(agent, log))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("an agent has ended, exitCode=3, log=no memory\n");
    }
}
