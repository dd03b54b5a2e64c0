package io.anneal.node;

import io.anneal.io.AtomicFile;
import io.anneal.io.Directories;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import io.anneal.io.TextFormat;
import io.anneal.io.UnsupportedVersionException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Keeps a node's id over restarts, in a file of its own: {@code anneal-node 1}, {@code id <uuid>} and {@code crc32 <8
 * hexadecimal digits>} of the lines before, one a line. Whoever calls holds the lock of the directory.
 */
public final class NodeFile {
    public static final String FILE = ".anneal.node";

    private static final TextFormat FORMAT = new TextFormat("anneal-node", "1");
    private static final Pattern FACT = Pattern.compile("id ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})");

    private NodeFile() {}

    /**
     * The id that the directory's file says; made up and written when there is none.
     *
     * @throws ReplicaException when the file is wrong
     * @throws UnsupportedVersionException when another release wrote it
     */
    public static UUID idOf(Path directory, Supplier<UUID> ids) throws IOException {
        Path file = directory.resolve(FILE);
        if (!Files.exists(file)) {
            UUID id = ids.get();
            AtomicFile.replace(file, FORMAT.print("id " + id + "\n"), OutputFile.CREATE_NEW);
            return id;
        }
        // Who was killed may not have forced its name to the disk.
        Directories.sync(directory);
        String text;
        try {
            text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new StorageException("read", file, e);
        }
        return parse(file, text);
    }

    private static UUID parse(Path file, String text) throws IOException {
        Optional<String> version = FORMAT.versionOf(text);
        if (version.isPresent() && !version.get().equals(FORMAT.version())) {
            throw UnsupportedVersionException.ofOwnFile(file, version.get(), FORMAT.version());
        }
        return version.flatMap(known -> FORMAT.facts(text))
                .filter(facts -> facts.size() == 1)
                .map(facts -> FACT.matcher(facts.get(0)))
                .filter(Matcher::matches)
                .map(id -> UUID.fromString(id.group(1)))
                .orElseThrow(() -> new ReplicaException(
                        "file does not say a node's id: remove it if the node may have another, file=" + file));
    }
}
