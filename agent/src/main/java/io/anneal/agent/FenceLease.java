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
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A file that names the tables of a node whose deletions are held for an import: they are written down before they are held,
 * so that whoever starts after a crash lets all of them go. Nobody else holds any of them, who could let go meanwhile: a node has
 * one object of this at a time, by a lock among its data, whatever the directory of the file.
 */
public final class FenceLease implements Closeable {
    private static final String VERSION = "anneal fence 1";
    private static final String FILE = "fence";
    /** Cassandra keeps files of its own beside its keyspaces, too, and takes none there for data but SSTables by their names. */
    private static final String NODE_LOCK_FILE = ".anneal-agent.lock";

    private final Path file;
    private final DirectoryLock lock;
    private final DirectoryLock nodeLock;

    private FenceLease(Path file, DirectoryLock lock, DirectoryLock nodeLock) {
        this.file = file;
        this.lock = lock;
        this.nodeLock = nodeLock;
    }

    /**
     * Takes a directory for the file, and makes it if it is not there.
     *
     * @param node on this machine
     * @param directory that is this node's alone, and not among its data
     * @throws IllegalStateException when another process, or another object of this one, has the directory or the node
     */
    public static FenceLease open(LiveNode node, Path directory) throws IOException {
        AgentDirectory.requireOutside(node, directory);
        return take(node, directory);
    }

    /** The same of a directory that has been looked at. */
    static FenceLease take(LiveNode node, Path directory) throws IOException {
        requireFree(node, directory);
        // Of several disks all agents of a node see the same one first.
        Path first = node.dataDirectories().get(0);
        DirectoryLock lock =
                DirectoryLock.take(directory, AgentDirectory.LOCK_FILE, "directory of an agent", Optional.empty());
        DirectoryLock nodeLock = null;
        try {
            nodeLock = DirectoryLock.take(first, NODE_LOCK_FILE, "the node's one place for an agent", Optional.empty());
            return new FenceLease(directory.toRealPath().resolve(FILE), lock, nodeLock);
        } finally {
            if (nodeLock == null) {
                lock.close();
            }
        }
    }

    /**
     * Nobody has the node or the directory: what the locks say again when they are taken.
     *
     * @throws IllegalStateException when somebody has
     */
    static void requireFree(LiveNode node, Path directory) throws IOException {
        Path first = node.dataDirectories().get(0);
        node.requireHere(first);
        Optional<String> agent = DirectoryLock.owner(first, NODE_LOCK_FILE);
        if (agent.isPresent()) {
            throw new IllegalStateException("node has an agent that runs, and may have no other, node=" + node.address()
                    + ", data=" + first + ", " + agent.get());
        }
        Optional<String> user = Files.isDirectory(directory)
                ? DirectoryLock.owner(directory, AgentDirectory.LOCK_FILE)
                : Optional.empty();
        if (user.isPresent()) {
            throw new IllegalStateException(
                    "directory of an agent is in use, directory=" + directory + ", " + user.get());
        }
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

    /**
     * Lets all tables go that are held, as far as they are there still: a run of before has not. An import that a killed process had
     * asked for goes on in the node, and ends first.
     */
    public void reset(LiveNode node) throws IOException {
        for (String name : tables()) {
            int dot = name.indexOf('.');
            Optional<LiveTable> table = node.table(name.substring(0, dot), name.substring(dot + 1));
            // Who may not hold them has held none, and may not let go either.
            if (table.isPresent() && node.neverPurges(table.get())) {
                node.awaitImports(table.get(), file.getParent());
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
        for (LiveTable table : tables) {
            if (node.neverPurges(table)) {
                throw new LiveNodeException(
                        "somebody else holds deletions, and may let go meanwhile: set NeverPurgeTombstones of mbean:"
                                + NodeBeans.table(table) + " to false, or repair with --no-fence, in half of the time,"
                                + " node=" + node.address() + ", table=" + table.qualifiedName());
            }
        }
        String text = VERSION + "\n"
                + NodeMoment.names(tables).stream().map(name -> name + "\n").collect(Collectors.joining());
        AtomicFile.replace(file, text.getBytes(StandardCharsets.UTF_8), OutputFile.CREATE_NEW);
        try {
            for (LiveTable table : tables) {
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

    /** Gives node and directory up; what is held stays so, and stands in the file. */
    @Override
    public void close() throws IOException {
        try {
            nodeLock.remove();
        } finally {
            lock.close();
        }
    }
}
