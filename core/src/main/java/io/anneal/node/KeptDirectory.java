package io.anneal.node;

import io.anneal.io.AtomicFile;
import io.anneal.io.Directories;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import io.anneal.io.TextFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a node keeps, from one repair to the next, what is known of its data: a file a table, each replaced as a whole, and a secret
 * number of the node, {@code seed}. Nothing of it is needed: what is gone or wrong costs time, and is made anew. Only its owner may read
 * it. One process at a time has the directory, by a lock of its caller's. Safe for any thread.
 */
public final class KeptDirectory {
    /** A file that nobody has written for so long is of a table that is gone, or that is not repaired. */
    public static final Duration KEPT = Duration.ofDays(100);

    private static final Logger LOG = LoggerFactory.getLogger(KeptDirectory.class);
    /** What is larger was never written here. */
    private static final long LENGTH_MAX_BYTES = 64 << 20;

    private static final String SEED_FILE = "seed";
    private static final String SUFFIX = ".kept";
    private static final TextFormat FORMAT = new TextFormat("anneal-seed", "1");

    private final Path directory;
    private final long seed;

    private KeptDirectory(Path directory, long seed) {
        this.directory = directory;
        this.seed = seed;
    }

    /**
     * Makes the directory where it is not there, and removes what is too old.
     *
     * @param random for a secret: a {@link java.security.SecureRandom} outside of tests
     * @throws StorageException when it can't be made or written
     */
    public static KeptDirectory open(Path directory, RandomGenerator random, Instant now) throws IOException {
        make(directory);
        for (Path file : Directories.list(directory)) {
            if (file.getFileName().toString().endsWith(SUFFIX)
                    && Files.getLastModifiedTime(file).toInstant().isBefore(now.minus(KEPT))) {
                forget(file);
            }
        }
        return new KeptDirectory(directory, seed(directory.resolve(SEED_FILE), random));
    }

    private static void make(Path directory) throws StorageException {
        Directories.create(directory);
        closeToOthers(directory);
    }

    /** Removes what is kept of other tables than these. */
    public void retain(Set<String> tableIds) throws StorageException {
        for (Path file : Directories.list(directory)) {
            String name = file.getFileName().toString();
            if (name.endsWith(SUFFIX) && !tableIds.contains(name.substring(0, name.length() - SUFFIX.length()))) {
                forget(file);
            }
        }
    }

    /** What stays harms nobody. */
    private static void forget(Path file) {
        try {
            Directories.deleteFile(file);
        } catch (StorageException e) {
            LOG.warn("what is kept of a table that is gone can't be removed, file={}, cause={}", file, e.toString());
        }
    }

    private static void closeToOthers(Path directory) throws StorageException {
        try {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        } catch (UnsupportedOperationException notPosix) {
            LOG.debug("file system has no permissions, directory={}", directory);
        } catch (IOException e) {
            throw new StorageException("close to others", directory, e);
        }
    }

    private static long seed(Path file, RandomGenerator random) throws IOException {
        Optional<Long> kept = readSeed(file);
        if (kept.isPresent()) {
            return kept.get();
        }
        long made = random.nextLong();
        AtomicFile.replace(
                file, FORMAT.print("seed " + HexFormat.of().toHexDigits(made) + "\n"), OutputFile.CREATE_NEW);
        return made;
    }

    private static Optional<Long> readSeed(Path file) throws StorageException {
        Optional<byte[]> content = read(file);
        boolean isThere = Files.exists(file);
        Optional<Long> seed = content.map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                .filter(text ->
                        FORMAT.versionOf(text).filter(FORMAT.version()::equals).isPresent())
                .flatMap(FORMAT::facts)
                .filter(facts -> facts.size() == 1 && facts.get(0).matches("seed [0-9a-f]{16}"))
                .map(facts -> Long.parseUnsignedLong(facts.get(0).substring("seed ".length()), 16));
        if (isThere && seed.isEmpty()) {
            LOG.warn("file holds no seed and is made anew, so that the next repair reads all rows, file={}", file);
        }
        return seed;
    }

    /** Seed of the hashes that are compared with those of an earlier repair: nobody outside of the cluster may know it. */
    public long seed() {
        return seed;
    }

    /**
     * Reads what is kept of a table; empty where there is nothing. One caller after the other, as {@link #update}: of many sessions that
     * begin at once, one has a file in memory.
     */
    public synchronized <T> T read(String tableId, Function<Optional<byte[]>, T> use) throws StorageException {
        return use.apply(read(file(tableId)));
    }

    /** Replaces what is kept of a table by what is made of it, one caller after the other. */
    public synchronized void update(String tableId, UnaryOperator<Optional<byte[]>> change) throws StorageException {
        Path file = file(tableId);
        Optional<byte[]> changed = change.apply(read(file));
        if (changed.isPresent()) {
            // Somebody may have removed all of it.
            make(directory);
            AtomicFile.replace(file, changed.get(), OutputFile.CREATE_NEW);
        } else {
            Directories.deleteFile(file);
        }
    }

    private Path file(String tableId) {
        if (!tableId.matches("[0-9a-f]{32}")) {
            throw new IllegalArgumentException("table id is none, tableId=" + tableId);
        }
        return directory.resolve(tableId + SUFFIX);
    }

    private static Optional<byte[]> read(Path file) throws StorageException {
        try {
            if (Files.size(file) > LENGTH_MAX_BYTES) {
                LOG.warn("file is too large to be one that was kept here, and counts for nothing, file={}", file);
                return Optional.empty();
            }
            return Optional.of(Files.readAllBytes(file));
        } catch (NoSuchFileException notThere) {
            return Optional.empty();
        } catch (IOException e) {
            throw new StorageException("read", file, e);
        }
    }
}
