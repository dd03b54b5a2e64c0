package io.anneal.io;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Opens files for positional reads, on any file system. */
public final class InputFile {
    private InputFile() {}

    /**
     * A channel that can be read at positions, and only so, by several threads, interrupted or not. Where the file system has no file channels, as many that
     * are no disks have none, its plain channel stands behind it.
     */
    public static FileChannel open(Path file) throws IOException {
        try {
            return LastingChannel.open(file);
        } catch (UnsupportedOperationException e) {
            return new PositionalChannel(Files.newByteChannel(file, StandardOpenOption.READ));
        }
    }
}
