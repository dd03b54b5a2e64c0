package io.anneal.store.directory;

import io.anneal.io.AtomicFile;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import io.anneal.io.UnsupportedVersionException;
import io.anneal.key.ShardRule;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

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

    private static final String VERSION = "1";
    private static final Pattern FIRST_LINE = Pattern.compile("anneal-store (\\d{1,9})\n.*", Pattern.DOTALL);
    private static final Pattern TEXT =
            Pattern.compile("(anneal-store 1\nignored-bits (\\d{1,2})\nid ([0-9a-f-]{36})\n)crc32 ([0-9a-f]{8})\n");

    /** Makes a directory a store. */
    public void create(Path store, OutputFile.Opener opener) throws IOException {
        AtomicFile.replace(store.resolve(FILE), print().getBytes(StandardCharsets.UTF_8), opener);
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

    private String print() {
        String text = "anneal-store " + VERSION + "\nignored-bits " + ignoredBits + "\nid " + storeId + "\n";
        return text + "crc32 " + crc(text) + "\n";
    }

    private static StoreFile parse(Path file, String text) throws IOException {
        Matcher version = FIRST_LINE.matcher(text);
        if (version.matches() && !version.group(1).equals(VERSION)) {
            throw new UnsupportedVersionException(file.toString(), version.group(1), VERSION, VERSION);
        }
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new CorruptStoreException(file, "file does not describe a store");
        }
        if (!matcher.group(4).equals(crc(matcher.group(1)))) {
            throw new CorruptStoreException(file, "store file's checksum is wrong");
        }
        return new StoreFile(Integer.parseInt(matcher.group(2)), UUID.fromString(matcher.group(3)));
    }

    private static String crc(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }
}
