package io.anneal.net;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Reads the file that holds the token two nodes share: any bytes, white space at the end not counted. Nobody but the
 * owner may have any right to the file.
 */
public final class TokenFile {
    static final int TOKEN_BYTES_MIN = 16;
    static final int TOKEN_BYTES_MAX = 4096;

    private TokenFile() {}

    /**
     * @throws CredentialFileException if the file is missing, not regular, open to others, or of an unfit length
     */
    public static SharedToken read(Path file) throws IOException {
        PrivateFile.check(file, "token file");

        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(TOKEN_BYTES_MAX + 1);
        }

        int lengthBytes = bytes.length;
        while (lengthBytes > 0 && bytes[lengthBytes - 1] >= 0 && bytes[lengthBytes - 1] <= ' ') {
            lengthBytes--;
        }
        if (lengthBytes < TOKEN_BYTES_MIN || bytes.length > TOKEN_BYTES_MAX) {
            throw new CredentialFileException(
                    file,
                    "token is too short or too long, lengthBytes=" + lengthBytes + ", min=" + TOKEN_BYTES_MIN + ", max="
                            + TOKEN_BYTES_MAX);
        }
        return SharedToken.of(Arrays.copyOf(bytes, lengthBytes));
    }
}
