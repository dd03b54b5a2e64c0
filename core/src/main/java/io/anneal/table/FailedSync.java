package io.anneal.table;

import io.anneal.io.Directories;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a sync of a store has failed since somebody looked after it: a file in the store's directory, and a second one beside
 * its commit log, since a directory that could not be synced may lose the one. That one is there counts; what it says is for
 * people.
 *
 * @param store its directory
 * @param commitLog that of its commit log
 */
public record FailedSync(Path store, Path commitLog) {
    public static final String FILE = "FAILED-SYNC";

    private static final Logger LOG = LoggerFactory.getLogger(FailedSync.class);

    private List<Path> files() {
        return List.of(store.resolve(FILE), commitLog.resolve(FILE));
    }

    private static boolean exists(Path file) {
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
    }

    /** Whether nobody has acknowledged it yet. */
    public boolean isPresent() {
        return files().stream().anyMatch(FailedSync::exists);
    }

    /** When it failed, in which file and why, in a line; empty when there is nothing to acknowledge. */
    public Optional<String> read() {
        return files().stream().filter(FailedSync::exists).findFirst().map(FailedSync::text);
    }

    private static String text(Path file) {
        try {
            String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8)
                    .strip()
                    .replaceAll("\\R", ", ");
            return text.isEmpty() ? "nothing is known of it, file=" + file : text;
        } catch (IOException e) {
            return "what is known of it cannot be read, file=" + file + ", reason=" + e;
        }
    }

    /** Remembers one. Never fails: who calls it has a failure already. */
    public void write(StorageException failure, Instant now) {
        byte[] text = ("time=" + now + "\nfile=" + failure.file() + "\nreason=" + failure.reason() + "\n")
                .getBytes(StandardCharsets.UTF_8);
        for (Path file : files()) {
            try {
                if (!exists(file)) {
                    write(file, text);
                }
            } catch (StorageException e) {
                failure.addSuppressed(e);
            }
        }
        if (!isPresent()) {
            LOG.error(
                    "failed sync could not be noted, and the next start will not know of it, store={}", store, failure);
        }
    }

    /** What was written but not synced stays: it outlasts this process, if not the machine. */
    private static void write(Path file, byte[] text) throws StorageException {
        try (OutputFile out = OutputFile.open(file, OutputFile.CREATE_NEW)) {
            out.write(text, 0, text.length);
            out.sync();
        }
        Directories.sync(file.getParent());
    }

    /** Forgets it: somebody has seen to what was not synced. */
    public void acknowledge() throws StorageException {
        for (Path file : files()) {
            if (exists(file)) {
                Directories.deleteFile(file);
                Directories.sync(file.getParent());
            }
        }
    }
}
