package io.anneal.net;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;

/**
 * An authority and three nodes' certificates, as the lines of {@code docs/operate.md} make them, with addresses of loopback;
 * and others that are not as they should be. Needs openssl, and fails without it.
 */
final class Certificates {
    private static final Path PAGE = Path.of("../docs/operate.md");
    private static final long DEADLINE_SECONDS = 120;

    private final Path directory;

    private Certificates(Path directory) {
        this.directory = directory;
    }

    static Certificates make(Path directory) throws Exception {
        Certificates certificates = new Certificates(Files.createDirectories(directory));
        certificates.run(block("openssl req -x509 -newkey"));
        return certificates;
    }

    /** A certificate with these names and dates; {@code openssl ca} alone can set the dates. */
    void issue(String name, String names, String start, String end) throws Exception {
        run("""
                printf '[ca]\\ndefault_ca = a\\n[a]\\ndatabase = issued.txt\\nnew_certs_dir = .\\nrand_serial = yes\\n\
                default_md = sha256\\npolicy = p\\nx509_extensions = x\\n[p]\\ncommonName = supplied\\n\
                [x]\\nbasicConstraints = critical,CA:FALSE\\nsubjectAltName = NAMES\\n' > issue.cnf
                : > issued.txt
                openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -subj /CN=NAME -keyout NAME.key -out NAME.csr
                openssl ca -config issue.cnf -batch -notext -cert ca.pem -keyfile ca.key -in NAME.csr -out NAME.pem \
                -startdate START -enddate END
                """.replace("NAMES", names)
                .replace("NAME", name)
                .replace("START", start)
                .replace("END", end));
    }

    /** By the lines of the page; what is left is {@code ca-with-list.pem}. */
    void revokeTheThird() throws Exception {
        run(block("printf '[ca]"));
    }

    Path file(String name) {
        return directory.resolve(name);
    }

    TlsConfig of(String name) {
        return new TlsConfig(file(name + ".pem"), file(name + ".key"), file("ca.pem"));
    }

    TlsConfig of(String name, String authority) {
        return new TlsConfig(file(name + ".pem"), file(name + ".key"), file(authority));
    }

    /** As {@code mv} of a copy: the name has the old file, or the whole new one. */
    void replace(String source, String target) throws IOException {
        Path copy = Files.copy(
                file(source),
                file(target + ".new"),
                StandardCopyOption.REPLACE_EXISTING,
                StandardCopyOption.COPY_ATTRIBUTES);
        Files.move(copy, file(target), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static String block(String start) throws IOException {
        String page = Files.readString(PAGE);
        int at = page.indexOf("\n```\n" + start);
        if (at < 0) {
            throw new AssertionError("docs/operate.md has no block that starts with: " + start);
        }
        int begin = at + "\n```\n".length();
        return page.substring(begin, page.indexOf("\n```", begin)).replace("10.0.0.", "127.0.0.");
    }

    void run(String lines) throws Exception {
        Process shell;
        try {
            shell = new ProcessBuilder("sh", "-eu", "-c", lines)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("openssl.log").toFile())
                    .start();
        } catch (IOException missing) {
            throw new AssertionError("these tests need a shell and OpenSSL 3", missing);
        }
        if (!shell.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS) || shell.exitValue() != 0) {
            shell.destroyForcibly();
            throw new AssertionError("these tests need OpenSSL 3; its lines failed: " + lines + "\n"
                    + Files.readString(directory.resolve("openssl.log"), StandardCharsets.UTF_8));
        }
    }
}
