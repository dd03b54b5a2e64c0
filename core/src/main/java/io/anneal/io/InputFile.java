package io.anneal.io;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/** Opens files for positional reads, on any file system. */
public final class InputFile {
    private InputFile() {}

    /**
     * A channel that can be read at positions, and only so, by several threads, interrupted or not. Where the file system has no file channels, as many that
     * are no disks have none, its plain channel stands behind it.
     */
    public static FileChannel open(Path file) throws IOException {
        // Opening a pipe would wait for somebody who writes to it.
        if (Files.readAttributes(file, BasicFileAttributes.class).isOther()) {
            throw new FileSystemException(file.toString(), null, "is a pipe or a device, and no file");
        }
        try {
            return LastingChannel.open(file);
        } catch (UnsupportedOperationException e) {
            return new PositionalChannel(Files.newByteChannel(file, StandardOpenOption.READ));
        }
    }

    /**
     * The platform's own channel that stands behind one, for those who hand its descriptor to the kernel; empty when there is
     * none. It is closed with the other one, and when a thread is interrupted that reads from that.
     */
    public static Optional<FileChannel> platform(FileChannel channel) {
        FileChannel behind = channel instanceof LastingChannel lasting ? lasting.current() : channel;
        return Optional.of(behind).filter(own -> own.getClass().getModule() == Object.class.getModule());
    }
}
