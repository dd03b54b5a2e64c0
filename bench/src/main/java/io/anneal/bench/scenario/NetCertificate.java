package io.anneal.bench.scenario;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/** A certificate for both ends of {@link NetScenario}, its own authority, made by the JDK's {@code keytool}. */
final class NetCertificate {
    static final String CERTIFICATE = "bench.pem";
    static final String KEY = "bench.key";

    private static final String STORE = "bench.p12";
    private static final String ALIAS = "bench";
    /** The store is removed with its directory; the tool wants a word. */
    private static final String PASSWORD = "bench-net";

    private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

    private NetCertificate() {}

    static void make(Path directory) throws IOException {
        Path store = directory.resolve(STORE);
        run(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                ALIAS,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=bench",
                "-ext",
                "san=ip:" + NetSide.HOST,
                "-ext",
                "bc:critical=ca:true",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD));
        try (InputStream in = Files.newInputStream(store)) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD.toCharArray());
            write(
                    directory.resolve(CERTIFICATE),
                    "CERTIFICATE",
                    keys.getCertificate(ALIAS).getEncoded());
            write(
                    directory.resolve(KEY),
                    "PRIVATE KEY",
                    keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded());
        } catch (GeneralSecurityException unfit) {
            throw new IOException("no certificate for the benchmark, file=" + store, unfit);
        }
    }

    private static void write(Path file, String name, byte[] content) throws IOException {
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(
                file,
                "-----BEGIN " + name + "-----\n" + LINES.encodeToString(content) + "\n-----END " + name + "-----\n",
                StandardCharsets.US_ASCII);
    }

    private static void run(List<String> words) throws IOException {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        try {
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IOException(
                        "no certificate for the benchmark, command=" + words.get(0) + ", error=" + said.strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while a certificate is made");
        } finally {
            process.destroyForcibly();
        }
    }
}
