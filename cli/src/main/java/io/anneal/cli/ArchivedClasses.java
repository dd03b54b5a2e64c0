package io.anneal.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Classes of commands that the run of which the launcher makes its shared archive does not use: a cluster's repair needs agents. They are
 * loaded by their packages, so that the archive has them, too.
 */
final class ArchivedClasses {
    /** Set by the launcher for that run. */
    static final String PROPERTY = "anneal.archive";

    private static final String CLASS = ".class";
    private static final List<String> PACKAGES = List.of(
            "io/anneal/agent/",
            "io/anneal/cli/command/",
            "io/anneal/cli/repair/",
            "io/anneal/cli/runs/",
            "io/anneal/job/",
            "io/anneal/net/",
            "io/anneal/node/",
            "io/anneal/repair/",
            // records of runs
            "com/fasterxml/jackson/annotation/",
            "com/fasterxml/jackson/core/",
            "com/fasterxml/jackson/databind/");

    private ArchivedClasses() {}

    /** Loads them from the jar that this class is in, and runs nothing of them. */
    static void load() {
        ClassLoader loader = ArchivedClasses.class.getClassLoader();
        try (JarFile jar = new JarFile(own().toFile())) {
            for (Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements(); ) {
                String name = entries.nextElement().getName();
                if (name.endsWith(CLASS) && PACKAGES.stream().anyMatch(name::startsWith)) {
                    load(name.substring(0, name.length() - CLASS.length()).replace('/', '.'), loader);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path own() {
        return Path.of(URI.create(ArchivedClasses.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString()));
    }

    private static void load(String name, ClassLoader loader) {
        try {
            Class.forName(name, false, loader);
        } catch (ClassNotFoundException | LinkageError e) {
            // One that is for a library which is not here: nothing else loads it either.
        }
    }
}
