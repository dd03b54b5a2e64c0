package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The hot paths allocate nothing per row: what remains is noise far below a byte, whatever the compiler has done so far. */
class ScanAllocationTest {
    private static final double BYTES_PER_ROW_MAX = 1;

    @TempDir
    Path directory;

    @Test
    void shouldAllocateLessThanAByteARowWhenScanningMergingAndEncoding() throws Exception {
        List<String> lines = probe();
        assertThat(lines).hasSize(9).allSatisfy(line -> {
            String[] fields = line.split(" ");
            long rows = Long.parseLong(fields[1]);
            long allocatedBytes = Long.parseLong(fields[2]);
            assertThat(rows).as(line).isGreaterThanOrEqualTo(100_000);
            assertThat((double) allocatedBytes / rows).as(line).isLessThan(BYTES_PER_ROW_MAX);
        });
    }

    private List<String> probe() throws Exception {
        Path output = directory.resolve("probe.txt");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-disableassertions",
                        "-Xmx256m",
                        "-Djava.io.tmpdir=" + directory,
                        "-cp",
                        System.getProperty("java.class.path"),
                        AllocationProbe.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            int exit = process.waitFor();
            List<String> lines = Files.readAllLines(output, StandardCharsets.UTF_8);
            assertThat(exit).as(String.join("\n", lines)).isZero();
            return lines;
        } finally {
            process.destroyForcibly();
        }
    }
}
