package io.anneal.bench.scenario;

import io.anneal.environment.HostEnvironment;
import io.anneal.paging.PagingService;
import io.anneal.paging.querier.PagingMetrics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;

/** The second process of {@link PagingLoopback}: a node that has the table. */
public final class PagingNodePeer {
    static final int NUMBER = 2;
    private static final int THREADS = 4;

    private PagingNodePeer() {}

    /** @param arguments the directory of its store */
    public static void main(String[] arguments) throws IOException {
        HostEnvironment environment = HostEnvironment.system();
        try (StoreNode side = StoreNode.open(Path.of(arguments[0]), NUMBER, THREADS, UnaryOperator.identity());
                PagingMetrics metrics = new PagingMetrics("", environment.nanoTime());
                PagingService service = PagingService.of(side.node(), environment, metrics)) {
            service.register(side.node().handlers());
            PeerJvm.announce(List.of(side.listen()));
        }
    }
}
