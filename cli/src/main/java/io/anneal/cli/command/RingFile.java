package io.anneal.cli.command;

import io.anneal.node.Ring;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the file of {@code --ring}: what {@code nodetool describering} printed. */
public final class RingFile {
    /** More than a thousand nodes of 256 ranges have. */
    private static final long MAX_BYTES = 128 << 20;

    private RingFile() {}

    /** Throws a usage error of the command where the file is no ring. */
    public static Ring read(Subcommand command, Path file) throws IOException {
        command.requireFile("--ring", file);
        if (Files.size(file) > MAX_BYTES) {
            throw command.usage("file is too long to be a ring, file=" + file + ", lengthBytes=" + Files.size(file)
                    + ", maxBytes=" + MAX_BYTES);
        }
        try {
            return Ring.parse(Files.readString(file));
        } catch (CharacterCodingException e) {
            throw command.usage(
                    "a ring is a text: give all that 'nodetool describering KEYSPACE' prints, file=" + file);
        } catch (IllegalArgumentException e) {
            throw command.usage(e.getMessage() + ", file=" + file);
        }
    }
}
