package io.anneal.agent;

import io.anneal.environment.HostEnvironment;
import java.io.Closeable;
import java.io.IOException;

/**
 * The node of an agent, by one connection for as long as that answers: each new one costs the node and the agent more than what is asked by
 * it. That of CQL ends with the node's process; the JDK's for JMX may find a node again that was started anew, so that who answers is not
 * always who did before: {@link NodeMoment} tells. A thread at a time.
 */
final class NodeConnection implements Closeable {
    private final LiveNodeConfig config;
    private final HostEnvironment host;
    /** Null while there is none. */
    private LiveNode node;

    NodeConnection(LiveNodeConfig config, HostEnvironment host) {
        this.config = config;
        this.host = host;
    }

    /** The node, which answers; until this is asked again. */
    LiveNode node() throws IOException {
        if (node != null && !node.answers()) {
            close();
        }
        if (node == null) {
            node = LiveNode.open(config, host);
        }
        return node;
    }

    @Override
    public void close() throws IOException {
        if (node != null) {
            LiveNode closing = node;
            node = null;
            closing.close();
        }
    }
}
