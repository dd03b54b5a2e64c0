package io.anneal.node;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.DecoratedKey;
import io.anneal.key.RingPosition;
import io.anneal.net.Connection;
import io.anneal.net.Message;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerException;
import io.anneal.net.Waiting;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What a replica on another node has at some places, in their order: one question, of which the answer comes as it is taken. Holds what
 * stands at one place, and what the stream lets the node send ahead. One thread.
 */
public final class FetchedPartitions implements Closeable {
    private final Connection connection;
    private final String name;
    private final TableSchema schema;
    /** Those that were not taken yet. */
    private final Deque<RingPosition> places;

    private MessageStream messages;
    /** What comes after the message. */
    private CompletableFuture<Optional<Message>> next;

    private Optional<Message> message = Optional.empty();
    private final ByteReader parts = new ByteReader(new byte[0]);

    private FetchedPartitions(Connection connection, String name, TableSchema schema, List<RingPosition> places) {
        this.connection = connection;
        this.name = name;
        this.schema = schema;
        this.places = new ArrayDeque<>(places);
        ask();
    }

    /**
     * Asks; waits for nothing.
     *
     * @param name of the replica, as {@link Replicas#get} takes it
     * @param schema of the table, which must be the replica's
     * @param places each the start of a partition for all of it; else what is read beside its deletion and its static row: the rows
     *     that begin with a place's prefix, or none
     */
    public static FetchedPartitions ask(
            Connection connection, String name, TableSchema schema, List<RingPosition> places) throws ReplicaException {
        ReplicaSchema.requireSameOrder(connection, schema);
        return new FetchedPartitions(connection, name, schema, places);
    }

    private void ask() {
        ByteWriter out = new ByteWriter(256);
        out.writeByte(PartitionReads.VERSION);
        Texts.write(out, name);
        Texts.write(out, schema.keyspace());
        Texts.write(out, schema.name());
        Texts.write(out, SchemaText.print(schema));
        places.forEach(place -> place.encode(out));
        messages = connection.open(PartitionReads.READ).messages();
        messages.write(PartitionReads.KIND, ByteBuffer.wrap(out.array(), 0, out.lengthBytes()));
        messages.stream().end();
        parts.wrap(new byte[0], 0, 0);
        next = messages.read();
    }

    /**
     * Waits for what the replica has at the next place; empty where it has nothing of the partition. Asks for the rest anew where so
     * much time has passed since the last one that the stream was given up.
     *
     * @throws java.util.NoSuchElementException after the last place
     */
    public Optional<FetchedPartition> next() throws IOException {
        DecoratedKey key = places.element().key().orElseThrow();
        Optional<FetchedPartition> found;
        try {
            found = take(key);
        } catch (PeerException lost) {
            if (!lost.code().equals(PeerException.STREAM_IDLE)) {
                throw lost;
            }
            letGo();
            ask();
            found = take(key);
        }
        places.remove();
        return found;
    }

    private Optional<FetchedPartition> take(DecoratedKey key) throws IOException {
        FetchedPartition partition = new FetchedPartition(schema, key);
        try {
            boolean isLast = false;
            while (!isLast) {
                takeMessage();
                long head = parts.readUnsignedVInt();
                partition.add(parts.readBytes(Math.toIntExact(head >>> 1)));
                isLast = (head & 1) == 1;
            }
        } catch (ByteUnderflowException | ArithmeticException malformed) {
            throw malformed("answer is malformed, cause=" + malformed.getMessage());
        }
        return partition.conclude() ? Optional.of(partition) : Optional.empty();
    }

    /** Until there is something in it. */
    private void takeMessage() throws IOException {
        while (!parts.hasRemaining()) {
            Optional<Message> taken = Waiting.result(next);
            letGo();
            message = taken;
            parts.wrap(taken.orElseThrow(() -> malformed("the peer ended the stream before all was answered"))
                    .content());
            next = messages.read();
        }
    }

    private void letGo() {
        message.ifPresent(Message::close);
        message = Optional.empty();
    }

    private PeerException malformed(String reason) {
        return new PeerException(
                connection.address().toString(), PartitionReads.READ.name(), PeerException.MALFORMED, reason);
    }

    /** Takes no more: the node stops reading. */
    @Override
    public void close() {
        if (parts.hasRemaining() || !places.isEmpty()) {
            messages.stream().reset(PeerException.CLOSED, "the reader of the partitions has ended");
        }
        letGo();
        next.thenAccept(ahead -> ahead.ifPresent(Message::close));
    }
}
