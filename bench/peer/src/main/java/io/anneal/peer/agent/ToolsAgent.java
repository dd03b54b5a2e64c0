package io.anneal.peer.agent;

import java.util.List;
import org.apache.cassandra.config.DatabaseDescriptor;

/**
 * Cassandra's readers and writers alone, initialized as its own command line tools do it, served over the standard
 * streams ({@link RequestLoop}). The process stays, so that repeated runs are warm.
 */
public final class ToolsAgent {
    private ToolsAgent() {}

    /** Serves until standard input ends. */
    public static void main(String[] arguments) {
        RequestLoop loop = RequestLoop.open();
        DatabaseDescriptor.toolInitialization();
        loop.run(ToolsAgent::perform);
    }

    private static List<List<String>> perform(String operation, List<String> arguments) throws Exception {
        return switch (operation) {
            case "SCAN" -> Scan.run(arguments.get(0), arguments.subList(1, arguments.size()));
            case "WRITE" -> SortedWrite.run(arguments.get(0), arguments.get(1), arguments.get(2));
            default -> throw new IllegalArgumentException("unknown operation, name=" + operation);
        };
    }
}
