package io.anneal.bench.peer;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The files of a node as the project {@code bench/peer} builds them: {@code lib} with Cassandra's jars, {@code classes}
 * with the agent. Older releases have a {@code lib} of their own, and the same agent.
 */
record PeerInstallation(Path directory, CassandraRelease release) {
    private static final String DIRECTORY_PROPERTY = "anneal.peer.directory";
    private static final Path IN_CHECKOUT = Path.of("bench", "peer", "target");

    static PeerInstallation locate(CassandraRelease release) {
        String configured = System.getProperty(DIRECTORY_PROPERTY);
        if (configured != null) {
            return new PeerInstallation(Path.of(configured), release).checked();
        }
        Path start = Path.of("").toAbsolutePath();
        for (Path ancestor = start; ancestor != null; ancestor = ancestor.getParent()) {
            if (Files.isDirectory(ancestor.resolve(IN_CHECKOUT).resolve("lib"))) {
                return new PeerInstallation(ancestor.resolve(IN_CHECKOUT), release).checked();
            }
        }
        throw new CassandraPeerException("no Cassandra to start, property=" + DIRECTORY_PROPERTY + ", searchedFrom="
                + start + ", build=" + build(release));
    }

    private static String build(CassandraRelease release) {
        return "mvn -f bench/peer/pom.xml process-classes" + (release.isOlder() ? " -Danneal.all=true" : "");
    }

    private Path lib() {
        Path target =
                release.isOlder() ? directory.resolveSibling(release.number()).resolve("target") : directory;
        return target.resolve("lib");
    }

    String classPath() {
        return classes() + File.pathSeparator + lib().resolve("*");
    }

    /** The agent that measures objects in memory; Cassandra sizes its memtables by it. */
    Path memoryMeter() {
        return onlyJar("jamm-");
    }

    private PeerInstallation checked() {
        PeerInstallation absolute =
                new PeerInstallation(directory.toAbsolutePath().normalize(), release);
        if (!Files.isDirectory(absolute.classes()) || !Files.isDirectory(absolute.lib())) {
            throw new CassandraPeerException("no Cassandra in the directory, release=" + release.number()
                    + ", directory=" + absolute.directory + ", build=" + build(release));
        }
        absolute.onlyJar("cassandra-all-");
        return absolute;
    }

    private Path classes() {
        return directory.resolve("classes");
    }

    // Two versions side by side, left by builds of before and after an upgrade, would mix in one class path.
    private Path onlyJar(String prefix) {
        List<Path> jars;
        try (Stream<Path> files = Files.list(lib())) {
            jars = files.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (jars.size() != 1) {
            throw new CassandraPeerException(
                    "not exactly one jar, build again after a clean, prefix=" + prefix + ", jars=" + jars);
        }
        return jars.get(0);
    }
}
