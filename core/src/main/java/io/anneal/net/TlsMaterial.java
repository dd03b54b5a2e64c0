package io.anneal.net;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.Date;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What was read from the files of a {@link TlsConfig}, and found to fit together.
 *
 * @param certificate     this side's
 * @param revocationLists of the authorities
 */
record TlsMaterial(SslContext client, SslContext server, X509Certificate certificate, List<X509CRL> revocationLists) {
    private static final Logger LOG = LoggerFactory.getLogger(TlsMaterial.class);
    private static final String PROTOCOL = "TLSv1.3";

    /** Long enough for nothing: a peer that comes again shows its certificate again. */
    private static final long SESSION_SECONDS = 1;

    /** @throws java.nio.file.FileSystemException naming the file that cannot be used, and why */
    static TlsMaterial load(TlsConfig config) throws IOException {
        PrivateFile.check(config.keyFile(), "private key file");
        PrivateKey key = PemFile.read(config.keyFile()).privateKey();
        PemFile certificateFile = PemFile.read(config.certificateFile());
        X509Certificate[] chain = certificateFile.certificates().toArray(X509Certificate[]::new);
        if (!isPair(key, chain[0].getPublicKey())) {
            throw certificateFile.wrong(
                    "certificate and private key do not belong together, keyFile=" + config.keyFile() + ", subject="
                            + chain[0].getSubjectX500Principal().getName());
        }
        KeyManagerFactory keys = keys(key, chain, config);
        PeerTrust trust = trust(config);
        SslContext client = SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .protocols(PROTOCOL)
                .keyManager(keys)
                .trustManager(trust)
                // Names are checked when the peer has said its node id: PeerNames.
                .endpointIdentificationAlgorithm(null)
                .build();
        SslContext server = SslContextBuilder.forServer(keys)
                .sslProvider(SslProvider.JDK)
                .protocols(PROTOCOL)
                .trustManager(trust)
                .clientAuth(ClientAuth.REQUIRE)
                .sessionTimeout(SESSION_SECONDS)
                .build();
        return new TlsMaterial(client, server, chain[0], trust.revocationLists());
    }

    private static boolean isPair(PrivateKey key, PublicKey certified) {
        String algorithm = switch (key.getAlgorithm()) {
            case "EC" -> "SHA256withECDSA";
            case "RSA" -> "SHA256withRSA";
            default -> key.getAlgorithm();
        };
        byte[] signed = new byte[32];
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update(signed);
            byte[] proof = signature.sign();
            signature.initVerify(certified);
            signature.update(signed);
            return signature.verify(proof);
        } catch (GeneralSecurityException unfit) {
            return false;
        }
    }

    /**
     * Netty would keep the key in a store of the default kind, which derives a key from a password 10,000 times over to encrypt
     * what never leaves this process, and as often again to read it: for each side, whenever files have changed.
     */
    private static KeyManagerFactory keys(PrivateKey key, X509Certificate[] chain, TlsConfig config)
            throws IOException {
        char[] password = {};
        try {
            KeyStore store = KeyStore.getInstance("JKS");
            store.load(null, null);
            store.setKeyEntry("key", key, password, chain);
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, password);
            return factory;
        } catch (GeneralSecurityException unfit) {
            throw new CredentialFileException(
                    config.keyFile(), "private key cannot be used, reason=" + unfit.getMessage());
        }
    }

    private static PeerTrust trust(TlsConfig config) throws IOException {
        PemFile file = PemFile.read(config.authorityFile());
        List<X509Certificate> authorities = file.certificates();
        List<X509CRL> lists = file.revocationLists();
        for (X509CRL list : lists) {
            if (authorities.stream().noneMatch(authority -> isSigned(list, authority))) {
                throw file.wrong("list of revoked certificates is not signed by an authority of this file, issuer="
                        + list.getIssuerX500Principal().getName());
            }
        }
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (int i = 0; i < authorities.size(); i++) {
                store.setCertificateEntry(String.valueOf(i), authorities.get(i));
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(store);
            return new PeerTrust(
                    (X509ExtendedTrustManager) factory.getTrustManagers()[0], lists, config.authorityFile());
        } catch (GeneralSecurityException unfit) {
            throw file.wrong("authorities cannot be used, reason=" + unfit.getMessage());
        }
    }

    private static boolean isSigned(X509CRL list, X509Certificate authority) {
        if (!list.getIssuerX500Principal().equals(authority.getSubjectX500Principal())) {
            return false;
        }
        try {
            list.verify(authority.getPublicKey());
            return true;
        } catch (GeneralSecurityException another) {
            return false;
        }
    }

    /** By the clock that the JDK itself judges certificates by. */
    boolean isValidNow() {
        Date now = new Date();
        return !now.before(certificate.getNotBefore()) && !now.after(certificate.getNotAfter());
    }

    void warnOfTime(TlsConfig config) {
        if (!isValidNow()) {
            LOG.warn(
                    "own certificate is not valid now, peers will refuse it, file={}, start={}, end={}",
                    config.certificateFile(),
                    certificate.getNotBefore().toInstant(),
                    certificate.getNotAfter().toInstant());
        }
        Date now = new Date();
        for (X509CRL list : revocationLists) {
            if (list.getNextUpdate() != null && now.after(list.getNextUpdate())) {
                LOG.warn(
                        "list of revoked certificates is past its time and still counts, make a new one, file={},"
                                + " issuer={}, nextUpdate={}",
                        config.authorityFile(),
                        list.getIssuerX500Principal().getName(),
                        list.getNextUpdate().toInstant());
            }
        }
    }
}
