package io.anneal.agent;

import io.anneal.net.PeerAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * How a live node is reached. Certificates of the node are held against the JDK's trust store, which
 * {@code javax.net.ssl.trustStore} names.
 *
 * @param jmxLogin none where the node lets everybody in who reaches it: Cassandra's default, at loopback only
 * @param jmxTls whether JMX is spoken over TLS, its registry too
 * @param cql empty for where the node says by JMX that it listens
 * @param tlsName what the node's certificate at CQL names; empty for the host that is connected to
 * @param plainLogin whether a login may be sent without TLS to an address that is not loopback
 * @param answerLimit for so long the node may take to answer what it knows
 * @param workLimit for so long it may take for a snapshot or an import
 */
public record LiveNodeConfig(
        InetSocketAddress jmx,
        Optional<Login> jmxLogin,
        boolean jmxTls,
        Optional<InetSocketAddress> cql,
        Optional<Login> cqlLogin,
        boolean cqlTls,
        Optional<String> tlsName,
        boolean plainLogin,
        Duration answerLimit,
        Duration workLimit) {
    private static final Duration ANSWER_LIMIT_DEFAULT = Duration.ofSeconds(30);
    private static final Duration WORK_LIMIT_DEFAULT = Duration.ofHours(1);

    /** Who asks. */
    public record Login(String user, String password) {
        /** Without the password: this ends up in logs. */
        @Override
        public String toString() {
            return user;
        }
    }

    /** A node that asks for no login and no TLS, and says itself where it listens for CQL. */
    public static LiveNodeConfig of(InetSocketAddress jmx) {
        return of(jmx, Optional.empty());
    }

    /** The same, with CQL where the caller says. */
    public static LiveNodeConfig of(InetSocketAddress jmx, InetSocketAddress cql) {
        return of(jmx, Optional.of(cql));
    }

    private static LiveNodeConfig of(InetSocketAddress jmx, Optional<InetSocketAddress> cql) {
        return new LiveNodeConfig(
                jmx,
                Optional.empty(),
                false,
                cql,
                Optional.empty(),
                false,
                Optional.empty(),
                false,
                ANSWER_LIMIT_DEFAULT,
                WORK_LIMIT_DEFAULT);
    }

    /** The same for a node that asks who comes. */
    public LiveNodeConfig withLogins(Optional<Login> ofJmx, Optional<Login> ofCql) {
        return new LiveNodeConfig(jmx, ofJmx, jmxTls, cql, ofCql, cqlTls, tlsName, plainLogin, answerLimit, workLimit);
    }

    /** The same over TLS. */
    public LiveNodeConfig withTls(boolean ofJmx, boolean ofCql) {
        return new LiveNodeConfig(
                jmx, jmxLogin, ofJmx, cql, cqlLogin, ofCql, tlsName, plainLogin, answerLimit, workLimit);
    }

    /** The same for a node whose certificate names something else than the host that is connected to. */
    public LiveNodeConfig withTlsName(String name) {
        return new LiveNodeConfig(
                jmx, jmxLogin, jmxTls, cql, cqlLogin, cqlTls, Optional.of(name), plainLogin, answerLimit, workLimit);
    }

    /** The same, with logins that whoever listens on the way may read. */
    public LiveNodeConfig withPlainLogin() {
        return new LiveNodeConfig(jmx, jmxLogin, jmxTls, cql, cqlLogin, cqlTls, tlsName, true, answerLimit, workLimit);
    }

    /** The same with other patience. */
    public LiveNodeConfig withLimits(Duration answer, Duration work) {
        return new LiveNodeConfig(jmx, jmxLogin, jmxTls, cql, cqlLogin, cqlTls, tlsName, plainLogin, answer, work);
    }

    /** @throws LiveNodeException when a login would go over a network in the clear */
    void requireHidden(Optional<Login> login, boolean isTls, InetSocketAddress address) throws LiveNodeException {
        boolean isLoopback = !address.isUnresolved() && address.getAddress().isLoopbackAddress();
        if (login.isPresent() && !isTls && !plainLogin && !isLoopback) {
            throw new LiveNodeException("login is not sent without TLS to an address that is not loopback: speak TLS"
                    + " (--jmx-tls, --cql-tls), or say --plain-login, address=" + PeerAddress.text(address));
        }
    }
}
