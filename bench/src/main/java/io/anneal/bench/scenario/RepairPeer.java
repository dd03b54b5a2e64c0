package io.anneal.bench.scenario;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A further process of {@link RepairScenario}: a replica. */
public final class RepairPeer {
    static final int NODE = 0;

    private RepairPeer() {}

    /** @param arguments the directory of its store, its number, and its memory in bytes */
    public static void main(String[] arguments) throws IOException {
        try (RepairSide side =
                RepairSide.open(Path.of(arguments[0]), Integer.parseInt(arguments[1]), Long.parseLong(arguments[2]))) {
            PeerJvm.announce(List.of(side.storeNode().listen()));
        }
    }
}
