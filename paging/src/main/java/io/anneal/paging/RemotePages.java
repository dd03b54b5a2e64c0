package io.anneal.paging;

import io.anneal.fragment.CorruptItemException;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.net.Connection;
import io.anneal.net.Connector;
import io.anneal.net.Message;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerAddress;
import io.anneal.net.PeerException;
import io.anneal.net.Verb;
import io.anneal.net.Waiting;
import io.anneal.paging.message.PageEnd;
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
import java.util.UUID;

/**
 * Pages of a replica on another node, which runs a {@link PagingService}. What comes is checked against what was asked for. A connection
 * that was lost between two pages is opened anew. Any thread.
 */
public final class RemotePages implements PageSource {
    private final Connector peers;
    private final InetSocketAddress address;
    private final TableName table;
    private final TableSchema schema;
    private final String schemaText;

    private RemotePages(Connector peers, InetSocketAddress address, TableName table, TableSchema schema) {
        this.peers = peers;
        this.address = address;
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
        TableName name = new TableName(replica, keyspace, table);
        ByteWriter out = new ByteWriter(64);
        out.writeByte(PagingWire.VERSION);
        name.encode(out);
        ByteBuffer question = ByteBuffer.wrap(out.array(), 0, out.lengthBytes());
        ByteBuffer answer = peers.open(address).call(PagingWire.TABLE, question);
        try {
            TableSchema schema = CqlSchema.parse(
                            Texts.readVerbatim(new ByteReader().wrap(answer)), "schema of the replica")
                    .table(keyspace, table)
                    .orElseThrow(() -> new IllegalArgumentException("there is another table in its schema"));
            return new RemotePages(peers, address, name, schema);
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

    @Override
    public TableSchema schema() {
        return schema;
    }

    @Override
    public Page read(PageRequest request) throws IOException {
        try {
            return readOnce(request);
        } catch (PeerException lost) {
            if (!lost.code().equals(PeerException.PEER_LOST) && !lost.code().equals(PeerException.CLOSED)) {
                throw lost;
            }
            return readOnce(request);
        }
    }

    private Page readOnce(PageRequest request) throws IOException {
        Connection connection = peers.open(address);
        MessageStream messages = connection.open(PagingWire.PAGE).messages();
        boolean isWhole = false;
        try {
            messages.write(PagingWire.QUESTION, ByteBuffer.wrap(PageQuestion.encode(table, schemaText, request)));
            messages.stream().end();
            Page page = take(messages, new PageCheck(request, schema));
            isWhole = true;
            return page;
        } catch (ByteUnderflowException | IllegalArgumentException | CorruptItemException malformed) {
            throw malformed(address, PagingWire.PAGE, malformed);
        } finally {
            if (!isWhole) {
                messages.stream().reset(PeerException.CLOSED, "who asked for the page takes no more of it");
            }
        }
    }

    private static Page take(MessageStream messages, PageCheck page) throws IOException {
        while (true) {
            try (Message message = Waiting.result(messages.read())
                    .orElseThrow(() -> new IllegalArgumentException("the peer ended the stream before the page"))) {
                if (message.kind() == PagingWire.END) {
                    return page.conclude(PageEnd.decode(new ByteReader().wrap(message.content())));
                }
                if (message.kind() != PagingWire.ITEMS) {
                    throw new IllegalArgumentException("message is of no known kind, kind=" + message.kind());
                }
                page.add(message.bytes());
            }
        }
    }

    @Override
    public void forget(UUID queryId) {
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
