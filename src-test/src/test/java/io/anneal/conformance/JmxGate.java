package io.anneal.conformance;

import io.anneal.agent.LiveNodeConfig;
import io.anneal.bench.peer.CassandraPeer;
import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;
import javax.management.Attribute;
import javax.management.MBeanServer;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXServiceURL;

/**
 * The management beans of a real node behind a server that refuses some of what is asked, in the words of Cassandra's own
 * authorization, hands on all else, and notes it.
 */
final class JmxGate implements Closeable {
    private final CassandraPeer peer;
    private final int port;
    private final Registry registry;
    private final JMXConnector node;
    private final JMXConnectorServer server;
    private final List<String> asked = new CopyOnWriteArrayList<>();

    private JmxGate(CassandraPeer peer, Predicate<String> refused, Consumer<String> done) throws IOException {
        this.peer = peer;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        registry = LocateRegistry.createRegistry(port);
        node = JMXConnectorFactory.connect(url(peer.jmxPort()));
        server = JMXConnectorServerFactory.newJMXConnectorServer(
                url(port), Map.of(), beans(node.getMBeanServerConnection(), refused, asked, done));
        server.start();
    }

    /** @param refused asked with the name of each operation that is to be done, and of each attribute that is to be set */
    static JmxGate open(CassandraPeer peer, Predicate<String> refused) throws IOException {
        return new JmxGate(peer, refused, operation -> {});
    }

    /** One that refuses nothing, and waits while each operation that the node has done is looked at. */
    static JmxGate watched(CassandraPeer peer, Consumer<String> done) throws IOException {
        return new JmxGate(peer, name -> false, done);
    }

    static JMXServiceURL url(int port) throws IOException {
        return new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/jmxrmi");
    }

    /** What the node was asked since this was called the last time, as {@code get NeverPurgeTombstones of} and the bean. */
    List<String> asked() {
        List<String> since = List.copyOf(asked);
        asked.clear();
        return since;
    }

    LiveNodeConfig config() {
        return LiveNodeConfig.of(
                new InetSocketAddress("127.0.0.1", port),
                new InetSocketAddress(peer.config().address(), peer.cqlPort()));
    }

    private static MBeanServer beans(
            MBeanServerConnection node, Predicate<String> refused, List<String> asked, Consumer<String> done) {
        MBeanServer own = ManagementFactory.getPlatformMBeanServer();
        return (MBeanServer) Proxy.newProxyInstance(
                JmxGate.class.getClassLoader(), new Class<?>[] {MBeanServer.class}, (proxy, method, arguments) -> {
                    // What is sent and answered are types of the JDK.
                    if (method.getName().equals("getClassLoaderRepository")) {
                        return own.getClassLoaderRepository();
                    }
                    if (method.getName().startsWith("getClassLoader")) {
                        return JmxGate.class.getClassLoader();
                    }
                    boolean sets = method.getName().equals("setAttribute");
                    boolean invokes = method.getName().equals("invoke");
                    if (sets && refused.test(((Attribute) arguments[1]).getName())
                            || invokes && refused.test((String) arguments[1])) {
                        throw new SecurityException("Access Denied");
                    }
                    switch (method.getName()) {
                        case "getAttribute" -> asked.add("get " + arguments[1] + " of " + arguments[0]);
                        case "setAttribute" ->
                            asked.add("set " + ((Attribute) arguments[1]).getName() + " of " + arguments[0]);
                        case "invoke" -> asked.add("invoke " + arguments[1] + " of " + arguments[0]);
                        default -> {}
                    }
                    Method same = MBeanServerConnection.class.getMethod(method.getName(), method.getParameterTypes());
                    try {
                        Object answer = same.invoke(node, arguments);
                        if (invokes) {
                            done.accept((String) arguments[1]);
                        }
                        return answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Override
    public void close() throws IOException {
        server.stop();
        node.close();
        UnicastRemoteObject.unexportObject(registry, true);
    }
}
