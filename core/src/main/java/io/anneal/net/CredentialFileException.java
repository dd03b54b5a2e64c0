package io.anneal.net;

import java.nio.file.FileSystemException;
import java.nio.file.Path;

/** Raised when a file by which this side proves itself cannot be used: a token, a private key, a certificate. */
public final class CredentialFileException extends FileSystemException {
    private static final long serialVersionUID = 1L;

    public CredentialFileException(Path file, String reason) {
        super(file.toString(), null, reason);
    }
}
