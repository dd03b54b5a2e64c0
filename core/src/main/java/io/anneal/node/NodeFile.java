package io.anneal.node;

import io.anneal.io.AtomicFile;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import io.anneal.io.UnsupportedVersionException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * Keeps a node's id over restarts, in a file of its own: {@code anneal-node 1}, {@code id <uuid>} and {@code crc32 <8
 * hexadecimal digits>} of the lines before, one a line. Whoever calls holds the lock of the directory.
 */
public final class NodeFile {
    public static final String FILE = ".anneal.node";

    private static final String VERSION = "1";
    private static final Pattern FIRST_LINE = Pattern.compile("anneal-node (\\d{1,9})\n.*", Pattern.DOTALL);
    private static final Pattern TEXT =
            Pattern.compile("(anneal-node 1\nid ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\n)crc32 ([0-9a-f]{8})\n");

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
            AtomicFile.replace(file, print(id).getBytes(StandardCharsets.UTF_8), OutputFile.CREATE_NEW);
            return id;
        }
        String text;
        try {
            text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new StorageException("read", file, e);
        }
        return parse(file, text);
    }

    private static String print(UUID id) {
        String text = "anneal-node " + VERSION + "\nid " + id + "\n";
        return text + "crc32 " + crc(text) + "\n";
    }

    private static UUID parse(Path file, String text) throws IOException {
        Matcher version = FIRST_LINE.matcher(text);
        if (version.matches() && !version.group(1).equals(VERSION)) {
            throw new UnsupportedVersionException(file.toString(), version.group(1), VERSION, VERSION);
        }
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches() || !matcher.group(3).equals(crc(matcher.group(1)))) {
            throw new ReplicaException(
                    "file does not say a node's id: remove it if the node may have another, file=" + file);
        }
        return UUID.fromString(matcher.group(2));
    }

    private static String crc(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }
}
