package io.anneal.paging;

import io.anneal.fragment.CorruptItemException;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.net.Connection;
import io.anneal.net.Connector;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerAddress;
import io.anneal.net.PeerException;
import io.anneal.net.Verb;
import io.anneal.node.DistinctReplicas;
import io.anneal.node.ReplicaSchema;
import io.anneal.paging.message.PageQuestion;
import io.anneal.paging.message.PagingWire;
import io.anneal.paging.message.TableName;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageRequest;
import io.anneal.paging.query.PageSource;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaException;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Pages of a replica on another node, which runs a {@link PagingService}. What comes is checked against what was asked for. Where more
 * than a page is wanted, the node sends the next ones while this one is used, as far as the stream has credit. A connection that was lost
 * between two pages is opened anew. Any thread.
 */
public final class RemotePages implements PageSource {
    /** Codes of what a connection that lay still, or this process, has done to the stream: it may go well the next time. */
    private static final Set<String> AGAIN = Set.of(PeerException.PEER_LOST, PeerException.CLOSED, PagingWire.IDLE);

    /** Codes of what would not go better if the page were asked for anew. */
    private static final Set<String> FINAL = Set.of(PeerException.MALFORMED, PeerException.REQUEST_TIMEOUT);

    /** Readings that more is sent for at once; of so many, most were given up. */
    private static final int COMING_MAX = 256;

    private final Connector peers;
    private final InetSocketAddress address;
    private final UUID nodeId;
    private final TableName table;
    private final TableSchema schema;
    private final String schemaText;
    /** Of readings that another page was sent for, by their ids; nobody reads from them now. */
    private final Map<UUID, ComingPages> coming = new ConcurrentHashMap<>();

    private RemotePages(Connector peers, InetSocketAddress address, UUID nodeId, TableName table, TableSchema schema) {
        this.peers = peers;
        this.address = address;
        this.nodeId = nodeId;
        this.table = table;
        this.schema = schema;
        schemaText = SchemaText.print(schema);
    }

    /**
     * Asks the node for the table; waits.
     *
     * @param peers keeps its connections, as a node's does
     * @param replica as the node knows it; empty for its only one
     * @throws PeerException when the node cannot be reached, or has no such table
     */
    public static RemotePages open(
            Connector peers, InetSocketAddress address, String replica, String keyspace, String table)
            throws IOException {
        Objects.requireNonNull(peers, "peers");
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(replica, "replica");
        Objects.requireNonNull(keyspace, "keyspace");
        Objects.requireNonNull(table, "table");
        TableName name = new TableName(replica, keyspace, table);
        ByteWriter out = new ByteWriter(64);
        out.writeByte(PagingWire.VERSION);
        name.encode(out);
        ByteBuffer question = ByteBuffer.wrap(out.array(), 0, out.lengthBytes());
        Connection connection = peers.open(address);
        ByteBuffer answer = connection.call(PagingWire.TABLE, question);
        try {
            TableSchema schema = CqlSchema.parse(
                            Texts.readVerbatim(new ByteReader().wrap(answer)), "schema of the replica")
                    .table(keyspace, table)
                    .orElseThrow(() -> new IllegalArgumentException("there is another table in its schema"));
            return new RemotePages(peers, address, connection.node().nodeId(), name, schema);
        } catch (ByteUnderflowException | IllegalArgumentException | SchemaException malformed) {
            throw malformed(address, PagingWire.TABLE, malformed);
        }
    }

    private static PeerException malformed(InetSocketAddress address, Verb verb, Exception cause) {
        return new PeerException(
                PeerAddress.text(address),
                verb.name(),
                PeerException.MALFORMED,
                "answer is malformed, cause=" + cause.getMessage(),
                cause);
    }

    @Override
    public String name() {
        return PeerAddress.text(address);
    }

    /** Which one it is, whatever address it was reached by. */
    DistinctReplicas.Named replica() {
        return new DistinctReplicas.Named(nodeId, table.replica());
    }

    @Override
    public TableSchema schema() {
        return schema;
    }

    @Override
    public Page read(PageRequest request) throws IOException {
        Objects.requireNonNull(request, "request");
        ComingPages open = coming.remove(request.queryId());
        if (open != null) {
            Optional<Page> page = goOn(open, request);
            if (page.isPresent()) {
                return page.get();
            }
        }
        try {
            return readAnew(request);
        } catch (PeerException lost) {
            if (!AGAIN.contains(lost.code())) {
                throw lost;
            }
            return readAnew(request);
        }
    }

    /** Empty when the page is to be asked for anew. */
    private Optional<Page> goOn(ComingPages open, PageRequest request) throws IOException {
        if (!open.answers(request)) {
            open.close();
            return Optional.empty();
        }
        try {
            return take(open, request.queryId());
        } catch (PeerException failed) {
            if (FINAL.contains(failed.code())) {
                throw failed;
            }
            return Optional.empty();
        }
    }

    private Page readAnew(PageRequest request) throws IOException {
        Connection connection = peers.open(address);
        ReplicaSchema.requireSameOrder(connection, schema);
        MessageStream messages = connection.open(PagingWire.PAGES).messages();
        messages.write(PagingWire.QUESTION, ByteBuffer.wrap(PageQuestion.encode(table, schemaText, request)));
        messages.stream().end();
        return take(new ComingPages(messages, schema, request), request.queryId())
                .orElseThrow(() -> malformed(
                        address,
                        PagingWire.PAGES,
                        new IllegalArgumentException("the peer ended the stream before the page")));
    }

    private Optional<Page> take(ComingPages from, UUID queryId) throws IOException {
        boolean isWhole = false;
        try {
            Optional<Page> page = from.read();
            isWhole = true;
            if (page.isPresent() && from.hasNext()) {
                keep(from, queryId);
            }
            return page;
        } catch (ByteUnderflowException | IllegalArgumentException | CorruptItemException malformed) {
            throw malformed(address, PagingWire.PAGES, malformed);
        } finally {
            if (!isWhole) {
                from.close();
            }
        }
    }

    private void keep(ComingPages from, UUID queryId) {
        if (coming.size() >= COMING_MAX) {
            from.close();
            return;
        }
        ComingPages other = coming.put(queryId, from);
        if (other != null) {
            other.close();
        }
        // Who does not come back for it finds nothing, and leaves nothing here: the peer resets it in a while.
        if (from.isNew()) {
            from.closed().whenComplete((done, failure) -> coming.remove(queryId, from));
        } else if (from.closed().isDone()) {
            coming.remove(queryId, from);
        }
    }

    @Override
    public void forget(UUID queryId) {
        Objects.requireNonNull(queryId, "queryId");
        ComingPages open = coming.remove(queryId);
        if (open != null) {
            open.close();
        }
        ByteWriter out = new ByteWriter(64);
        out.writeByte(PagingWire.VERSION);
        table.encode(out);
        Texts.write(out, queryId);
        // Whether it comes about or not: the node forgets by itself in a while.
        peers.connect(address)
                .thenAccept(connection ->
                        connection.request(PagingWire.FORGET, ByteBuffer.wrap(out.array(), 0, out.lengthBytes())));
    }
}
