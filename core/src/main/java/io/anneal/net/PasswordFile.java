package io.anneal.net;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads a file that holds a password and nothing else, but for the end of its line. Nobody but the owner may have any right to it. */
public final class PasswordFile {
    private static final int BYTES_MAX = 4096;

    private PasswordFile() {}

    /**
     * @throws CredentialFileException if the file is missing, not regular, open to others, empty, or far too long
     */
    public static String read(Path file) throws IOException {
        PrivateFile.check(file, "password file");
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(BYTES_MAX + 1);
        }
        String password = new String(bytes, StandardCharsets.UTF_8).replaceFirst("\\R\\z", "");
        if (password.isEmpty() || bytes.length > BYTES_MAX) {
            throw new CredentialFileException(
                    file, "password is empty or too long, lengthBytes=" + bytes.length + ", max=" + BYTES_MAX);
        }
        return password;
    }
}
