package io.anneal.table;

import io.anneal.io.Directories;
import io.anneal.io.StorageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The directory in which SSTables lie while they come, each lot of them in a directory of its own: {@code <name>}, which the next
 * opening deletes, or {@code <name>.kept-<second>}, which it leaves until then. Safe for any thread.
 */
public final class ReceivingPlaces {
    private static final Pattern KEPT = Pattern.compile("(.+)\\.kept-(\\d{1,18})");

    private final Path directory;
    /** Names of what is kept and being received just now. */
    private final Set<String> inUse = ConcurrentHashMap.newKeySet();

    /** Makes nothing yet. */
    public ReceivingPlaces(Path directory) {
        this.directory = directory;
    }

    /** A place under a name that nobody else has; the next opening deletes it. */
    public ReceivingPlace fresh(String name) {
        return new ReceivingPlace(directory.resolve(name), () -> {}, false);
    }

    /**
     * The place of a name, over openings, until its time is over. Nobody else gets it before it is given back.
     *
     * @param untilSeconds when its time is over, unless it is there already: seconds since 1970
     * @return empty while somebody has it
     */
    public Optional<ReceivingPlace> kept(String name, long untilSeconds) throws StorageException {
        if (!inUse.add(name)) {
            return Optional.empty();
        }
        boolean found = false;
        try {
            ReceivingPlace place = new ReceivingPlace(path(name, untilSeconds), () -> inUse.remove(name), true);
            place.findLastGeneration();
            found = true;
            return Optional.of(place);
        } finally {
            if (!found) {
                inUse.remove(name);
            }
        }
    }

    private Path path(String name, long untilSeconds) throws StorageException {
        for (Path received : list()) {
            Matcher kept = KEPT.matcher(received.getFileName().toString());
            if (kept.matches() && kept.group(1).equals(name)) {
                return received;
            }
        }
        return directory.resolve(name + ".kept-" + untilSeconds);
    }

    private List<Path> list() throws StorageException {
        return Files.isDirectory(directory) ? Directories.list(directory) : List.of();
    }

    /** Deletes what is here, but for what is kept until later than now. At an opening, before anybody receives. */
    public void forget(Instant now) throws StorageException {
        for (Path received : list()) {
            Matcher kept = KEPT.matcher(received.getFileName().toString());
            if (!kept.matches() || Long.parseLong(kept.group(2)) <= now.getEpochSecond()) {
                Directories.deleteTree(received);
            }
        }
        if (Files.isDirectory(directory) && list().isEmpty()) {
            Directories.deleteFile(directory);
        }
    }

    /** Deletes what is kept: it may be what is to go. */
    void forgetKept() throws StorageException {
        for (Path received : list()) {
            if (KEPT.matcher(received.getFileName().toString()).matches()) {
                Directories.deleteTree(received);
            }
        }
    }
}
