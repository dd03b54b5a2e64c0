package io.anneal.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.anneal.bench.data.TemporaryDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CommandMemoryTest {
    @Test
    void shouldTakeTheLargestUseBeforeACollection() {
        assertThat(CommandMemory.peakBytes(List.of(
                        "[0.31s][info][gc] GC(0) Pause Young (Allocation Failure) 62M->1M(230M) 2.5ms",
                        "[0.42s][info][gc] GC(1) Pause Full (Ergonomics) 80M->3M(230M) 9.1ms",
                        "[0.52s][info][gc] GC(2) Pause Young (Allocation Failure) 65M->3M(230M) 1.0ms",
                        "[0.60s][info][gc,heap,exit]  PSYoungGen      total 71680K, used 2048K [0x00, 0x01, 0x02)",
                        "[0.60s][info][gc,heap,exit]  ParOldGen       total 163840K, used 1024K [0x00, 0x01, 0x02)")))
                .isEqualTo(80L * 1024 * 1024);
    }

    @Test
    void shouldTakeTheUseAtTheEndWhenNothingWasCollected() {
        assertThat(CommandMemory.peakBytes(List.of(
                        "[0.01s][info][gc] Using Parallel",
                        "[0.60s][info][gc,heap,exit]  PSYoungGen      total 71680K, used 2048K [0x00, 0x01, 0x02)",
                        "[0.60s][info][gc,heap,exit]   eden space 61440K, 35% used [0x00,0x01,0x02)",
                        "[0.60s][info][gc,heap,exit]  ParOldGen       total 163840K, used 1024K [0x00, 0x01, 0x02)")))
                .isEqualTo(3L * 1024 * 1024);
    }

    @Test
    void shouldSayWhatACommandSaidThatFailed() throws IOException {
        OwnCommand absent =
                new OwnCommand(Path.of(System.getProperty("java.home"), "bin", "java"), ".", "io.anneal.AbsentCommand");
        try (TemporaryDirectory directory = TemporaryDirectory.create("anneal-test")) {
            assertThatIOException()
                    .isThrownBy(() -> new CommandMemory(absent, () -> 0).measure(List.of("verify", "x"), directory))
                    .withMessageContaining("command=[verify, x]")
                    .withMessageContaining("exitCode=1")
                    .withMessageContaining("AbsentCommand");
        }
    }
}
