package io.anneal.agent;

import io.anneal.environment.HostEnvironment;
import io.anneal.net.PeerAddress;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.MalformedURLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.JMRuntimeException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import javax.rmi.ssl.SslRMIClientSocketFactory;

/**
 * The management beans of one Cassandra node, by types of the JDK alone. Calls run one after the other on a thread of its own,
 * since the JDK waits for an answer for ever: one that takes too long is given up, and all after it fail. Safe for any thread.
 */
final class NodeBeans implements Closeable {
    private static final String DATABASE = "org.apache.cassandra.db:type=";

    private final LiveNodeConfig config;
    private final String address;
    private final ExecutorService thread;
    private JMXConnector connector;
    /** Who connected did not wait: what connects yet is closed. */
    private boolean isGivenUp;

    private MBeanServerConnection beans;

    private NodeBeans(LiveNodeConfig config, ExecutorService thread) {
        this.config = config;
        this.thread = thread;
        address = PeerAddress.text(config.jmx());
    }

    static NodeBeans connect(LiveNodeConfig config, HostEnvironment host) throws LiveNodeException {
        config.requireHidden(config.jmxLogin(), config.jmxTls(), config.jmx());
        NodeBeans opened = new NodeBeans(config, host.threads().single("jmx"));
        boolean connected = false;
        try {
            opened.connect();
            connected = true;
            return opened;
        } finally {
            if (!connected) {
                opened.giveUp();
            }
        }
    }

    private void connect() throws LiveNodeException {
        try {
            within(config.answerLimit(), "connect", () -> {
                JMXConnector made = JMXConnectorFactory.connect(url(config.jmx()), environment());
                if (!take(made)) {
                    made.close();
                    return made;
                }
                beans = made.getMBeanServerConnection();
                return made;
            });
        } catch (IOException | JMException | SecurityException e) {
            throw e instanceof LiveNodeException late
                    ? late
                    : LiveNodeException.unreachable(
                            "Cassandra's JMX can't be reached, address=" + address + ", reason=" + e, e);
        }
    }

    static JMXServiceURL url(InetSocketAddress jmx) throws MalformedURLException {
        return new JMXServiceURL("service:jmx:rmi:///jndi/rmi://" + PeerAddress.text(jmx) + "/jmxrmi");
    }

    private synchronized boolean take(JMXConnector made) {
        connector = made;
        return !isGivenUp;
    }

    /** The JDK goes on with what it was asked, whatever its thread is told: the connection is closed behind it. */
    private synchronized void giveUp() {
        if (isGivenUp) {
            return;
        }
        isGivenUp = true;
        if (connector != null) {
            thread.execute(() -> {
                try {
                    connector.close();
                } catch (IOException gone) {
                    // So is the connection.
                }
            });
        }
        thread.shutdown();
    }

    private Map<String, Object> environment() {
        Map<String, Object> environment = new HashMap<>();
        config.jmxLogin()
                .ifPresent(login ->
                        environment.put(JMXConnector.CREDENTIALS, new String[] {login.user(), login.password()}));
        if (config.jmxTls()) {
            // The registry's; the connection's own the node tells.
            environment.put("com.sun.jndi.rmi.factory.socket", new SslRMIClientSocketFactory());
        }
        return environment;
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

    static String endpointSnitch() {
        return DATABASE + "EndpointSnitchInfo";
    }

    static String caches() {
        return DATABASE + "Caches";
    }

    static String table(LiveTable table) {
        return DATABASE + "Tables,keyspace=" + table.keyspace() + ",table=" + table.name();
    }

    Object attribute(String bean, String name) throws LiveNodeException {
        return call(config.answerLimit(), bean, name, () -> beans.getAttribute(new ObjectName(bean), name));
    }

    void set(String bean, String name, Object value) throws LiveNodeException {
        call(config.answerLimit(), bean, name, () -> {
            beans.setAttribute(new ObjectName(bean), new Attribute(name, value));
            return null;
        });
    }

    /** @param types of the arguments, as the names of their classes */
    Object invoke(String bean, String operation, Object[] arguments, String... types) throws LiveNodeException {
        return invoke(config.answerLimit(), bean, operation, arguments, types);
    }

    /** The same for what reads or writes files. */
    Object work(String bean, String operation, Object[] arguments, String... types) throws LiveNodeException {
        return invoke(config.workLimit(), bean, operation, arguments, types);
    }

    private Object invoke(Duration limit, String bean, String operation, Object[] arguments, String... types)
            throws LiveNodeException {
        return call(limit, bean, operation, () -> beans.invoke(new ObjectName(bean), operation, arguments, types));
    }

    private interface Call {
        Object run() throws IOException, JMException;
    }

    private Object call(Duration limit, String bean, String what, Call call) throws LiveNodeException {
        try {
            return within(limit, what, call);
        } catch (LiveNodeException late) {
            throw late;
        } catch (IOException | JMException | JMRuntimeException | SecurityException e) {
            Throwable reason = e instanceof IOException || e.getCause() == null ? e : e.getCause();
            throw new LiveNodeException(
                    "Cassandra did not do what it was asked by JMX, node=" + address + ", bean=" + bean + ", what="
                            + what + ", reason=" + reason,
                    e);
        }
    }

    private Object within(Duration limit, String what, Call call) throws IOException, JMException {
        if (thread.isShutdown()) {
            throw new LiveNodeException("JMX is closed, or did not answer before, node=" + address + ", what=" + what);
        }
        Future<Object> answer = thread.submit(call::run);
        try {
            return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            giveUp();
            throw new LiveNodeException(
                    "Cassandra did not answer by JMX in time: it may do what it was asked all the same, node=" + address
                            + ", what=" + what + ", limit=" + limit,
                    e);
        } catch (InterruptedException e) {
            giveUp();
            Thread.currentThread().interrupt();
            throw new LiveNodeException(
                    "interrupted while Cassandra was asked by JMX: it may do what it was asked all the same, node="
                            + address + ", what=" + what,
                    e);
        } catch (ExecutionException e) {
            throw failure(e.getCause());
        }
    }

    /** Throws what a call has failed with, as it would have without another thread. */
    private static IOException failure(Throwable cause) throws JMException {
        if (cause instanceof IOException io) {
            return io;
        }
        if (cause instanceof JMException management) {
            throw management;
        }
        if (cause instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (cause instanceof Error error) {
            throw error;
        }
        throw new IllegalStateException(cause);
    }

    /** Does not wait for a node that is silent. */
    @Override
    public void close() throws IOException {
        giveUp();
    }
}
