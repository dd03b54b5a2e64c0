package io.anneal.agent;

import io.anneal.io.AtomicFile;
import io.anneal.io.Directories;
import io.anneal.io.DirectoryLock;
import io.anneal.io.OutputFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A file that names the tables of a node whose deletions are held for an import: they are written down before they are held,
 * so that whoever starts after a crash lets all of them go. A table that an operator holds is not in it. One process has the
 * directory of the file at a time.
 */
public final class FenceLease implements Closeable {
    private static final String VERSION = "anneal fence 1";
    private static final String FILE = "fence";
    private static final String LOCK_FILE = ".anneal.lock";

    private final Path file;
    private final DirectoryLock lock;

    private FenceLease(Path file, DirectoryLock lock) {
        this.file = file;
        this.lock = lock;
    }

    /**
     * Takes a directory for the file, and makes it if it is not there.
     *
     * @param directory that is this node's alone
     * @throws IllegalStateException when another process, or another object of this one, has it
     */
    public static FenceLease open(Path directory) throws IOException {
        DirectoryLock lock = DirectoryLock.take(directory, LOCK_FILE, "directory of an agent", Optional.empty());
        return new FenceLease(directory.toRealPath().resolve(FILE), lock);
    }

    /** The tables that are held, by qualified name. */
    public List<String> tables() throws IOException {
        if (!Files.exists(file)) {
            return List.of();
        }
        List<String> lines = Files.readAllLines(file);
        if (lines.isEmpty() || !lines.get(0).equals(VERSION)) {
            throw new LiveNodeException("file of held tables is of another version, or none, file=" + file);
        }
        return lines.subList(1, lines.size());
    }

    /** Lets all tables go that are held, as far as they are there still: a run of before has not. */
    public void reset(LiveNode node) throws IOException {
        for (String name : tables()) {
            int dot = name.indexOf('.');
            Optional<LiveTable> table = node.table(name.substring(0, dot), name.substring(dot + 1));
            // Who may not hold them has held none, and may not let go either.
            if (table.isPresent() && node.neverPurges(table.get())) {
                node.neverPurge(table.get(), false);
            }
        }
        Directories.deleteFile(file);
    }

    /** Holds deletions in all of the tables, or in none. */
    void hold(LiveNode node, List<LiveTable> tables) throws IOException {
        List<String> held = tables();
        if (!held.isEmpty()) {
            throw new LiveNodeException(
                    "another run holds deletions, or has left them held, node=" + node.address() + ", tables=" + held);
        }
        List<LiveTable> ours = new ArrayList<>();
        for (LiveTable table : tables) {
            if (!node.neverPurges(table)) {
                ours.add(table);
            }
        }
        if (ours.isEmpty()) {
            return;
        }
        String text = VERSION + "\n" + String.join("\n", NodeMoment.names(ours)) + "\n";
        AtomicFile.replace(file, text.getBytes(StandardCharsets.UTF_8), OutputFile.CREATE_NEW);
        try {
            for (LiveTable table : ours) {
                node.neverPurge(table, true);
            }
        } catch (IOException e) {
            try {
                reset(node);
            } catch (IOException left) {
                e.addSuppressed(left);
            }
            throw new LiveNodeException(
                    "deletions could not be held: give the JMX role MODIFY on mbean:" + NodeBeans.table(tables.get(0))
                            + ", or repair with --no-fence, in half of the time, node=" + node.address() + ", reason="
                            + e.getMessage(),
                    e);
        }
    }

    /** Gives the directory up; what is held stays so, and stands in the file. */
    @Override
    public void close() throws IOException {
        lock.close();
    }
}
