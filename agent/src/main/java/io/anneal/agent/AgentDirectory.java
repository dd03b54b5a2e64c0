package io.anneal.agent;

import io.anneal.io.Directories;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** Where an agent may keep its files: on the file system of its node's data, among no node's files, and alone. Nothing is made here. */
final class AgentDirectory {
    static final String LOCK_FILE = ".anneal.lock";
    static final String RUNS = "runs";
    static final String KEPT = "kept";

    /** A disk that is mounted there has it. */
    private static final String FILE_SYSTEMS_OWN = "lost+found";

    /** Each data directory of a node that has run has tables of one of them. */
    private static final List<String> CASSANDRAS_KEYSPACES =
            List.of("system", "system_schema", "system_auth", "system_distributed", "system_traces");

    private static final Pattern TABLE_DIRECTORY = Pattern.compile("\\w+-[0-9a-f]{32}");

    private AgentDirectory() {}

    /** @throws LiveNodeException when the directory must not be this node's agent's */
    static void require(LiveNode node, Path directory) throws IOException {
        requireOutside(node, directory);
        requireAlone(directory);
        requireFileSystem(node, directory);
    }

    /** A node takes directories among its data for its own, and those among its logs, too. */
    static void requireOutside(LiveNode node, Path directory) throws IOException {
        Path real = existing(directory).toRealPath();
        for (Path one : node.ownDirectories()) {
            if (Files.isDirectory(one) && real.startsWith(one.toRealPath())) {
                throw new LiveNodeException(
                        "directory of the agent lies in the node's data: name one beside it, directory=" + directory
                                + ", data=" + one);
            }
        }
        for (Path above = real; above != null; above = above.getParent()) {
            if (isData(above)) {
                throw new LiveNodeException(
                        "directory of the agent lies in the data of another node: name one beside it, directory="
                                + directory + ", data=" + above);
            }
        }
    }

    private static boolean isData(Path directory) throws IOException {
        for (String name : CASSANDRAS_KEYSPACES) {
            Path keyspace = directory.resolve(name);
            if (Files.isDirectory(keyspace)
                    && Files.isReadable(keyspace)
                    && Directories.list(keyspace).stream()
                            .anyMatch(table -> TABLE_DIRECTORY
                                    .matcher(table.getFileName().toString())
                                    .matches())) {
                return true;
            }
        }
        return false;
    }

    private static void requireAlone(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return;
        }
        List<String> names = Directories.list(directory).stream()
                .map(entry -> entry.getFileName().toString())
                .toList();
        if (names.contains(LOCK_FILE) && names.contains(RUNS)) {
            return;
        }
        for (String name : names) {
            if (!name.equals(LOCK_FILE) && !name.equals(FILE_SYSTEMS_OWN)) {
                throw new LiveNodeException(
                        "directory of the agent has files of others: name an empty one, or one that is not there yet,"
                                + " directory=" + directory + ", file=" + name);
            }
        }
    }

    /** An import moves files; from another file system it would copy them, and be torn by a crash. */
    private static void requireFileSystem(LiveNode node, Path directory) throws IOException {
        FileStore store = Files.getFileStore(existing(directory));
        List<Path> data = node.dataDirectories();
        for (Path one : data) {
            node.requireHere(one);
            if (Files.getFileStore(one).equals(store)) {
                return;
            }
        }
        throw new LiveNodeException("directory of the agent is on another file system than the node's data, directory="
                + directory + ", data=" + data);
    }

    /** The directory, or the one above it in which it is to be made. */
    private static Path existing(Path directory) {
        Path there = directory.toAbsolutePath();
        while (!Files.exists(there)) {
            there = there.getParent();
        }
        return there;
    }
}
