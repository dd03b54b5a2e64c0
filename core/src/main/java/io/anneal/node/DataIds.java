package io.anneal.node;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Ids of directories that are the same by whatever path, link, name or process of a machine they are reached, and differ
 * elsewhere. They hold until the machine starts again.
 */
final class DataIds {
    /** Another one for each start of a kernel, so that copies of a machine and of its images have their own. */
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private DataIds() {}

    static List<UUID> of(List<Path> directories) throws IOException {
        List<UUID> ids = new ArrayList<>();
        for (Path directory : directories) {
            String place = Machine.NAME + "\n" + place(directory);
            ids.add(UUID.nameUUIDFromBytes(place.getBytes(StandardCharsets.UTF_8)));
        }
        return ids;
    }

    private static String place(Path directory) throws IOException {
        Path real = directory.toRealPath();
        if (!real.getFileSystem().equals(FileSystems.getDefault())) {
            // One of memory has paths and keys that another one has, too.
            return ProcessHandle.current().pid() + "\n" + System.identityHashCode(real.getFileSystem()) + "\n" + real;
        }
        Object key = Files.readAttributes(real, BasicFileAttributes.class).fileKey();
        return key == null ? real.toString() : key.toString();
    }

    private static final class Machine {
        static final String NAME = name();

        private static String name() {
            try {
                return Files.readString(BOOT_ID).strip();
            } catch (IOException notLinux) {
                return hostName();
            }
        }

        private static String hostName() {
            try {
                return InetAddress.getLocalHost().getHostName();
            } catch (UnknownHostException nameless) {
                return nameless.getMessage();
            }
        }
    }
}
