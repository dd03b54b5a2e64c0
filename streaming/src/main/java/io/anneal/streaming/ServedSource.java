package io.anneal.streaming;

import com.google.common.util.concurrent.MoreExecutors;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.net.Message;
import io.anneal.net.PeerStream;
import io.anneal.net.RequestException;
import io.anneal.node.Answers;
import io.anneal.node.ReplicaException;
import io.anneal.node.ReplicaSchema;
import io.anneal.node.Replicas;
import io.anneal.streaming.message.Inventory;
import io.anneal.streaming.message.OpenSource;
import io.anneal.streaming.message.SourceStep;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** One target's session at a source: opened by its first question, and held until the stream ends, whoever ends it. */
final class ServedSource implements Answers.Answerer {
    private final PeerStream stream;
    private final Replicas replicas;
    private final Executor executor;
    private final HostEnvironment environment;
    private final Map<UUID, HeldSource> sources;
    private final long sectionsMinBytes;

    private Optional<HeldSource> held = Optional.empty();
    private boolean ended;

    ServedSource(
            PeerStream stream,
            Replicas replicas,
            Executor executor,
            HostEnvironment environment,
            Map<UUID, HeldSource> sources,
            long sectionsMinBytes) {
        this.stream = stream;
        this.replicas = replicas;
        this.executor = MoreExecutors.newSequentialExecutor(executor);
        this.environment = environment;
        this.sources = sources;
        this.sectionsMinBytes = sectionsMinBytes;
    }

    void start() {
        stream.closed().whenComplete((done, failure) -> end());
        new Answers(stream, this).start();
    }

    @Override
    public String refusalCode(Throwable cause) {
        return StreamCode.of(cause);
    }

    @Override
    public CompletableFuture<byte[]> answer(int kind, Message question, ByteReader in) throws IOException {
        return switch (SourceStep.of(kind)) {
            case OPEN -> {
                StreamService.requireVersion(in.readUnsignedByte());
                OpenSource wanted = OpenSource.decode(in);
                yield later(() -> open(wanted));
            }
            case DESCRIBE -> {
                int sstable = in.readInt();
                HeldSource source = source();
                yield later(() -> {
                    ByteWriter out = new ByteWriter(256);
                    if (source.isPart(sstable)) {
                        source.sections(sstable).encode(out);
                    } else {
                        source.contents(sstable).encode(out);
                    }
                    return out.toByteArray();
                });
            }
        };
    }

    private CompletableFuture<byte[]> later(Callable<byte[]> work) {
        CompletableFuture<byte[]> result = new CompletableFuture<>();
        executor.execute(() -> {
            try {
                result.complete(work.call());
            } catch (Exception | Error failed) {
                result.completeExceptionally(failed);
            }
        });
        return result;
    }

    private synchronized HeldSource source() throws RequestException {
        return held.orElseThrow(() -> new RequestException(StreamCode.NO_SESSION, "source is not open"));
    }

    private byte[] open(OpenSource wanted) throws IOException {
        HeldSource source =
                HeldSource.open(replicas.get(wanted.replica()), wanted, environment.newId(), sectionsMinBytes);
        try {
            ReplicaSchema.requireSameOrder(stream.connection(), source.schema());
        } catch (ReplicaException refused) {
            source.release();
            throw refused;
        }
        if (!keep(source)) {
            source.release();
            throw new RequestException(StreamCode.ABORTED, "session of streaming has ended or is open already");
        }
        Inventory inventory = source.inventory();
        ByteWriter out = new ByteWriter(1024);
        inventory.encode(out);
        return out.toByteArray();
    }

    private synchronized boolean keep(HeldSource source) {
        if (ended || held.isPresent()) {
            return false;
        }
        held = Optional.of(source);
        sources.put(source.id(), source);
        return true;
    }

    /** On the executor, since it closes files; here, when that takes no more work. */
    private void release(HeldSource source) {
        try {
            executor.execute(source::release);
        } catch (RejectedExecutionException shutDown) {
            source.release();
        }
    }

    private synchronized void end() {
        ended = true;
        held.ifPresent(source -> {
            sources.remove(source.id());
            release(source);
        });
        held = Optional.empty();
    }
}
