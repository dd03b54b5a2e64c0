package io.anneal.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Makes the temporary directories of all tests in memory, where the machine has a file system for that with much room: files
 * are synced there many thousand times, and wait for no disk. A process that is killed loses nothing there either; what a disk
 * loses is tested on a simulated one.
 */
final class MemoryDirectories implements TempDirFactory {
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final String PREFIX = "anneal-test-";
    private static final long ROOM_MIN_BYTES = 4L << 30;

    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context) throws IOException {
        return hasRoom() ? Files.createTempDirectory(MEMORY, PREFIX) : Files.createTempDirectory(PREFIX);
    }

    private static boolean hasRoom() throws IOException {
        return Files.isWritable(MEMORY) && Files.getFileStore(MEMORY).getUsableSpace() >= ROOM_MIN_BYTES;
    }
}
