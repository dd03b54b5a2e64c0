package io.anneal.net;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CRLException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

/** The blocks of a PEM file, in their order; text around them, as openssl prints it, is passed over. */
record PemFile(Path path, List<Block> blocks) {
    private static final int FILE_BYTES_MAX = 64 << 20;
    private static final String BEGIN = "-----BEGIN ";
    private static final String END = "-----END ";
    private static final String DASHES = "-----";
    private static final List<String> KEY_ALGORITHMS = List.of("EC", "RSA", "EdDSA");

    record Block(String label, String base64) {
        byte[] bytes() {
            return Base64.getMimeDecoder().decode(base64);
        }

        ByteArrayInputStream stream() {
            return new ByteArrayInputStream(bytes());
        }
    }

    /** @throws CredentialFileException if the file is missing, too long, without any block, or cut off within one */
    static PemFile read(Path path) throws IOException {
        if (!Files.isRegularFile(path)) {
            throw new CredentialFileException(path, "PEM file does not exist or is not a regular file");
        }
        byte[] bytes;
        try (InputStream in = Files.newInputStream(path)) {
            bytes = in.readNBytes(FILE_BYTES_MAX + 1);
        }
        if (bytes.length > FILE_BYTES_MAX) {
            throw wrong(path, "PEM file is too long, maxBytes=" + FILE_BYTES_MAX);
        }
        List<Block> blocks = blocks(path, new String(bytes, StandardCharsets.ISO_8859_1));
        if (blocks.isEmpty()) {
            throw wrong(path, "file is not PEM, or not whole: there is no -----BEGIN line in it");
        }
        return new PemFile(path, blocks);
    }

    private static List<Block> blocks(Path path, String text) throws CredentialFileException {
        List<Block> blocks = new ArrayList<>();
        int at = text.indexOf(BEGIN);
        while (at >= 0) {
            int labelEnd = text.indexOf(DASHES, at + BEGIN.length());
            String label = labelEnd < 0 ? "" : text.substring(at + BEGIN.length(), labelEnd);
            int end = labelEnd < 0 ? -1 : text.indexOf(END + label + DASHES, labelEnd);
            int next = text.indexOf(BEGIN, at + BEGIN.length());
            if (end < 0 || next >= 0 && next < end) {
                throw wrong(path, "PEM file is cut off, a block has no end, label=" + label + ", offset=" + at);
            }
            blocks.add(new Block(label, text.substring(labelEnd + DASHES.length(), end)));
            at = next;
        }
        return List.copyOf(blocks);
    }

    /** @throws CredentialFileException if there is none, or one is broken */
    List<X509Certificate> certificates() throws IOException {
        List<X509Certificate> certificates = new ArrayList<>();
        for (Block block : labelled("CERTIFICATE")) {
            try {
                certificates.add((X509Certificate)
                        CertificateFactory.getInstance("X.509").generateCertificate(block.stream()));
            } catch (CertificateException | IllegalArgumentException broken) {
                throw wrong(path, "certificate cannot be read, reason=" + broken.getMessage());
            }
        }
        if (certificates.isEmpty()) {
            throw wrong(path, "file holds no certificate, found=" + labels());
        }
        return certificates;
    }

    /** Lists of revoked certificates; there may be none. */
    List<X509CRL> revocationLists() throws IOException {
        List<X509CRL> lists = new ArrayList<>();
        for (Block block : labelled("X509 CRL")) {
            try {
                lists.add((X509CRL) CertificateFactory.getInstance("X.509").generateCRL(block.stream()));
            } catch (CertificateException | CRLException | IllegalArgumentException broken) {
                throw wrong(path, "list of revoked certificates cannot be read, reason=" + broken.getMessage());
            }
        }
        return lists;
    }

    /** @throws CredentialFileException if there is none, or one of another form than PKCS#8 without encryption */
    PrivateKey privateKey() throws IOException {
        for (Block block : blocks) {
            switch (block.label()) {
                case "PRIVATE KEY" -> {
                    return decodeKey(block);
                }
                case "ENCRYPTED PRIVATE KEY" ->
                    throw wrong(
                            path,
                            "private key is encrypted, which nobody could decrypt at a restart: write it plain with"
                                    + " 'openssl pkcs8 -in FILE -out NEW', mode 0600");
                case "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY" ->
                    throw wrong(
                            path,
                            "private key is in an older form than PKCS#8: convert it with 'openssl pkcs8 -topk8"
                                    + " -nocrypt -in FILE -out NEW', mode 0600, found=" + block.label());
                default -> {}
            }
        }
        throw wrong(path, "file holds no private key, found=" + labels());
    }

    private PrivateKey decodeKey(Block block) throws IOException {
        for (String algorithm : KEY_ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(block.bytes()));
            } catch (InvalidKeySpecException another) {
                // Of another algorithm, or broken.
            } catch (GeneralSecurityException | IllegalArgumentException broken) {
                throw wrong(path, "private key cannot be read, reason=" + broken.getMessage());
            }
        }
        throw wrong(path, "private key is broken or of an unknown algorithm, known=" + KEY_ALGORITHMS);
    }

    private List<Block> labelled(String label) {
        return blocks.stream().filter(block -> block.label().equals(label)).toList();
    }

    private String labels() {
        return blocks.stream().map(Block::label).distinct().collect(Collectors.joining(", "));
    }

    CredentialFileException wrong(String reason) {
        return wrong(path, reason);
    }

    private static CredentialFileException wrong(Path path, String reason) {
        return new CredentialFileException(path, reason);
    }
}
