package io.anneal.net;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.EnumSet;
import java.util.Set;

/** Files that hold a secret: nobody but the owner may have any right to them, or put another in their place. */
final class PrivateFile {
    private static final Set<PosixFilePermission> ALLOWED =
            EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    private static final Set<PosixFilePermission> WRITING =
            EnumSet.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);
    /** Who runs this process owns it. */
    private static final Path PROCESS = Path.of("/proc/self");

    private static final String ROOT = "root";
    /** In such a directory, of which {@code /tmp} is one, nobody can remove or rename what others own. */
    private static final int STICKY = 01000;

    private PrivateFile() {}

    /**
     * @param what what the file is, as the error calls it
     * @throws CredentialFileException if the file is missing, not regular, open to others, owned by another user, or in a
     *     directory that others may write to
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
        requireOwner(file, view.readAttributes().owner(), what);
        requireClosedDirectory(file, file.toRealPath().getParent(), what);
    }

    private static void requireOwner(Path file, UserPrincipal owner, String what) throws IOException {
        UserPrincipal self = Files.exists(PROCESS)
                ? Files.getOwner(PROCESS)
                : file.getFileSystem()
                        .getUserPrincipalLookupService()
                        .lookupPrincipalByName(System.getProperty("user.name"));
        if (!owner.equals(self) && !owner.getName().equals(ROOT)) {
            throw new CredentialFileException(
                    file,
                    what + " must belong to the user of this process, or to root, owner=" + owner.getName() + ", user="
                            + self.getName());
        }
    }

    private static void requireClosedDirectory(Path file, Path directory, String what) throws IOException {
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(directory);
        boolean isSticky = ((int) Files.getAttribute(directory, "unix:mode") & STICKY) != 0;
        if (!isSticky && permissions.stream().anyMatch(WRITING::contains)) {
            throw new CredentialFileException(
                    file,
                    what + " lies in a directory that others may write to (chmod go-w), directory=" + directory
                            + ", permissions=" + PosixFilePermissions.toString(permissions));
        }
    }
}
