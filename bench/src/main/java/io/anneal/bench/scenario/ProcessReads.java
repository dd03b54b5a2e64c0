package io.anneal.bench.scenario;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What this process read until now, as Linux counts it.
 *
 * @param operations system calls that read
 * @param bytes that they gave, from the page cache too
 */
record ProcessReads(long operations, long bytes) {
    private static final Path FILE = Path.of("/proc/self/io");

    /** Empty where the system does not tell. */
    static Optional<ProcessReads> now() throws IOException {
        if (!Files.isReadable(FILE)) {
            return Optional.empty();
        }
        long operations = 0;
        long bytes = 0;
        for (String line : Files.readAllLines(FILE)) {
            String[] parts = line.split(": ", 2);
            switch (parts[0]) {
                case "syscr" -> operations = Long.parseLong(parts[1]);
                case "rchar" -> bytes = Long.parseLong(parts[1]);
                default -> {}
            }
        }
        return Optional.of(new ProcessReads(operations, bytes));
    }

    ProcessReads since(ProcessReads before) {
        return new ProcessReads(operations - before.operations, bytes - before.bytes);
    }
}
