package io.anneal.bench.scenario;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.List;

/** A further process of {@link StreamingScenario}: a source. */
public final class StreamingPeer {
    static final int NODE = 0;
    static final int BARE = 1;

    private StreamingPeer() {}

    /** @param arguments the directory of its store, and its number */
    public static void main(String[] arguments) throws IOException {
        try (StreamingSide side = StreamingSide.open(Path.of(arguments[0]), Integer.parseInt(arguments[1]));
                ServerSocketChannel bare = ServerSocketChannel.open().bind(NetSide.loopback(0))) {
            NetPeer.serve(bare, BareFileCopy::send);
            PeerJvm.announce(List.of(side.storeNode().listen(), NetPeer.port(bare)));
        }
    }
}
