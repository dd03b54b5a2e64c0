package io.anneal.paging;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
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
import io.anneal.node.ReplicaSchema;
import io.anneal.node.Replicas;
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
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Pages of a node's replicas, for who asks over a connection ({@link RemotePages}). Keeps tables open, and the queriers of their scans,
 * for as long as pages are asked for. Safe for any thread.
 */
public final class PagingService implements Closeable {
    private static final int SWEEPS = 4;

    private final Queriers queriers;
    private final ServedTables tables;
    private final ByteBudget budget;
    private final HostEnvironment environment;
    private final long idleNanos;
    private final Set<SentPages> sending = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService sweeper;

    /**
     * @param replicas what the node has
     * @param budget that pages take part of which nobody has asked for yet
     * @param limits of all scans of the node together
     * @param metrics of these; closed by who made them
     */
    public PagingService(
            Replicas replicas,
            ByteBudget budget,
            HostEnvironment environment,
            QuerierLimits limits,
            PagingMetrics metrics) {
        Objects.requireNonNull(replicas, "replicas");
        Objects.requireNonNull(budget, "budget");
        Objects.requireNonNull(environment, "environment");
        Objects.requireNonNull(limits, "limits");
        Objects.requireNonNull(metrics, "metrics");
        this.budget = budget;
        this.environment = environment;
        queriers = Queriers.open(limits, environment, metrics);
        tables = new ServedTables(replicas, queriers, environment.nanoTime(), limits.idle());
        idleNanos = limits.idle().toNanos();
        sweeper = environment.threads().single("paged-tables");
        long everyNanos = Math.max(1, idleNanos / SWEEPS);
        sweeper.scheduleWithFixedDelay(this::sweep, everyNanos, everyNanos, TimeUnit.NANOSECONDS);
    }

    /** Closes tables that nobody has asked for in a while, and ends streams of which nobody takes anything. */
    private void sweep() {
        sending.forEach(pages -> pages.resetIfIdle(idleNanos));
        tables.sweep();
    }

    /** For the replicas of a node. */
    public static PagingService of(Node node, HostEnvironment environment, PagingMetrics metrics) {
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(environment, "environment");
        Objects.requireNonNull(metrics, "metrics");
        return new PagingService(node.replicas(), node.budget(), environment, QuerierLimits.DEFAULT, metrics);
    }

    /** Registers its verbs; pages are read on the executor of the handlers. */
    public PagingService register(VerbHandlers handlers) {
        Objects.requireNonNull(handlers, "handlers");
        handlers.registerStream(PagingWire.PAGES, stream -> opened(stream, handlers));
        handlers.register(PagingWire.TABLE, (peer, question) -> answer(PagingWire.TABLE, question, this::schema));
        handlers.register(PagingWire.FORGET, (peer, question) -> answer(PagingWire.FORGET, question, this::forget));
        return this;
    }

    /** Closes the tables that are open; the replicas are the node's. */
    @Override
    public void close() {
        sweeper.shutdown();
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

    private void opened(PeerStream stream, VerbHandlers handlers) {
        MessageStream messages = stream.messages();
        messages.read().whenComplete((message, failure) -> {
            // A failure has ended the stream.
            if (failure == null) {
                answer(messages, message, handlers);
            }
        });
    }

    private void answer(MessageStream messages, Optional<Message> message, VerbHandlers handlers) {
        try (Message question = message.orElseThrow(
                () -> new RequestException(PeerException.MALFORMED, "the stream ended before a page was asked for"))) {
            ByteReader in = new ByteReader().wrap(question.content());
            TableName name = table(in);
            String schemaText = Texts.readVerbatim(in);
            PageRequest request;
            try (ServedTables.Served table = tables.take(name, false)) {
                table.requireSchema(schemaText);
                ReplicaSchema.requireSameOrder(
                        messages.stream().connection(), table.replica().schema());
                request = PageQuestion.decode(in, table.replica().schema());
            }
            Reading reading = new Reading(messages.stream(), name, schemaText, request);
            SentPages pages = new SentPages(messages, reading, request, handlers::offer, budget, environment);
            sending.add(pages);
            pages.closed().whenComplete((done, failure) -> {
                sending.remove(pages);
                if (failure != null) {
                    reading.forget();
                }
            });
            pages.step();
        } catch (IOException | RuntimeException | Error failed) {
            refuse(messages.stream(), failed);
        }
    }

    private static void refuse(PeerStream stream, Throwable failed) {
        RequestException refused =
                failed instanceof ByteUnderflowException || failed instanceof IllegalArgumentException
                        ? malformed((RuntimeException) failed)
                        : refusal(PagingWire.PAGES, failed);
        stream.reset(refused.code(), refused.getMessage());
    }

    /** What one question asks for. */
    private final class Reading implements SentPages.Source {
        private final PeerStream stream;
        private final TableName name;
        private final String schemaText;
        private final PageRequest first;

        Reading(PeerStream stream, TableName name, String schemaText, PageRequest first) {
            this.stream = stream;
            this.name = name;
            this.schemaText = schemaText;
            this.first = first;
        }

        @Override
        public Page read(PageRequest request) throws IOException {
            try (ServedTables.Served table = tables.take(name, false)) {
                TableSchema schema = table.replica().schema();
                table.requireSchema(schemaText);
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

        @Override
        public void refuse(Throwable failed) {
            PagingService.refuse(stream, failed);
        }

        @Override
        public void forget() {
            if (first.stateful()) {
                tables.forget(name, first.queryId());
            }
        }
    }
}
