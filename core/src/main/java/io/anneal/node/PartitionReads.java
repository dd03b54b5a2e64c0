package io.anneal.node;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.net.Connection;
import io.anneal.net.Message;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerException;
import io.anneal.net.PeerStream;
import io.anneal.net.RequestException;
import io.anneal.net.Verb;
import io.anneal.net.VerbHandlers;
import io.anneal.net.Waiting;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Single partitions of a replica, for who asks over a connection: everything that the replica has of a key as items of the
 * row encoding, deletions with the rows that they cover, nothing purged. Safe for any thread.
 */
public final class PartitionReads {
    /** One partition of a table, or rows of it; the number is on the wire. */
    static final Verb READ = new Verb(48, "replica.read");

    /** Code when the replica cannot be read, or its table is another one. */
    public static final String REFUSED = "refused";

    private static final Logger LOG = LoggerFactory.getLogger(PartitionReads.class);
    private static final int VERSION = 2;
    /** Prefix components at most; no table has so many clustering columns. */
    private static final int CLUSTERING_COLUMNS_MAX = 2048;

    private static final int KIND = 1;
    private static final int MESSAGE_BYTES = 64 << 10;

    /** Takes items, one after the other. */
    public interface ItemConsumer {
        void accept(byte[] items) throws IOException;
    }

    private final Replicas replicas;

    public PartitionReads(Replicas replicas) {
        this.replicas = replicas;
    }

    /** Registers the verb; its reads run on the executor of the handlers. */
    public void register(VerbHandlers handlers) {
        handlers.registerStream(READ, this::opened);
    }

    /**
     * Reads a partition of a replica on another node, or some of its rows, with the deletions that cover them.
     *
     * @param name of the replica, as {@link Replicas#get} takes it
     * @param schema of the table, which must be the replica's
     * @param place its start for all of it; else what is read beside its deletion and its static row: the rows that begin with a
     *     place's prefix, or none
     * @param items is handed what the replica has there
     */
    public static void read(
            Connection connection, String name, TableSchema schema, RingPosition place, ItemConsumer items)
            throws IOException {
        MessageStream messages = connection.open(READ).messages();
        ByteWriter out = new ByteWriter(256);
        out.writeByte(VERSION);
        write(out, name.getBytes(StandardCharsets.UTF_8));
        write(out, schema.keyspace().getBytes(StandardCharsets.UTF_8));
        write(out, schema.name().getBytes(StandardCharsets.UTF_8));
        write(out, SchemaText.print(schema).getBytes(StandardCharsets.UTF_8));
        place.encode(out);
        boolean done = false;
        try {
            messages.write(KIND, ByteBuffer.wrap(out.array(), 0, out.lengthBytes()));
            messages.stream().end();
            Optional<Message> next = Waiting.result(messages.read());
            while (next.isPresent()) {
                try (Message message = next.get()) {
                    items.accept(message.bytes());
                }
                next = Waiting.result(messages.read());
            }
            done = true;
        } finally {
            if (!done) {
                messages.stream().reset(PeerException.CLOSED, "whoever reads the partition has ended");
            }
        }
    }

    private static void write(ByteWriter out, byte[] bytes) {
        out.writeUnsignedVInt(bytes.length);
        out.writeBytes(bytes);
    }

    private static byte[] readBytes(ByteReader in) {
        return in.readBytes(in.readUnsignedVInt32());
    }

    private static String readText(ByteReader in) {
        return new String(readBytes(in), StandardCharsets.UTF_8);
    }

    private void opened(PeerStream stream) {
        MessageStream messages = stream.messages();
        messages.read().whenComplete((message, failure) -> {
            if (failure != null) {
                return; // It has ended the stream.
            }
            try (Message request = message.orElseThrow(() -> new RequestException(
                    PeerException.MALFORMED, "the stream ended before a partition was asked for"))) {
                reading(request, messages).goOn();
            } catch (ByteUnderflowException | IllegalArgumentException malformed) {
                stream.reset(PeerException.MALFORMED, "request is malformed, cause=" + malformed.getMessage());
            } catch (IOException | RuntimeException | Error failed) {
                refuse(stream, failed);
            }
        });
    }

    private static void refuse(PeerStream stream, Throwable failed) {
        if (failed instanceof RequestException refused) {
            stream.reset(refused.code(), refused.getMessage());
            return;
        }
        if (failed instanceof IOException) {
            LOG.warn("partition cannot be read, cause={}", failed.toString());
            LOG.debug("partition cannot be read", failed);
        } else {
            LOG.error("partition cannot be read", failed);
        }
        boolean speaks = failed.getMessage() != null && failed instanceof IOException;
        stream.reset(REFUSED, speaks ? failed.getMessage() : failed.toString());
    }

    /** What a reader of one row, of a static row or of a whole partition reads. */
    public static Slices slices(PositionInPartition place) {
        return switch (place.region()) {
            case START -> Slices.ALL;
            case CLUSTERED -> Slices.of(Slice.of(place.prefix()));
            case STATIC, END -> Slices.NONE;
        };
    }

    private Reading reading(Message request, MessageStream messages) throws IOException {
        ByteReader in = new ByteReader().wrap(request.content());
        int version = in.readUnsignedByte();
        if (version != VERSION) {
            throw new RequestException(
                    PeerException.MALFORMED, "version of reads is not spoken here, version=" + version);
        }
        String name = readText(in);
        String keyspace = readText(in);
        String table = readText(in);
        String schemaText = readText(in);
        RingPosition place = RingPosition.decode(in, CLUSTERING_COLUMNS_MAX);
        Replica replica = replicas.get(name).open(keyspace, table, Optional.empty());
        boolean opened = false;
        try {
            ReplicaSchema.require(replica, schemaText, "reader");
            Reading reading = new Reading(
                    messages,
                    replica,
                    replica.read(
                            place.key()
                                    .orElseThrow(() -> new RequestException(
                                            PeerException.MALFORMED, "a place without a key was asked for")),
                            slices(place.position())),
                    new PartitionEncoder(replica.schema()));
            opened = true;
            return reading;
        } finally {
            if (!opened) {
                replica.close();
            }
        }
    }

    /** A partition on its way; holds no thread while the peer takes it. */
    private record Reading(MessageStream messages, Replica replica, FragmentCursor cursor, PartitionEncoder items) {
        void goOn() {
            boolean more = false;
            try {
                more = fill();
                CompletableFuture<Void> written = messages.write(KIND, items.take());
                if (more) {
                    written.whenComplete((done, failure) -> {
                        if (failure == null) {
                            goOn();
                        } else {
                            close();
                        }
                    });
                } else {
                    messages.stream().end();
                }
            } catch (IOException | RuntimeException | Error failed) {
                more = false;
                refuse(messages.stream(), failed);
            } finally {
                if (!more) {
                    close();
                }
            }
        }

        /** Whether there is more than what fits a message. */
        private boolean fill() throws IOException {
            while (items.lengthBytes() < MESSAGE_BYTES) {
                if (cursor.advance() == null) {
                    return false;
                }
                items.add(cursor);
            }
            return true;
        }

        private void close() {
            try (Replica read = replica;
                    FragmentCursor open = cursor) {
                LOG.debug("partition was read, replica={}, cursor={}", read.name(), open.kind());
            } catch (IOException | RuntimeException | Error failed) {
                LOG.warn("replica did not close cleanly", failed);
            }
        }
    }

    /** Fragments as items; a range deletion is one when it has come to its end. */
    private static final class PartitionEncoder {
        private final CanonicalEncoder encoder;
        private final RangeDeletion open = new RangeDeletion();
        private ByteWriter out = new ByteWriter(1024);
        private int startWeight;
        private boolean isOpen;

        PartitionEncoder(TableSchema schema) {
            encoder = new CanonicalEncoder(schema, CanonicalEncoder.UNCLAMPED);
        }

        int lengthBytes() {
            return out.lengthBytes();
        }

        /** The items so far. */
        ByteBuffer take() {
            ByteBuffer items = ByteBuffer.wrap(out.array(), 0, out.lengthBytes());
            out = new ByteWriter(1024);
            return items;
        }

        void add(FragmentCursor cursor) {
            switch (cursor.kind()) {
                case PARTITION_START -> encoder.partitionDeletion(cursor, out);
                case STATIC_ROW, CLUSTERING_ROW -> encoder.row(cursor.key(), cursor.row(), out);
                case RANGE_TOMBSTONE_CHANGE -> change(cursor, cursor.rangeTombstoneChange());
                case PARTITION_END -> {}
            }
        }

        private void change(FragmentCursor cursor, RangeTombstoneChange change) {
            if (isOpen) {
                open.end().wrap(change.prefix());
                open.weights(startWeight, change.weight());
                encoder.rangeDeletion(cursor.key(), open, out);
            }
            isOpen = !DeletionTime.isLive(change.timestampMicros(), change.localDeletionTimeSeconds());
            if (isOpen) {
                open.start().wrap(change.prefix().copy());
                startWeight = change.weight();
                open.deletion(change.timestampMicros(), change.localDeletionTimeSeconds());
            }
        }
    }
}
