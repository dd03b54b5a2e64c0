package io.anneal.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.anneal.environment.HostEnvironment;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import javax.management.remote.JMXAuthenticator;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXServiceURL;
import javax.security.auth.Subject;
import org.junit.jupiter.api.Test;

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

    @Test
    void shouldLogInWhereTheNodeAsksWhoComes() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Registry registry = LocateRegistry.createRegistry(port);
        JMXAuthenticator authenticator = given -> {
            if (given instanceof String[] login && login[0].equals("anneal") && login[1].equals("secret")) {
                return new Subject();
            }
            throw new SecurityException("who are you");
        };
        JMXConnectorServer server = JMXConnectorServerFactory.newJMXConnectorServer(
                new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/jmxrmi"),
                Map.of(JMXConnectorServer.AUTHENTICATOR, authenticator),
                ManagementFactory.getPlatformMBeanServer());
        server.start();
        try {
            LiveNodeConfig right = config(port)
                    .withLogins(Optional.of(new LiveNodeConfig.Login("anneal", "secret")), Optional.empty());
            NodeBeans beans = NodeBeans.connect(right, HostEnvironment.system());
            assertThat(beans.attribute(RUNTIME, "StartTime")).isInstanceOf(Long.class);
            beans.close();
            assertThatExceptionOfType(LiveNodeException.class)
                    .isThrownBy(() -> beans.attribute(RUNTIME, "StartTime"))
                    .withMessageContaining("JMX is closed");
            assertThatExceptionOfType(LiveNodeException.class)
                    .isThrownBy(() -> NodeBeans.connect(config(port), HostEnvironment.system()))
                    .withMessageContaining("who are you");
            assertThat(right.jmxLogin().orElseThrow()).asString().doesNotContain("secret");
        } finally {
            server.stop();
            UnicastRemoteObject.unexportObject(registry, true);
        }
    }
}
