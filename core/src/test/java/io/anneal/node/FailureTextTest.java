package io.anneal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.io.StorageException;
import io.anneal.net.PeerException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class FailureTextTest {
    private static final FileSystemException NO_MORE_FILES =
            new FileSystemException("/data/nb-1-big-Data.db", null, "Too many open files");

    @Test
    void shouldSayWhatToDoWithoutFilesToOpen() {
        assertThat(FailureText.of(NO_MORE_FILES))
                .isEqualTo("/data/nb-1-big-Data.db: Too many open files: raise the limit of this process, as ulimit -n"
                        + " does");
        assertThat(FailureText.of(new StorageException("create", Path.of("/data"), NO_MORE_FILES)))
                .endsWith("raise the limit of this process, as ulimit -n does");
    }

    @Test
    void shouldLeaveToAPeerWhatThePeerHasSaid() {
        assertThat(FailureText.of(new PeerException("peer:1", "request x", "stream-refused", "Too many open files")))
                .doesNotContain("ulimit");
    }

    @Test
    void shouldNameTheKindOfAnExceptionThatSaysOnlyThePath() {
        assertThat(FailureText.of(new NoSuchFileException("/data"))).contains("NoSuchFile", "/data");
    }
}
