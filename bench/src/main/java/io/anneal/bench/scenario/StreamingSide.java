package io.anneal.bench.scenario;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.net.NetLimits;
import io.anneal.streaming.StreamService;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** What each process of {@link StreamingScenario} has: a store and a node that gives and takes its tables, both ways. */
final class StreamingSide implements Closeable {
    private static final int THREADS = 4;

    /** A thousand sessions each have a stream for questions, and one for each small file. */
    private static final int STREAMS_MAX = 16_384;

    private static final NetLimits LIMITS = NetLimits.DEFAULT.withStreams(
            NetLimits.DEFAULT.initialCreditBytes(),
            NetLimits.DEFAULT.windowBytesMax(),
            NetLimits.DEFAULT.messageBytesMax(),
            STREAMS_MAX);
    /** So that the first credit of each of them has room. */
    private static final long BUDGET_BYTES = 512 << 20;

    private final StoreNode storeNode;
    private final OldWay oldWay;

    private StreamingSide(StoreNode storeNode) {
        this.storeNode = storeNode;
        oldWay = new OldWay(storeNode.store());
    }

    static StreamingSide open(Path directory, int number) throws IOException {
        StoreNode storeNode = StoreNode.open(
                directory,
                number,
                THREADS,
                config -> config.withLimits(LIMITS).withBudget(ByteBudget.of(BUDGET_BYTES)));
        StreamingSide side = new StreamingSide(storeNode);
        StreamService.of(storeNode.node(), HostEnvironment.system())
                .register(storeNode.node().handlers());
        side.oldWay.register(storeNode.node().handlers());
        return side;
    }

    StoreNode storeNode() {
        return storeNode;
    }

    OldWay oldWay() {
        return oldWay;
    }

    @Override
    public void close() throws IOException {
        storeNode.close();
    }
}
