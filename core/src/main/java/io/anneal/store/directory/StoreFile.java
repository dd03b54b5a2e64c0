package io.anneal.store.directory;

import io.anneal.io.AtomicFile;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import io.anneal.io.TextFormat;
import io.anneal.io.UnsupportedVersionException;
import io.anneal.key.ShardRule;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The file that makes a directory a store and says what never changes in it. Written when the store is made, by nobody after.
 *
 * <pre>
 *   anneal-store 1
 *   ignored-bits &lt;number&gt;                  of tokens, see {@link ShardRule}
 *   id &lt;uuid&gt;
 *   crc32 &lt;8 hexadecimal digits&gt;           of all bytes before this line
 * </pre>
 *
 * @param storeId made up for this store
 */
public record StoreFile(int ignoredBits, UUID storeId) {
    public static final String FILE = "STORE";

    private static final TextFormat FORMAT = new TextFormat("anneal-store", "1");
    private static final Pattern FACTS = Pattern.compile("ignored-bits (\\d{1,2})\nid ([0-9a-f-]{36})");

    /** Makes a directory a store. */
    public void create(Path store, OutputFile.Opener opener) throws IOException {
        AtomicFile.replace(store.resolve(FILE), print(), opener);
    }

    /**
     * What the directory's file says; empty when the directory is no store.
     *
     * @throws CorruptStoreException when it is wrong
     * @throws UnsupportedVersionException when another release made the store
     */
    public static Optional<StoreFile> read(Path store) throws IOException {
        Path file = store.resolve(FILE);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(parse(file, new String(Files.readAllBytes(file), StandardCharsets.UTF_8)));
        } catch (CorruptStoreException | UnsupportedVersionException e) {
            throw e;
        } catch (IOException e) {
            throw new StorageException("read", file, e);
        }
    }

    private byte[] print() {
        return FORMAT.print("ignored-bits " + ignoredBits + "\nid " + storeId + "\n");
    }

    private static StoreFile parse(Path file, String text) throws IOException {
        String version = FORMAT.versionOf(text)
                .orElseThrow(() -> new CorruptStoreException(file, "file does not describe a store"));
        if (!version.equals(FORMAT.version())) {
            throw UnsupportedVersionException.ofOwnFile(file, version, FORMAT.version());
        }
        List<String> facts =
                FORMAT.facts(text).orElseThrow(() -> new CorruptStoreException(file, "store file's checksum is wrong"));
        Matcher words = FACTS.matcher(String.join("\n", facts));
        if (!words.matches()) {
            throw new CorruptStoreException(file, "file does not describe a store");
        }
        return new StoreFile(Integer.parseInt(words.group(1)), UUID.fromString(words.group(2)));
    }
}
