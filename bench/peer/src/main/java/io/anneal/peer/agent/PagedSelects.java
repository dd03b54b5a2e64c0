package io.anneal.peer.agent;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.cassandra.auth.AuthenticatedUser;
import org.apache.cassandra.cql3.CQLStatement;
import org.apache.cassandra.cql3.QueryOptions;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.ResultSet;
import org.apache.cassandra.db.ConsistencyLevel;
import org.apache.cassandra.service.ClientState;
import org.apache.cassandra.service.QueryState;
import org.apache.cassandra.service.pager.PagingState;
import org.apache.cassandra.transport.Dispatcher;
import org.apache.cassandra.transport.ProtocolVersion;
import org.apache.cassandra.transport.messages.ResultMessage;

/** Selects read to their ends page by page, as a client's would be but for the wire. */
final class PagedSelects {
    private static final String NO_ALLOCATION = "0";

    private PagedSelects() {}

    /** Reads each statement in a thread of its own; answers the rows of all, time and processor time of the process. */
    static List<List<String>> read(int pageRows, List<String> statements) throws InterruptedException {
        ExecutorService executor = Executors.newFixedThreadPool(statements.size());
        try {
            ProcessMeter meter = new ProcessMeter();
            List<Future<Long>> readers = new ArrayList<>();
            for (String statement : statements) {
                readers.add(executor.submit(() -> read(pageRows, statement)));
            }
            long rows = 0;
            for (Future<Long> reader : readers) {
                rows += reader.get();
            }
            return List.of(List.of(Long.toString(rows), meter.wallNanos(), meter.cpuNanos(), NO_ALLOCATION));
        } catch (ExecutionException e) {
            throw new IllegalStateException("reading failed", e.getCause());
        } finally {
            executor.shutdownNow();
        }
    }

    private static long read(int pageRows, String statement) {
        ClientState session = ClientState.forExternalCalls(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        session.login(AuthenticatedUser.ANONYMOUS_USER);
        QueryState state = new QueryState(session);
        CQLStatement parsed = QueryProcessor.instance.parse(statement, state, options(pageRows, null));
        PagingState place = null;
        long rows = 0;
        do {
            ResultSet page = page(parsed, state, options(pageRows, place));
            rows += page.size();
            place = page.metadata.getPagingState();
        } while (place != null);
        return rows;
    }

    private static ResultSet page(CQLStatement statement, QueryState state, QueryOptions options) {
        ResultMessage answer = QueryProcessor.instance.process(
                statement, state, options, Dispatcher.RequestTime.forImmediateExecution());
        return ((ResultMessage.Rows) answer).result;
    }

    private static QueryOptions options(int pageRows, PagingState place) {
        return QueryOptions.create(
                ConsistencyLevel.ONE,
                List.of(),
                true,
                pageRows,
                place,
                ConsistencyLevel.SERIAL,
                ProtocolVersion.CURRENT,
                null);
    }
}
