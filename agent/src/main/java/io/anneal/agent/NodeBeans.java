package io.anneal.agent;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.JMRuntimeException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** The management beans of one Cassandra node, by types of the JDK alone. Safe for any thread. */
final class NodeBeans implements Closeable {
    private static final String DATABASE = "org.apache.cassandra.db:type=";

    private final String address;
    private final JMXConnector connector;
    private final MBeanServerConnection beans;

    private NodeBeans(String address, JMXConnector connector, MBeanServerConnection beans) {
        this.address = address;
        this.connector = connector;
        this.beans = beans;
    }

    static NodeBeans connect(InetSocketAddress jmx) throws LiveNodeException {
        String address = jmx.getHostString() + ":" + jmx.getPort();
        try {
            JMXConnector connector = JMXConnectorFactory.connect(
                    new JMXServiceURL("service:jmx:rmi:///jndi/rmi://" + address + "/jmxrmi"), Map.of());
            boolean connected = false;
            try {
                NodeBeans opened = new NodeBeans(address, connector, connector.getMBeanServerConnection());
                connected = true;
                return opened;
            } finally {
                if (!connected) {
                    connector.close();
                }
            }
        } catch (IOException | SecurityException e) {
            throw new LiveNodeException("Cassandra's JMX can't be reached, address=" + address + ", reason=" + e, e);
        }
    }

    /** Where it is, for messages. */
    String address() {
        return address;
    }

    static String storageService() {
        return DATABASE + "StorageService";
    }

    static String storageProxy() {
        return DATABASE + "StorageProxy";
    }

    static String table(LiveTable table) {
        return DATABASE + "Tables,keyspace=" + table.keyspace() + ",table=" + table.name();
    }

    Object attribute(String bean, String name) throws LiveNodeException {
        return call(bean, name, () -> beans.getAttribute(new ObjectName(bean), name));
    }

    void set(String bean, String name, Object value) throws LiveNodeException {
        call(bean, name, () -> {
            beans.setAttribute(new ObjectName(bean), new Attribute(name, value));
            return null;
        });
    }

    /** @param types of the arguments, as the names of their classes */
    Object invoke(String bean, String operation, Object[] arguments, String... types) throws LiveNodeException {
        return call(bean, operation, () -> beans.invoke(new ObjectName(bean), operation, arguments, types));
    }

    private interface Call {
        Object run() throws IOException, JMException;
    }

    private Object call(String bean, String what, Call call) throws LiveNodeException {
        try {
            return call.run();
        } catch (IOException | JMException | JMRuntimeException | SecurityException e) {
            Throwable reason = e instanceof IOException || e.getCause() == null ? e : e.getCause();
            throw new LiveNodeException(
                    "Cassandra did not do what it was asked by JMX, node=" + address + ", bean=" + bean + ", what="
                            + what + ", reason=" + reason,
                    e);
        }
    }

    @Override
    public void close() throws IOException {
        connector.close();
    }
}
