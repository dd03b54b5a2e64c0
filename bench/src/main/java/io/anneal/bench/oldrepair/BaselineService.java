package io.anneal.bench.oldrepair;

import io.anneal.fragment.FragmentCursor;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.TokenRange;
import io.anneal.net.Message;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerStream;
import io.anneal.net.Verb;
import io.anneal.net.Waiting;
import io.anneal.node.Node;
import io.anneal.node.Replica;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/** What a node answers to a {@link Baseline}: each stream is one step at its replica. Any thread. */
final class BaselineService {
    /** Each RANGES is answered with a CHECKSUM. */
    static final Verb CHECKSUMS = new Verb(101, "bench.old-checksums");
    /** Each RANGES is answered with ROWS and an END. */
    static final Verb READS = new Verb(102, "bench.old-reads");
    /** ROWS come, and an END; that is answered with an END when all was taken in. */
    static final Verb TAKES = new Verb(103, "bench.old-takes");
    /** The answer is the {@link MerkleTree}. */
    static final Verb TREE = new Verb(104, "bench.old-tree");
    /** Takes ranges from another replica; the answer is the number of rows. */
    static final Verb PULL = new Verb(105, "bench.old-pull");

    static final int OPEN = 0;
    static final int RANGES = 1;
    static final int CHECKSUM = 2;
    static final int ROWS = 3;
    static final int END = 4;

    private BaselineService() {}

    static void register(Node node) {
        node.handlers()
                .registerStream(CHECKSUMS, stream -> serve(node, stream, BaselineService::checksums))
                .registerStream(READS, stream -> serve(node, stream, BaselineService::reads))
                .registerStream(TAKES, stream -> serve(node, stream, BaselineService::takes))
                .register(TREE, (peer, request) -> later(node, () -> tree(node, request)))
                .register(PULL, (peer, request) -> later(node, () -> pull(node, request)));
    }

    /** A step, from its OPEN to its end. */
    private interface Step {
        void serve(Node node, MessageStream messages) throws IOException;
    }

    private static void serve(Node node, PeerStream stream, Step step) {
        node.waiting().execute(() -> {
            try {
                step.serve(node, stream.messages());
                stream.end();
            } catch (IOException | RuntimeException | Error failed) {
                stream.reset("bench-failed", failed.toString());
            }
        });
    }

    /** What takes long and waits for others. */
    interface Work<T> {
        T run() throws IOException;
    }

    /** Does it on a thread of its own. */
    static <T> CompletableFuture<T> later(Node node, Work<T> work) {
        CompletableFuture<T> done = new CompletableFuture<>();
        try {
            node.waiting().execute(() -> {
                try {
                    done.complete(work.run());
                } catch (IOException | RuntimeException | Error failed) {
                    done.completeExceptionally(failed);
                }
            });
        } catch (RejectedExecutionException busy) {
            done.completeExceptionally(busy);
        }
        return done;
    }

    /** The next message, which is of this kind; nothing when it is of the other, or the peer has ended its side. */
    static Optional<byte[]> read(MessageStream messages, int kind, int last) throws IOException {
        Optional<Message> next = Waiting.result(messages.read());
        if (next.isEmpty()) {
            if (last == END) {
                throw new IOException("peer has ended in the middle of rows");
            }
            return Optional.empty();
        }
        try (Message message = next.get()) {
            if (message.kind() == kind) {
                return Optional.of(message.bytes());
            }
            if (message.kind() != last) {
                throw new IOException("message has no place here, kind=" + message.kind() + ", wanted=" + kind);
            }
            return Optional.empty();
        }
    }

    /** Waits for the end of the peer's side, after which nothing may come. */
    static void requireEnd(MessageStream messages) throws IOException {
        try (Message more = Waiting.result(messages.read()).orElse(null)) {
            if (more != null) {
                throw new IOException("peer goes on after the end, kind=" + more.kind());
            }
        }
    }

    private static ByteReader opening(MessageStream messages) throws IOException {
        return new ByteReader(read(messages, OPEN, OPEN).orElseThrow(() -> new IOException("step was not opened")));
    }

    private static void checksums(Node node, MessageStream messages) throws IOException {
        ByteReader opening = opening(messages);
        ChecksumKind kind = ChecksumKind.values()[opening.readUnsignedByte()];
        ReplicaTask task = ReplicaTask.decode(opening);
        try (Replica replica = task.open(node);
                OrderedReads reads = new OrderedReads(replica, task.localDeletionTimeMaxSeconds())) {
            ChecksumKind.RangeChecksums checksums = new ChecksumKind.RangeChecksums(replica.schema(), kind);
            Optional<byte[]> question = read(messages, RANGES, RANGES);
            while (question.isPresent()) {
                for (TokenRange.Linear range : TokenCuts.read(new ByteReader(question.get()))) {
                    messages.write(CHECKSUM, ByteBuffer.wrap(checksums.of(reads.read(range))));
                }
                question = read(messages, RANGES, RANGES);
            }
        }
    }

    private static void reads(Node node, MessageStream messages) throws IOException {
        ReplicaTask task = ReplicaTask.decode(opening(messages));
        try (Replica replica = task.open(node);
                OrderedReads reads = new OrderedReads(replica, task.localDeletionTimeMaxSeconds())) {
            RowSender sender = new RowSender(replica.schema(), List.of(messages));
            Optional<byte[]> question = read(messages, RANGES, RANGES);
            while (question.isPresent()) {
                for (TokenRange.Linear range : TokenCuts.read(new ByteReader(question.get()))) {
                    FragmentCursor cursor = reads.read(range);
                    while (cursor.advance() != null) {
                        sender.add(cursor);
                    }
                }
                sender.end();
                question = read(messages, RANGES, RANGES);
            }
        }
    }

    private static void takes(Node node, MessageStream messages) throws IOException {
        ReplicaTask task = ReplicaTask.decode(opening(messages));
        try (Replica replica = task.open(node);
                RowIntake intake = new RowIntake(replica)) {
            intake.addAll(new ReceivedFragments(replica.schema(), () -> read(messages, ROWS, END)));
            intake.complete();
            Waiting.result(messages.write(END, ByteBuffer.allocate(0)));
            // A stream is over only when its end was read.
            requireEnd(messages);
        }
    }

    private static ByteBuffer tree(Node node, ByteBuffer request) throws IOException {
        ByteReader in = new ByteReader().wrap(request);
        ReplicaTask task = ReplicaTask.decode(in);
        try (Replica replica = task.open(node)) {
            return ByteBuffer.wrap(MerkleTree.build(replica, task.localDeletionTimeMaxSeconds(), TokenCuts.read(in))
                    .encode());
        }
    }

    private static ByteBuffer pull(Node node, ByteBuffer request) throws IOException {
        ByteReader in = new ByteReader().wrap(request);
        ReplicaTask task = ReplicaTask.decode(in);
        InetSocketAddress source = new InetSocketAddress(Texts.read(in), in.readInt());
        long rows = pull(node, task, source, TokenCuts.read(in));
        return ByteBuffer.allocate(Long.BYTES).putLong(0, rows);
    }

    /** Takes ranges from another replica, whole, as they are there; returns the number of rows. */
    static long pull(Node node, ReplicaTask task, InetSocketAddress source, List<TokenRange.Linear> ranges)
            throws IOException {
        try (Replica replica = task.open(node);
                RowIntake intake = new RowIntake(replica);
                BaselineStream stream = new BaselineStream(node.peers().open(source), READS, task::encode)) {
            stream.write(RANGES, out -> TokenCuts.write(out, ranges));
            ReceivedFragments rows = new ReceivedFragments(replica.schema(), stream::readRows);
            intake.addAll(rows);
            stream.end();
            intake.complete();
            return rows.rows();
        }
    }

    /** As a request or the opening of a step. */
    static ByteBuffer bytes(ByteWriter out) {
        return ByteBuffer.wrap(out.array(), 0, out.lengthBytes());
    }
}
