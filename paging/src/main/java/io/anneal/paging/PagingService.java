package io.anneal.paging;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.net.Message;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerException;
import io.anneal.net.PeerStream;
import io.anneal.net.RequestException;
import io.anneal.net.Verb;
import io.anneal.net.VerbHandlers;
import io.anneal.node.Answers;
import io.anneal.node.Node;
import io.anneal.node.Replicas;
import io.anneal.paging.message.PageEnd;
import io.anneal.paging.message.PageQuestion;
import io.anneal.paging.message.PagingWire;
import io.anneal.paging.message.TableName;
import io.anneal.paging.querier.PagingMetrics;
import io.anneal.paging.querier.QuerierLimits;
import io.anneal.paging.querier.Queriers;
import io.anneal.paging.querier.ReadTimeoutException;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageRequest;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Pages of a node's replicas, for who asks over a connection ({@link RemotePages}). Keeps tables open, and the queriers of their scans,
 * for as long as pages are asked for. Safe for any thread.
 */
public final class PagingService implements Closeable {
    private final Queriers queriers;
    private final ServedTables tables;

    /**
     * @param replicas what the node has
     * @param limits of all scans of the node together
     * @param metrics of these; closed by who made them
     */
    public PagingService(Replicas replicas, HostEnvironment environment, QuerierLimits limits, PagingMetrics metrics) {
        queriers = Queriers.open(limits, environment, metrics);
        tables = new ServedTables(replicas, queriers, environment, limits.idle());
    }

    /** For the replicas of a node. */
    public static PagingService of(Node node, HostEnvironment environment, PagingMetrics metrics) {
        return new PagingService(node.replicas(), environment, QuerierLimits.DEFAULT, metrics);
    }

    /** Registers its verbs; pages are read on the executor of the handlers. */
    public PagingService register(VerbHandlers handlers) {
        handlers.registerStream(PagingWire.PAGE, this::opened);
        handlers.register(PagingWire.TABLE, (peer, question) -> answer(PagingWire.TABLE, question, this::schema));
        handlers.register(PagingWire.FORGET, (peer, question) -> answer(PagingWire.FORGET, question, this::forget));
        return this;
    }

    /** Closes the tables that are open; the replicas are the node's. */
    @Override
    public void close() {
        tables.close();
        queriers.close();
    }

    private interface Answerer {
        ByteBuffer answer(TableName table, ByteReader rest) throws IOException;
    }

    private static CompletionStage<ByteBuffer> answer(Verb verb, ByteBuffer question, Answerer answerer)
            throws RequestException {
        try {
            ByteReader in = new ByteReader().wrap(question);
            return CompletableFuture.completedFuture(answerer.answer(table(in), in));
        } catch (ByteUnderflowException | IllegalArgumentException malformed) {
            throw malformed(malformed);
        } catch (IOException | RuntimeException failed) {
            throw refusal(verb, failed);
        }
    }

    private static TableName table(ByteReader in) throws RequestException {
        int version = in.readUnsignedByte();
        if (version != PagingWire.VERSION) {
            throw new RequestException(
                    PeerException.MALFORMED, "version of paging is not spoken here, version=" + version);
        }
        return TableName.decode(in);
    }

    private static RequestException malformed(RuntimeException cause) {
        return new RequestException(PeerException.MALFORMED, "question is malformed, cause=" + cause.getMessage());
    }

    private static RequestException refusal(Verb verb, Throwable failed) {
        return Answers.refusal(
                verb,
                PagingWire.QUESTION,
                failed,
                cause -> cause instanceof ReadTimeoutException ? PagingWire.BUSY : PagingWire.REFUSED);
    }

    private ByteBuffer schema(TableName name, ByteReader rest) throws IOException {
        try (ServedTables.Served table = tables.take(name, true)) {
            ByteWriter out = new ByteWriter(1024);
            Texts.write(out, SchemaText.print(table.replica().schema()));
            return ByteBuffer.wrap(out.toByteArray());
        }
    }

    private ByteBuffer forget(TableName name, ByteReader rest) {
        UUID queryId = Texts.readId(rest);
        tables.forget(name, queryId);
        return ByteBuffer.allocate(0);
    }

    private void opened(PeerStream stream) {
        MessageStream messages = stream.messages();
        messages.read().whenComplete((message, failure) -> {
            // A failure has ended the stream.
            if (failure == null) {
                answer(messages, message);
            }
        });
    }

    private void answer(MessageStream messages, Optional<Message> message) {
        PeerStream stream = messages.stream();
        try (Message question = message.orElseThrow(
                () -> new RequestException(PeerException.MALFORMED, "the stream ended before a page was asked for"))) {
            Page page = read(new ByteReader().wrap(question.content()));
            send(messages, page, page.items().iterator());
        } catch (ByteUnderflowException | IllegalArgumentException malformed) {
            RequestException refused = malformed(malformed);
            stream.reset(refused.code(), refused.getMessage());
        } catch (IOException | RuntimeException | Error failed) {
            RequestException refused = refusal(PagingWire.PAGE, failed);
            stream.reset(refused.code(), refused.getMessage());
        }
    }

    private Page read(ByteReader in) throws IOException {
        TableName name = table(in);
        String schemaText = Texts.readVerbatim(in);
        try (ServedTables.Served table = tables.take(name, false)) {
            TableSchema schema = table.replica().schema();
            table.requireSchema(schemaText);
            PageRequest request = PageQuestion.decode(in, schema);
            try {
                Page page = table.pages().read(request);
                if (!page.schema().equals(schema)) {
                    throw new RequestException(
                            PagingWire.REFUSED, "table was altered while the page was read, table=" + name);
                }
                return page;
            } catch (IOException | IllegalStateException failed) {
                if (!(failed instanceof ReadTimeoutException)) {
                    table.broken();
                }
                throw failed;
            }
        }
    }

    /** As the peer takes it; holds no thread meanwhile. */
    private static void send(MessageStream messages, Page page, Iterator<ByteBuffer> left) {
        CompletableFuture<Void> written = CompletableFuture.completedFuture(null);
        while (left.hasNext() && written.isDone() && !written.isCompletedExceptionally()) {
            written = messages.write(PagingWire.ITEMS, left.next());
        }
        if (left.hasNext()) {
            written.whenComplete((done, failure) -> {
                if (failure == null) {
                    send(messages, page, left);
                }
            });
        } else {
            messages.write(PagingWire.END, ByteBuffer.wrap(PageEnd.encode(page)));
            messages.stream().end();
        }
    }
}
