package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A scan in a process of its own that is told to end. */
@Timeout(60)
class ScanStoppedTest {
    private static final Pattern COOKIE = Pattern.compile("--resume (\\S+)");
    /** Far more than a pipe holds. */
    private static final int ROWS = 100_000;

    @TempDir
    private Path directory;

    private static String done(String... arguments) {
        Commands.Result result = Commands.run(arguments);
        assertThat(result.exitCode()).as(result.err()).isZero();
        return result.out();
    }

    @Test
    void shouldPrintTheRestOfAStoppedScanByItsCookie() throws IOException, InterruptedException {
        Path schema =
                Files.writeString(directory.resolve("schema.cql"), "CREATE TABLE ks.t (p int PRIMARY KEY, v text);");
        String data = directory.resolve("data").toString();
        done("sstable", "generate", "--rows", "" + ROWS, "--schema", schema.toString(), "--to", data);
        String whole = done("scan", "--data", data);
        Path log = directory.resolve("log");

        Process process = Commands.startPiped(log, "scan", "--data", data, "--page-size", "100");
        String first;
        try (InputStream out = process.getInputStream()) {
            int one = out.read();
            process.toHandle().destroy();
            first = (char) one + new String(out.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }

        // By the signal, 128 and its number, not by itself: 130 where it is Ctrl-C.
        assertThat(process.exitValue()).isEqualTo(143);
        assertThat(first.length()).isBetween(1, whole.length() - 1);
        Matcher cookie = COOKIE.matcher(Files.readString(log));
        assertThat(cookie.find()).isTrue();
        String rest = done("scan", "--data", data, "--resume", cookie.group(1));
        assertThat((first + rest).lines())
                .containsExactlyElementsOf(whole.lines().toList());
    }
}
