package io.anneal.net;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a {@link TlsConfig}, taken up again when one of them has changed. While they do not fit together, as in the
 * middle of being replaced, or the new certificate is not valid now, what was read before stays. Reads disks: not for event
 * loops. Safe for any thread.
 */
final class TlsFiles {
    private static final Logger LOG = LoggerFactory.getLogger(TlsFiles.class);

    private final TlsConfig config;

    private TlsMaterial material;
    private List<Object> seen = List.of();
    private boolean warned;

    private TlsFiles(TlsConfig config) {
        this.config = config;
    }

    /** Nothing is read before it is asked for. */
    static TlsFiles of(TlsConfig config) {
        return new TlsFiles(config);
    }

    /** @throws IOException if the files cannot be used and never could */
    synchronized TlsMaterial current() throws IOException {
        // Before reading: what changes meanwhile is seen the next time.
        List<Object> found = stamps();
        if (material != null && found.equals(seen)) {
            warned = false; // What was wrong has been put back.
            return material;
        }
        try {
            TlsMaterial loaded = TlsMaterial.load(config);
            if (material != null) {
                requireNoWorse(loaded);
                LOG.info("TLS files have changed and are in use, certificate={}", config.certificateFile());
            }
            loaded.warnOfTime(config);
            material = loaded;
            seen = found;
            warned = false;
        } catch (IOException | RuntimeException unfit) {
            if (material == null) {
                throw unfit;
            }
            if (!warned) {
                LOG.warn("TLS files have changed and cannot be used, the old ones stay, reason={}", unfit.getMessage());
            }
            warned = true;
            // Not seen, so they are tried again: a mode that is set right changes neither time nor size.
        }
        return material;
    }

    /** A certificate that peers refuse must not take the place of one that they accept. */
    private void requireNoWorse(TlsMaterial loaded) throws IOException {
        if (material.isValidNow() && !loaded.isValidNow()) {
            throw new CredentialFileException(
                    config.certificateFile(),
                    "certificate is not valid now, start="
                            + loaded.certificate().getNotBefore().toInstant() + ", end="
                            + loaded.certificate().getNotAfter().toInstant());
        }
    }

    private List<Object> stamps() {
        List<Object> stamps = new ArrayList<>();
        for (Path file : List.of(config.certificateFile(), config.keyFile(), config.authorityFile())) {
            try {
                BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
                stamps.add(attributes.lastModifiedTime());
                stamps.add(attributes.size());
                stamps.add(String.valueOf(attributes.fileKey()));
            } catch (IOException gone) {
                stamps.add("none");
            }
        }
        return stamps;
    }
}
