package io.anneal.node;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.net.Message;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerException;
import io.anneal.net.PeerStream;
import io.anneal.net.RequestException;
import io.anneal.net.Verb;
import io.anneal.net.VerbHandlers;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Partitions and rows of a replica, for who asks over a connection ({@link FetchedPartitions}): everything that the replica has at a
 * place as items of the row encoding, deletions with the rows that they cover, nothing purged. One question has many places, for
 * which the table is opened once. Safe for any thread.
 */
public final class PartitionReads {
    /** Partitions of a table, or rows of them; the number is on the wire. */
    static final Verb READ = new Verb(48, "replica.read");

    /** Code when the replica cannot be read, or its table is another one. */
    public static final String REFUSED = "refused";

    private static final Logger LOG = LoggerFactory.getLogger(PartitionReads.class);
    static final int VERSION = 3;
    /** Prefix components at most; no table has so many clustering columns. */
    private static final int CLUSTERING_COLUMNS_MAX = 2048;

    /** Of questions and answers. */
    static final int KIND = 1;

    private static final int MESSAGE_BYTES = 64 << 10;

    private final Replicas replicas;

    public PartitionReads(Replicas replicas) {
        this.replicas = replicas;
    }

    /** Registers the verb; its reads run on the executor of the handlers. */
    public void register(VerbHandlers handlers) {
        handlers.registerStream(READ, this::opened);
    }

    private void opened(PeerStream stream) {
        MessageStream messages = stream.messages();
        messages.read().whenComplete((message, failure) -> {
            // A failure has ended the stream.
            if (failure == null) {
                opened(messages, message);
            }
        });
    }

    private void opened(MessageStream messages, Optional<Message> message) {
        try {
            Message question = message.orElseThrow(() ->
                    new RequestException(PeerException.MALFORMED, "the stream ended before a partition was asked for"));
            reading(question, messages).goOn();
        } catch (ByteUnderflowException | IllegalArgumentException malformed) {
            refuse(messages.stream(), malformed(malformed));
        } catch (IOException | RuntimeException | Error failed) {
            refuse(messages.stream(), failed);
        }
    }

    private static RequestException malformed(RuntimeException cause) {
        return new RequestException(PeerException.MALFORMED, "question is malformed, cause=" + cause.getMessage());
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

    /** @param question is closed with what is returned, or here */
    private Reading reading(Message question, MessageStream messages) throws IOException {
        Optional<Replica> replica = Optional.empty();
        boolean opened = false;
        try {
            ByteReader in = new ByteReader().wrap(question.content());
            int version = in.readUnsignedByte();
            if (version != VERSION) {
                throw new RequestException(
                        PeerException.MALFORMED, "version of reads is not spoken here, version=" + version);
            }
            ReplicaSource source = replicas.get(Texts.readVerbatim(in));
            replica = Optional.of(source.open(Texts.readVerbatim(in), Texts.readVerbatim(in), Optional.empty()));
            ReplicaSchema.require(replica.get(), Texts.readVerbatim(in), "reader");
            ReplicaSchema.requireSameOrder(
                    messages.stream().connection(), replica.get().schema());
            opened = true;
            return new Reading(question, in, messages, replica.get());
        } finally {
            if (!opened) {
                question.close();
                if (replica.isPresent()) {
                    replica.get().close();
                }
            }
        }
    }

    /** Places on their way, one after the other; holds no thread while the peer takes what stands there. */
    private static final class Reading {
        private final Message question;
        /** Those that are not read yet, as the question has them. */
        private final ByteReader places;

        private final MessageStream messages;
        private final Replica replica;
        private final PartitionEncoder items;
        private Optional<FragmentCursor> cursor = Optional.empty();
        private ByteWriter answer = new ByteWriter(1024);

        Reading(Message question, ByteReader places, MessageStream messages, Replica replica) {
            this.question = question;
            this.places = places;
            this.messages = messages;
            this.replica = replica;
            items = new PartitionEncoder(replica.schema());
        }

        void goOn() {
            boolean goesOn = false;
            try {
                CompletableFuture<Void> written;
                do {
                    fill();
                    written = messages.write(KIND, takeAnswer());
                } while (hasMore() && written.isDone() && !written.isCompletedExceptionally());
                goesOn = hasMore();
                if (goesOn) {
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
                goesOn = false;
                refuse(messages.stream(), failed);
            } finally {
                if (!goesOn) {
                    close();
                }
            }
        }

        private boolean hasMore() {
            return cursor.isPresent() || places.hasRemaining();
        }

        private ByteBuffer takeAnswer() {
            ByteBuffer taken = ByteBuffer.wrap(answer.array(), 0, answer.lengthBytes());
            answer = new ByteWriter(answer.lengthBytes());
            return taken;
        }

        private void fill() throws IOException {
            while (hasMore() && answer.lengthBytes() < MESSAGE_BYTES) {
                if (cursor.isEmpty()) {
                    RingPosition place = nextPlace();
                    cursor = Optional.of(replica.read(place.key().orElseThrow(), slices(place.position())));
                }
                addPart(cursor.get());
            }
        }

        private RingPosition nextPlace() throws RequestException {
            try {
                RingPosition place = RingPosition.decode(places, CLUSTERING_COLUMNS_MAX);
                if (place.isEnd()) {
                    throw new IllegalArgumentException("a place without a key");
                }
                return place;
            } catch (ByteUnderflowException | IllegalArgumentException malformed) {
                throw malformed(malformed);
            }
        }

        /** All that stands at the place, or as much as fits. */
        private void addPart(FragmentCursor from) throws IOException {
            boolean isLast = false;
            while (!isLast && answer.lengthBytes() + items.lengthBytes() < MESSAGE_BYTES) {
                isLast = from.advance() == null;
                if (!isLast) {
                    items.add(from);
                }
            }
            items.moveTo(answer, isLast);
            if (isLast) {
                cursor = Optional.empty();
                from.close();
            }
        }

        private void close() {
            question.close();
            try (Replica read = replica) {
                LOG.debug("partitions were read, replica={}", read.name());
                if (cursor.isPresent()) {
                    cursor.get().close();
                }
            } catch (IOException | RuntimeException | Error failed) {
                LOG.warn("replica did not close cleanly", failed);
            }
        }
    }

    /** Fragments as items; a range deletion is one when it has come to its end. */
    private static final class PartitionEncoder {
        private final CanonicalEncoder encoder;
        private final RangeDeletion open = new RangeDeletion();
        private final ByteWriter out = new ByteWriter(1024);
        private int startWeight;
        private boolean isOpen;

        PartitionEncoder(TableSchema schema) {
            encoder = new CanonicalEncoder(schema, CanonicalEncoder.UNCLAMPED);
        }

        int lengthBytes() {
            return out.lengthBytes();
        }

        /** Appends the items so far as one part of an answer. */
        void moveTo(ByteWriter answer, boolean isLast) {
            answer.writeUnsignedVInt(2L * out.lengthBytes() + (isLast ? 1 : 0));
            answer.writeBytes(out.array(), 0, out.lengthBytes());
            out.clear();
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
