package io.anneal.net;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/** Files that hold a secret: nobody but the owner may have any right to them. */
final class PrivateFile {
    private static final Set<PosixFilePermission> ALLOWED =
            EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    private PrivateFile() {}

    /**
     * @param what what the file is, as the error calls it
     * @throws CredentialFileException if the file is missing, not regular, or open to others
     */
    static void check(Path file, String what) throws IOException {
        if (!Files.exists(file)) {
            throw new CredentialFileException(file, what + " does not exist");
        }
        if (!Files.isRegularFile(file)) {
            throw new CredentialFileException(file, what + " is not a regular file");
        }
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (view == null) {
            throw new CredentialFileException(file, "file system cannot say who may read the " + what);
        }
        Set<PosixFilePermission> permissions = view.readAttributes().permissions();
        if (!ALLOWED.containsAll(permissions)) {
            throw new CredentialFileException(
                    file,
                    what + " must have mode 0600 (chmod 600), permissions="
                            + PosixFilePermissions.toString(permissions));
        }
    }
}
