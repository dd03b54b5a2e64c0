package io.anneal.streaming;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.key.DecoratedKey;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerStream;
import io.anneal.net.RequestException;
import io.anneal.net.Waiting;
import io.anneal.streaming.message.RowsPart;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Rows of a held source on their way to the target; holds no thread while the target takes them. */
final class ServedRows {
    static final int KIND = 1;

    private static final Logger LOG = LoggerFactory.getLogger(ServedRows.class);
    private static final int MESSAGE_BYTES = 256 << 10;
    private static final int KEPT_BYTES = 2 * MESSAGE_BYTES;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final MessageStream messages;
    private final HeldSource source;
    private final FragmentEncoder[] encoders = new FragmentEncoder[2];
    private final Iterator<HeldSource.RowScan> scans;

    private Optional<FragmentCursor> cursor = Optional.empty();

    /** Whose memory the next message takes: the other one's may still be written. */
    private int turn;

    private ByteBuffer encoded = NOTHING;
    private boolean ended;
    /** Whether what is written holds so much memory that no more is taken meanwhile. */
    private boolean isLarge;

    private CompletableFuture<Void> written = CompletableFuture.completedFuture(null);

    /** The partition that the target is in, until it is found. */
    private Optional<DecoratedKey> sought;

    /** Of that partition, which the target has. */
    private long skipBytes;

    /**
     * Takes over what the caller retained.
     *
     * @param place behind which the target wants rows
     */
    ServedRows(PeerStream stream, HeldSource source, Optional<RowsPart.Place> place) {
        this.source = source;
        messages = stream.messages();
        for (int i = 0; i < encoders.length; i++) {
            encoders[i] = new FragmentEncoder(source.schema(), KEPT_BYTES);
        }
        sought = place.map(RowsPart.Place::partition);
        skipBytes = place.map(RowsPart.Place::bytes).orElse(0L);
        scans = source.rows(sought.map(DecoratedKey::token).orElse(Long.MIN_VALUE))
                .iterator();
    }

    /** Sends as long as there is room, then goes on when there is room again. */
    void goOn() {
        boolean waits = false;
        try {
            while (true) {
                if (!encoded.hasRemaining() && (!isLarge || written.isDone())) {
                    encode();
                    if (!encoded.hasRemaining()) {
                        break;
                    }
                }
                if (!written.isDone()) {
                    waits = true;
                    written.whenComplete((done, failure) -> {
                        if (failure == null) {
                            goOn();
                        } else {
                            close();
                        }
                    });
                    return;
                }
                send();
            }
            if (sought.isPresent() || skipBytes > 0) {
                throw new RequestException(StreamCode.REFUSED, "place is behind what is held, session=" + source.id());
            }
            messages.stream().end();
        } catch (IOException | RuntimeException | Error failed) {
            StreamService.refuse(messages.stream(), failed);
        } finally {
            if (!waits) {
                close();
            }
        }
    }

    /** Sends what is encoded; the one before is written. */
    private void send() throws IOException {
        Waiting.result(written);
        isLarge = encoded.remaining() > KEPT_BYTES;
        written = messages.write(KIND, encoded);
        encoded = NOTHING;
    }

    /** Encodes the next message, if there is one, while the one before may be on its way. */
    private void encode() throws IOException {
        if (isLarge) {
            encoders[1 - turn].clear();
            isLarge = false;
        }
        while (!encoded.hasRemaining() && !ended) {
            FragmentEncoder encoder = encoders[turn];
            ended = !fill(encoder);
            encoded = unknown(encoder.bytes());
            turn = encoded.hasRemaining() ? 1 - turn : turn;
        }
    }

    /** Encodes as much as one message takes; whether there is more. */
    private boolean fill(FragmentEncoder encoder) throws IOException {
        encoder.clear();
        while (encoder.lengthBytes() < MESSAGE_BYTES) {
            if (cursor.isEmpty()) {
                if (!scans.hasNext()) {
                    return false;
                }
                cursor = Optional.of(scans.next().open());
            }
            FragmentCursor at = cursor.get();
            if (at.advance() == null) {
                closeCursor();
            } else if (isWanted(at)) {
                encoder.add(at);
            }
        }
        return true;
    }

    /** Whether the partition comes that is sought, or it has come. */
    private boolean isWanted(FragmentCursor at) {
        if (sought.isPresent() && at.kind() == FragmentKind.PARTITION_START) {
            sought = sought.filter(key -> !key.equals(at.key().toDecoratedKey()));
        }
        return sought.isEmpty();
    }

    /** What is encoded and the target does not have. */
    private ByteBuffer unknown(ByteBuffer rows) {
        int skipped = (int) Math.min(skipBytes, rows.remaining());
        skipBytes -= skipped;
        return rows.position(rows.position() + skipped);
    }

    private void closeCursor() throws IOException {
        if (cursor.isPresent()) {
            FragmentCursor open = cursor.get();
            cursor = Optional.empty();
            open.close();
        }
    }

    private void close() {
        try {
            closeCursor();
        } catch (IOException | RuntimeException failed) {
            LOG.warn("rows did not close cleanly, session={}", source.id(), failed);
        } finally {
            source.release();
        }
    }
}
