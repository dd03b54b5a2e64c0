package io.anneal.net;

import java.net.Socket;
import java.nio.file.Path;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Decides which certificates are accepted: those that are valid now, signed by an authority of the file, and on none of
 * its lists of revoked ones. The JDK checks signatures and uses; this adds the lists, and reasons that can be read. A list
 * that is past its time still counts, since an attacker who holds back new ones must gain nothing by it.
 */
final class PeerTrust extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager authorities;
    private final List<X509CRL> revocationLists;
    private final Path authorityFile;

    PeerTrust(X509ExtendedTrustManager authorities, List<X509CRL> revocationLists, Path authorityFile) {
        this.authorities = authorities;
        this.revocationLists = revocationLists;
        this.authorityFile = authorityFile;
    }

    List<X509CRL> revocationLists() {
        return revocationLists;
    }

    private interface Check {
        void run() throws CertificateException;
    }

    private void check(X509Certificate[] chain, Check signatures) throws CertificateException {
        for (X509Certificate certificate : chain) {
            checkTime(certificate);
        }
        try {
            signatures.run();
        } catch (CertificateException refused) {
            throw new CertificateException(
                    why(refused) + ", issuer="
                            + chain[0].getIssuerX500Principal().getName() + facts(chain[0]) + ", authorities="
                            + authorityFile,
                    refused.getCause());
        }
        for (X509Certificate certificate : chain) {
            if (revocationLists.stream().anyMatch(list -> list.isRevoked(certificate))) {
                throw refused("certificate has been revoked" + facts(certificate), BasicReason.REVOKED);
            }
        }
    }

    private static String why(CertificateException refused) {
        for (Throwable at = refused; at != null; at = at.getCause()) {
            if (at instanceof CertPathValidatorException invalid && invalid.getReason() == BasicReason.EXPIRED) {
                return "certificate is signed by an authority whose own certificate has expired";
            }
            if (at instanceof CertPathBuilderException || at instanceof CertPathValidatorException) {
                return "certificate is not signed by an authority that this side knows";
            }
        }
        return "certificate is not for this use, see its keyUsage and extendedKeyUsage";
    }

    private static void checkTime(X509Certificate certificate) throws CertificateException {
        try {
            certificate.checkValidity();
        } catch (CertificateExpiredException expired) {
            throw refused(
                    "certificate has expired, end=" + certificate.getNotAfter().toInstant() + facts(certificate),
                    BasicReason.EXPIRED);
        } catch (CertificateNotYetValidException early) {
            throw refused(
                    "certificate is not valid yet, start="
                            + certificate.getNotBefore().toInstant() + facts(certificate),
                    BasicReason.NOT_YET_VALID);
        }
    }

    /** The cause tells the JDK which alert to send. */
    private static CertificateException refused(String message, BasicReason reason) {
        return new CertificateException(message, new CertPathValidatorException(message, null, null, -1, reason));
    }

    private static String facts(X509Certificate certificate) {
        return ", subject=" + certificate.getSubjectX500Principal().getName() + ", serial="
                + certificate.getSerialNumber().toString(16);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        check(chain, () -> authorities.checkClientTrusted(chain, authType, engine));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        check(chain, () -> authorities.checkServerTrusted(chain, authType, engine));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        check(chain, () -> authorities.checkClientTrusted(chain, authType, socket));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        check(chain, () -> authorities.checkServerTrusted(chain, authType, socket));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        check(chain, () -> authorities.checkClientTrusted(chain, authType));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        check(chain, () -> authorities.checkServerTrusted(chain, authType));
    }

    /** None, so that a peer brings its certificate whoever signed it, and learns why it is refused. */
    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
