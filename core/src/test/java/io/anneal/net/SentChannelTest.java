package io.anneal.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.io.InputFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sendfile wants the platform's own channels: any other one ended the process. */
@Timeout(60)
class SentChannelTest {
    private static final Verb DOWNLOAD = new Verb(2, "test.download");

    @TempDir
    Path directory;

    @Test
    void shouldSendAFileThatIsReadThroughAChannelOfOurs() throws Exception {
        byte[] content = new byte[300_000];
        new Random(1).nextBytes(content);
        Path path = Files.write(directory.resolve("file"), content);
        try (NetFixture net = NetFixture.started();
                FileChannel file = InputFile.open(path)) {
            net.handlers.registerStream(DOWNLOAD, stream -> {
                stream.write(file, 10, content.length - 10);
                stream.end();
            });

            assertThat(download(net)).isEqualTo(Arrays.copyOfRange(content, 10, content.length));
        }
    }

    private static byte[] download(NetFixture net) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PeerStream stream = net.connect().open(DOWNLOAD);
        stream.end();
        Waiting.result(stream.readAll(piece -> {
            while (piece.hasRemaining()) {
                out.write(piece.get());
            }
        }));
        return out.toByteArray();
    }
}
