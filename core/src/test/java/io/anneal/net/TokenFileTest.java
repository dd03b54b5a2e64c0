package io.anneal.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenFileTest {
    private static final byte[] MESSAGE = {1, 2, 3};

    @TempDir
    Path directory;

    @Test
    void shouldReadATokenThatOnlyItsOwnerMayRead() throws IOException {
        Path file = file("0123456789abcdef\n", "rw-------");

        SharedToken token = TokenFile.read(file);

        assertThat(token.proof(MESSAGE))
                .isEqualTo(NetFixture.token("0123456789abcdef").proof(MESSAGE))
                .isNotEqualTo(NetFixture.token("0123456789abcdeF").proof(MESSAGE));
        assertThat(token.toString()).doesNotContain("0123");
    }

    @Test
    void shouldRefuseAFileThatOthersMayReadOrWrite() throws IOException {
        for (String permissions : new String[] {"rw-r--r--", "rw----r--", "rw--w----", "rwx------"}) {
            Path file = file("0123456789abcdef", permissions);

            assertThatThrownBy(() -> TokenFile.read(file))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageContaining(file.toString())
                    .hasMessageContaining("must have mode 0600")
                    .hasMessageContaining("permissions=" + permissions);
        }
    }

    @Test
    void shouldRefuseAFileThatIsMissingOrNoFile() {
        assertThatThrownBy(() -> TokenFile.read(directory.resolve("absent")))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("token file does not exist");
        assertThatThrownBy(() -> TokenFile.read(directory))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("not a regular file");
    }

    @Test
    void shouldRefuseAFileThatOthersMayPutAnotherInThePlaceOf() throws IOException {
        Path file = file("0123456789abcdef", "rw-------");
        for (String permissions : new String[] {"rwxrwxr-x", "rwxr-x-wx"}) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(permissions));

            assertThatThrownBy(() -> TokenFile.read(file))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageContaining("in a directory that others may write to")
                    .hasMessageContaining("permissions=" + permissions);
        }
        // As of /tmp: nobody can remove or rename what others own.
        Files.setAttribute(directory, "unix:mode", 01777);

        assertThat(TokenFile.read(file)).isNotNull();
    }

    /** Only root can give files away; of another user's file, only root is asked for more than its mode. */
    @Test
    void shouldRefuseAFileOfAnotherUser() throws IOException {
        Path file = file("0123456789abcdef", "rw-------");
        UserPrincipal self = Files.getOwner(file);
        assumeThat(self.getName()).isEqualTo("root");
        Files.setOwner(
                file, file.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));

        assertThatThrownBy(() -> TokenFile.read(file))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("must belong to the user of this process")
                .hasMessageContaining("owner=nobody, user=root");
    }

    @Test
    void shouldRefuseATokenOfUnfitLength() throws IOException {
        for (String text : new String[] {"", "short \n\n\n\n\n\n\n\n\n\n\n\n\n", "x".repeat(5000)}) {
            Path file = file(text, "rw-------");

            assertThatThrownBy(() -> TokenFile.read(file))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageContaining("token is too short or too long");
        }
    }

    private Path file(String text, String permissions) throws IOException {
        Path file = Files.createTempFile(directory, "token", "");
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
        return file;
    }
}
