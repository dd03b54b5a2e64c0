package io.anneal.net;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;

/**
 * The PEM files with which this side speaks mutual TLS 1.3. They may be replaced at any time: connections that are made
 * afterwards use the new ones.
 *
 * @param certificateFile this side's certificate, and after it those between it and the authority's, if there are any
 * @param keyFile         its private key in PKCS#8, not encrypted, readable by its owner only
 * @param authorityFile   certificates of the authorities that peers' certificates must be signed by; may also hold their
 *                        lists of revoked certificates (CRL)
 */
public record TlsConfig(Path certificateFile, Path keyFile, Path authorityFile) {
    /** The node id that the certificate names as {@code urn:uuid:...}, if it names one. */
    public Optional<UUID> nodeId() throws IOException {
        return PeerNames.nodeId(PemFile.read(certificateFile).certificates().get(0));
    }
}
