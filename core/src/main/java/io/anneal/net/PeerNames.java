package io.anneal.net;

import io.anneal.io.PrintableText;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/**
 * Whom a certificate names, as its subjectAltName says; the subject's own name counts nothing. A peer must be named by
 * the node id that it claims; where its certificate names no node id, by the host that was dialled or by the IP address
 * from which it comes.
 */
final class PeerNames {
    private static final int DNS_NAME = 2;
    private static final int URI = 6;
    private static final int IP_ADDRESS = 7;
    private static final String NODE_ID = "urn:uuid:";

    private PeerNames() {}

    static Optional<UUID> nodeId(X509Certificate certificate) {
        return nodeIds(certificate).stream().findFirst();
    }

    static List<UUID> nodeIds(X509Certificate certificate) {
        return texts(certificate, URI).stream()
                .filter(uri -> uri.toLowerCase(Locale.ROOT).startsWith(NODE_ID))
                .map(uri -> uri.substring(NODE_ID.length()))
                .flatMap(text -> uuid(text).stream())
                .toList();
    }

    /**
     * @param role    of this side: a client asks for the name that it dialled, a server for the address that it sees
     * @param claimed the node id that the peer's hello has
     */
    static void check(
            Handshake.Role role, X509Certificate certificate, String peer, InetSocketAddress address, UUID claimed)
            throws PeerException {
        List<UUID> nodeIds = nodeIds(certificate);
        if (nodeIds.contains(claimed)) {
            return;
        }
        if (!nodeIds.isEmpty()) {
            throw refused(
                    certificate, peer, "the certificate names another node id than the peer's", "node-id=" + claimed);
        }
        String host = role == Handshake.Role.CLIENT
                ? address.getHostString()
                : address.getAddress().getHostAddress();
        boolean isAddress = NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host);
        boolean named = isAddress
                ? texts(certificate, IP_ADDRESS).stream().anyMatch(text -> sameAddress(text, address.getAddress()))
                : texts(certificate, DNS_NAME).stream().anyMatch(pattern -> matches(pattern, host));
        if (!named) {
            throw refused(
                    certificate,
                    peer,
                    "the certificate names neither its host nor its node id",
                    "host=" + host + ", node-id=" + claimed);
        }
    }

    private static PeerException refused(X509Certificate certificate, String peer, String reason, String facts) {
        return new PeerException(
                peer,
                TlsLink.STEP,
                PeerException.TLS_NAME,
                reason + ", " + facts + ", names="
                        + PrintableText.of(names(certificate) + ", subject="
                                + certificate.getSubjectX500Principal().getName()));
    }

    private static boolean sameAddress(String text, InetAddress address) {
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(text);
        return bytes != null && Arrays.equals(bytes, address.getAddress());
    }

    /** A star stands for one label, the first. */
    private static boolean matches(String pattern, String host) {
        String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        if (!pattern.startsWith("*.")) {
            return pattern.equalsIgnoreCase(name);
        }
        int dot = name.indexOf('.');
        return dot > 0 && pattern.substring(1).equalsIgnoreCase(name.substring(dot));
    }

    private static Optional<UUID> uuid(String text) {
        try {
            return Optional.of(UUID.fromString(text));
        } catch (IllegalArgumentException none) {
            return Optional.empty();
        }
    }

    private static List<String> names(X509Certificate certificate) {
        List<String> names = new ArrayList<>(texts(certificate, DNS_NAME));
        names.addAll(texts(certificate, IP_ADDRESS));
        names.addAll(texts(certificate, URI));
        return names;
    }

    private static List<String> texts(X509Certificate certificate, int kind) {
        List<String> texts = new ArrayList<>();
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            for (List<?> name : names == null ? List.<List<?>>of() : names) {
                if (name.get(0).equals(kind) && name.get(1) instanceof String text) {
                    texts.add(text);
                }
            }
        } catch (CertificateParsingException unreadable) {
            return List.of();
        }
        return texts;
    }
}
