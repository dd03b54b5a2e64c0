package io.anneal.streaming;

import io.anneal.fragment.FragmentCursor;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerStream;
import io.anneal.net.Waiting;
import java.io.IOException;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Rows of a held source on their way to the target; holds no thread while the target takes them. */
final class ServedRows {
    static final int QUESTION_MAX_BYTES = 64;
    static final int KIND = 1;

    private static final Logger LOG = LoggerFactory.getLogger(ServedRows.class);
    private static final int MESSAGE_BYTES = 256 << 10;

    private final MessageStream messages;
    private final HeldSource source;
    private final FragmentEncoder encoder;
    private final Iterator<HeldSource.RowScan> scans;

    private Optional<FragmentCursor> cursor = Optional.empty();

    /** Takes over what the caller retained. */
    ServedRows(PeerStream stream, HeldSource source) {
        this.source = source;
        messages = stream.messages();
        encoder = new FragmentEncoder(source.schema());
        scans = source.rows().iterator();
    }

    /** Sends as long as there is room, then goes on when there is room again. */
    void goOn() {
        boolean waits = false;
        try {
            while (fill()) {
                CompletableFuture<Void> written = messages.write(KIND, encoder.take());
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
                Waiting.result(written);
            }
            if (encoder.lengthBytes() > 0) {
                messages.write(KIND, encoder.take());
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

    /** Whether there is more than what fits a message. */
    private boolean fill() throws IOException {
        while (encoder.lengthBytes() < MESSAGE_BYTES) {
            if (cursor.isEmpty()) {
                if (!scans.hasNext()) {
                    return false;
                }
                cursor = Optional.of(scans.next().open());
            }
            if (cursor.get().advance() == null) {
                closeCursor();
            } else {
                encoder.add(cursor.get());
            }
        }
        return true;
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
