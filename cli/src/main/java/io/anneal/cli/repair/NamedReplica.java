package io.anneal.cli.repair;

import io.anneal.store.directory.CassandraDirectory;
import io.anneal.store.directory.StoreDirectory;
import io.anneal.store.directory.TableDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A replica's directory and the name by which its output, its report and its cells go.
 *
 * @param owner what the name stands for: the path without the snapshot's tag, or nothing but a name that was given
 */
public record NamedReplica(String name, String owner, Path directory) {
    private static final List<String> SNAPSHOT_FILES = List.of("schema.cql", "manifest.json");

    /**
     * Names directories by that in which their paths differ, as {@code n1} and {@code n2} of {@code n1/anneal} and
     * {@code n2/anneal}. A snapshot's tag counts only where nothing else differs, since the next run may have another.
     *
     * @param names given ones instead; none for those of the paths
     * @throws IllegalArgumentException when names are missing, equal, or no names of files, or two directories are one
     */
    public static List<NamedReplica> of(List<Path> directories, List<String> names) throws IOException {
        List<Path> real = new ArrayList<>();
        for (Path directory : directories) {
            Path path = directory.toRealPath();
            if (real.contains(path)) {
                throw new IllegalArgumentException("directory is given twice, directory=" + directory);
            }
            real.add(path);
        }
        return names.isEmpty() ? byPaths(directories, real) : byNames(directories, names);
    }

    /** Refuses names that directories can't have. */
    static void requireNames(List<Path> directories, List<String> names) {
        if (names.size() != directories.size()) {
            throw new IllegalArgumentException("give --name as often as --dir, in its order, names=" + names.size()
                    + ", directories=" + directories.size());
        }
        for (String name : names) {
            if (name.isBlank() || name.matches("\\.\\.?") || name.matches("(?s).*[/\\\\\\p{Cntrl}].*")) {
                throw new IllegalArgumentException("name is no plain name of a file, name=" + name);
            }
        }
        refuseEqual(names);
    }

    private static List<NamedReplica> byNames(List<Path> directories, List<String> names) {
        requireNames(directories, names);
        return IntStream.range(0, names.size())
                .mapToObj(i -> new NamedReplica(names.get(i), names.get(i), directories.get(i)))
                .toList();
    }

    private static void refuseEqual(List<String> names) {
        if (new HashSet<>(names).size() < names.size()) {
            throw new IllegalArgumentException(
                    "names of replicas are equal, give each another one with --name, names=" + names);
        }
    }

    private static List<NamedReplica> byPaths(List<Path> directories, List<Path> real) {
        List<Path> homes = real.stream().map(NamedReplica::home).toList();
        boolean tagsDiffer = new HashSet<>(homes).size() < homes.size();
        // The directory above a copied snapshot names its node only if it does so for all of them.
        boolean shapesDiffer =
                homes.stream().mapToInt(Path::getNameCount).distinct().count() > 1;
        List<Path> telling = tagsDiffer
                ? real
                : shapesDiffer ? real.stream().map(NamedReplica::dataDirectory).toList() : homes;
        List<List<String>> paths =
                telling.stream().map(NamedReplica::components).toList();
        int shortest = paths.stream().mapToInt(List::size).min().orElse(0);
        int start = 0;
        while (start < shortest - 1 && areEqual(paths, start)) {
            start++;
        }
        int after = 0;
        while (start + after < shortest - 1 && areEqual(paths, -1 - after)) {
            after++;
        }
        List<NamedReplica> replicas = new ArrayList<>();
        for (int i = 0; i < paths.size(); i++) {
            String name = name(paths, paths.get(i), start, after);
            replicas.add(new NamedReplica(name, name + " " + telling.get(i), directories.get(i)));
        }
        refuseEqual(replicas.stream().map(NamedReplica::name).toList());
        return replicas;
    }

    /** The components in which paths of one shape differ, or all in between of paths that have more or fewer. */
    private static String name(List<List<String>> paths, List<String> path, int start, int after) {
        boolean oneShape = paths.stream().mapToInt(List::size).distinct().count() == 1;
        List<String> differing = new ArrayList<>();
        for (int i = start; i < path.size() - after; i++) {
            if (!oneShape || paths.size() == 1 || !areEqual(paths, i)) {
                differing.add(path.get(i));
            }
        }
        return differing.isEmpty() ? "root" : String.join("-", differing);
    }

    /** Whether all paths have the same component at a place, which counts from the end when it is negative. */
    private static boolean areEqual(List<List<String>> paths, int place) {
        return paths.stream()
                        .map(path -> path.get(place < 0 ? path.size() + place : place))
                        .distinct()
                        .count()
                == 1;
    }

    private static List<String> components(Path path) {
        List<String> components = new ArrayList<>();
        path.forEach(component -> components.add(component.toString()));
        return components;
    }

    /**
     * What does not change with the snapshot or the table: the data directory of one in Cassandra's layout, else the
     * directory that a snapshot was copied into.
     */
    private static Path home(Path directory) {
        Path parent = directory.getParent();
        boolean copied = dataDirectory(directory).equals(directory)
                && parent != null
                && parent.getNameCount() > 0
                && SNAPSHOT_FILES.stream().anyMatch(file -> Files.exists(directory.resolve(file)));
        return copied ? parent : dataDirectory(directory);
    }

    /** By which the replica of a directory is known from run to run. */
    static Path place(Path directory) throws IOException {
        return home(directory.toRealPath());
    }

    /** The data directory of a snapshot or a table in Cassandra's layout; any other directory is its own. */
    static Path dataDirectory(Path directory) {
        Path table = TableDirectories.withoutSnapshot(directory);
        return table.getNameCount() > 2
                        && CassandraDirectory.TABLE_DIRECTORY
                                .matcher(table.getFileName().toString())
                                .matches()
                ? table.getParent().getParent()
                : table;
    }

    /** The store that it is, if it is one. */
    Optional<StoreDirectory> store() throws IOException {
        return StoreDirectory.ofDirectoryOrData(directory.toRealPath());
    }

    /** @throws IllegalArgumentException when a directory lies in another, so that they are no two replicas */
    static void refuseNested(List<Path> directories) throws IOException {
        for (Path inner : directories) {
            for (Path outer : directories) {
                if (!inner.toRealPath().equals(outer.toRealPath())
                        && inner.toRealPath().startsWith(outer.toRealPath())) {
                    throw new IllegalArgumentException(
                            "directory lies inside another replica's, directory=" + inner + ", other=" + outer);
                }
            }
        }
    }
}
