package io.anneal.table;

import io.anneal.io.AtomicFile;
import io.anneal.io.Directories;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.StagedSSTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a table's directory hold what its manifest says: temporary files and SSTables that the manifest names as written or
 * obsolete are deleted; SSTables that it does not name are somebody else's and moved aside, never deleted.
 */
final class TableSweep {
    static final String UNLISTED = "unlisted";

    private static final Logger LOG = LoggerFactory.getLogger(TableSweep.class);

    private TableSweep() {}

    /** @return the highest number that any generation has or had here */
    static long run(Path directory, Manifest manifest) throws IOException {
        StagedSSTable.sweep(directory);
        Directories.deleteFile(AtomicFile.temporary(manifest.file()));

        ManifestContent content = manifest.content();
        Set<String> dead = content.dead();
        for (Path file : Directories.list(directory)) {
            if (Descriptor.of(file)
                    .filter(sstable -> dead.contains(sstable.generation()))
                    .isPresent()) {
                Directories.deleteFile(file);
            }
        }
        Map<Descriptor, List<Path>> unlisted = TableDirectory.unlisted(directory, content);
        if (!unlisted.isEmpty()) {
            moveAside(directory, content, unlisted);
        }
        Directories.sync(directory);
        long highest = highestGeneration(directory, content);
        manifest.update(c -> c.withoutFiles(dead));
        return highest;
    }

    private static void moveAside(Path directory, ManifestContent content, Map<Descriptor, List<Path>> unlisted)
            throws IOException {
        for (Map.Entry<Descriptor, List<Path>> entry : unlisted.entrySet()) {
            Path target = freeDirectory(directory.resolve(UNLISTED), entry.getValue());
            LOG.warn(
                    "SSTable is not in the manifest and is moved aside: import it if it belongs here, table={}, sstable={}, to={}",
                    content.qualifiedName(),
                    entry.getKey(),
                    target);
            Directories.create(target);
            for (Path file : entry.getValue()) {
                Directories.rename(file, target.resolve(file.getFileName().toString()));
            }
            Directories.sync(target);
        }
    }

    /** {@code unlisted}, or a numbered directory in it where files of these names lie there already. */
    private static Path freeDirectory(Path unlisted, List<Path> files) {
        Path target = unlisted;
        for (int number = 2; holdsAny(target, files); number++) {
            target = unlisted.resolve(Integer.toString(number));
        }
        return target;
    }

    private static boolean holdsAny(Path target, List<Path> files) {
        return files.stream()
                .anyMatch(file -> Files.exists(target.resolve(file.getFileName().toString())));
    }

    private static long highestGeneration(Path directory, ManifestContent content) throws IOException {
        List<String> generations = new ArrayList<>(content.writing());
        generations.addAll(content.obsolete());
        content.sstables().forEach(s -> generations.add(s.generation()));
        Path unlisted = directory.resolve(UNLISTED);
        if (Files.isDirectory(unlisted)) {
            for (Path file : Directories.list(unlisted)) {
                Descriptor.of(file).ifPresent(d -> generations.add(d.generation()));
            }
        }
        long highest = 0;
        for (String generation : generations) {
            // Time-based ids have letters and underscores; they cannot collide with a number.
            if (generation.matches("\\d{1,18}")) {
                highest = Math.max(highest, Long.parseLong(generation));
            }
        }
        return highest;
    }
}
