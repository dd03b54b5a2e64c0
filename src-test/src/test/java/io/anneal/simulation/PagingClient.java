package io.anneal.simulation;

import io.anneal.environment.HostEnvironment;
import io.anneal.net.Connector;
import io.anneal.paging.Consistency;
import io.anneal.paging.PagedTable;
import io.anneal.paging.Paging;
import io.anneal.paging.RemotePages;
import io.anneal.paging.querier.QuerierLimits;
import io.anneal.paging.query.PageSource;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A process that reads the table of a world's hosts: it knows nothing but their addresses and their ring. */
final class PagingClient implements AutoCloseable {
    private final Paging paging;
    private final PagedTable table;
    private final Optional<OneConnectionEach> own;

    private PagingClient(Paging paging, PagedTable table, Optional<OneConnectionEach> own) {
        this.paging = paging;
        this.table = table;
        this.own = own;
    }

    /**
     * Asks hosts for the table; who does not answer is not read from.
     *
     * @param hosts all of the ring; or one that has everything, which then sends pages ahead
     * @param own whether it connects anew for each page
     */
    static PagingClient open(PagingWorld world, List<StoreHost> hosts, HostEnvironment environment, boolean own)
            throws IOException {
        Optional<OneConnectionEach> connections =
                own ? Optional.of(world.asker().ownConnections()) : Optional.empty();
        Connector connector =
                connections.isPresent() ? connections.get() : world.asker().peers();
        Map<String, PageSource> replicas = new LinkedHashMap<>();
        IOException failure = new IOException("there is nobody to ask");
        for (ReplicaHost host : hosts) {
            TableSchema schema = world.schema();
            try {
                replicas.put(
                        host.name(), RemotePages.open(connector, host.address(), "", schema.keyspace(), schema.name()));
            } catch (IOException silent) {
                failure = silent;
            }
        }
        Paging paging = Paging.open(
                QuerierLimits.DEFAULT, environment.withThreads(name -> new NetworkExecutor(world.network())));
        List<Consistency> levels = world.levels();
        Consistency consistency = levels.get(environment.random().nextInt(levels.size()));
        try {
            if (replicas.isEmpty()) {
                throw failure;
            }
            PagedTable table = hosts.size() == 1
                    ? paging.table(replicas.values().iterator().next())
                    : paging.table(world.ownership().ring(), replicas, consistency);
            return new PagingClient(paging, table, connections);
        } catch (IOException | RuntimeException failed) {
            paging.close();
            connections.ifPresent(OneConnectionEach::close);
            throw failed;
        }
    }

    PagedTable table() {
        return table;
    }

    @Override
    public void close() {
        paging.close();
        own.ifPresent(OneConnectionEach::close);
    }
}
