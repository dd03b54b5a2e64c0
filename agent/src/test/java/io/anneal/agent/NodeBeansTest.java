package io.anneal.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.anneal.environment.HostEnvironment;
import io.anneal.net.PeerAddress;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.management.remote.JMXAuthenticator;
import javax.management.remote.JMXConnectionNotification;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXServiceURL;
import javax.security.auth.Subject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NodeBeansTest {
    private static final String RUNTIME = "java.lang:type=Runtime";

    private static LiveNodeConfig config(int port) {
        InetSocketAddress address = new InetSocketAddress("127.0.0.1", port);
        return LiveNodeConfig.of(address, address);
    }

    @Test
    void shouldGiveUpANodeThatDoesNotAnswer() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            LiveNodeConfig config =
                    config(silent.getLocalPort()).withLimits(Duration.ofMillis(200), Duration.ofMillis(200));

            assertThatExceptionOfType(LiveNodeException.class)
                    .isThrownBy(() -> NodeBeans.connect(config, HostEnvironment.system()))
                    .withMessageContaining("did not answer by JMX in time")
                    .withMessageContaining("node=127.0.0.1:" + silent.getLocalPort());
        }
    }

    /** A JMX server of this process, at a port of its own. */
    private static final class JmxServer implements AutoCloseable {
        private final int port;
        private final Registry registry;
        private final JMXConnectorServer server;

        JmxServer(JMXAuthenticator authenticator) throws IOException {
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                port = free.getLocalPort();
            }
            registry = LocateRegistry.createRegistry(port);
            server = JMXConnectorServerFactory.newJMXConnectorServer(
                    new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/jmxrmi"),
                    Map.of(JMXConnectorServer.AUTHENTICATOR, authenticator),
                    ManagementFactory.getPlatformMBeanServer());
            server.start();
        }

        @Override
        public void close() throws IOException {
            server.stop();
            UnicastRemoteObject.unexportObject(registry, true);
        }
    }

    @Test
    void shouldCloseWhatConnectsAfterItWasGivenUp() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answers = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        JMXAuthenticator slow = given -> {
            asked.countDown();
            try {
                answers.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return new Subject();
        };
        try (JmxServer jmx = new JmxServer(slow)) {
            jmx.server.addNotificationListener(
                    (notification, handback) -> {
                        if (notification.getType().equals(JMXConnectionNotification.CLOSED)) {
                            closed.countDown();
                        }
                    },
                    null,
                    null);
            LiveNodeConfig config = config(jmx.port).withLimits(Duration.ofSeconds(1), Duration.ofSeconds(1));
            assertThatExceptionOfType(LiveNodeException.class)
                    .isThrownBy(() -> NodeBeans.connect(config, HostEnvironment.system()))
                    .withMessageContaining("did not answer by JMX in time");
            assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();

            answers.countDown();

            assertThat(closed.await(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"[::1]:17201,[::1]:17201", "[0:0:0:0:0:0:0:1]:7199,[::1]:7199", "node.example:7199,node.example:7199"})
    void shouldPutIpv6AddressesIntoBrackets(String given, String authority) throws IOException {
        assertThat(NodeBeans.url(PeerAddress.parse(given)))
                .hasToString("service:jmx:rmi:///jndi/rmi://" + authority + "/jmxrmi");
    }

    @Test
    void shouldAskANodeAtAnAddressOfIpv6() throws IOException {
        InetAddress loopback = InetAddress.getByName("::1");
        assumeTrue(NetworkInterface.getByInetAddress(loopback) != null, "no IPv6 here");
        try (JmxServer jmx = new JmxServer(given -> new Subject())) {
            NodeBeans beans = NodeBeans.connect(
                    LiveNodeConfig.of(new InetSocketAddress(loopback, jmx.port)), HostEnvironment.system());
            assertThat(beans.attribute(RUNTIME, "StartTime")).isInstanceOf(Long.class);
            assertThat(beans.address()).isEqualTo("[::1]:" + jmx.port);
            beans.close();
        }
    }

    @Test
    void shouldLogInWhereTheNodeAsksWhoComes() throws IOException {
        JMXAuthenticator authenticator = given -> {
            if (given instanceof String[] login && login[0].equals("anneal") && login[1].equals("secret")) {
                return new Subject();
            }
            throw new SecurityException("who are you");
        };
        try (JmxServer jmx = new JmxServer(authenticator)) {
            LiveNodeConfig right = config(jmx.port)
                    .withLogins(Optional.of(new LiveNodeConfig.Login("anneal", "secret")), Optional.empty());
            NodeBeans beans = NodeBeans.connect(right, HostEnvironment.system());
            assertThat(beans.attribute(RUNTIME, "StartTime")).isInstanceOf(Long.class);
            beans.close();
            assertThatExceptionOfType(LiveNodeException.class)
                    .isThrownBy(() -> beans.attribute(RUNTIME, "StartTime"))
                    .withMessageContaining("JMX is closed");
            assertThatExceptionOfType(LiveNodeException.class)
                    .isThrownBy(() -> NodeBeans.connect(config(jmx.port), HostEnvironment.system()))
                    .withMessageContaining("who are you");
            assertThat(right.jmxLogin().orElseThrow()).asString().doesNotContain("secret");
        }
    }
}
