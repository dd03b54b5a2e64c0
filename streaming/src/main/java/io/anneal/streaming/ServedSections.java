package io.anneal.streaming;

import io.anneal.net.PeerStream;
import io.anneal.net.RequestException;
import io.anneal.net.Waiting;
import io.anneal.sstable.SectionSource;
import io.anneal.store.LiveFiles.OpenFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sections of an SSTable on their way to the target, chunks by sendfile; holds no thread while the target takes them. */
final class ServedSections {
    private static final Logger LOG = LoggerFactory.getLogger(ServedSections.class);

    private final PeerStream stream;
    private final HeldSource source;
    private final SectionSource blocks;
    private final OpenFile data;

    /** Bytes that the target has already. */
    private long skippedBytes;

    /**
     * Takes over what the caller retained.
     *
     * @param position up to where the target has them
     */
    ServedSections(PeerStream stream, HeldSource source, SectionSource blocks, OpenFile data, long position) {
        this.stream = stream;
        this.source = source;
        this.blocks = blocks;
        this.data = data;
        skippedBytes = position;
    }

    /** Sends as long as there is room, then goes on when there is room again. */
    void goOn() {
        boolean waits = false;
        try {
            while (blocks.next()) {
                CompletableFuture<Void> written = sendBlock();
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
            if (skippedBytes > 0) {
                throw new RequestException(
                        StreamCode.REFUSED, "position lies behind the sections, excessBytes=" + skippedBytes);
            }
            stream.end();
        } catch (IOException | RuntimeException | Error failed) {
            StreamService.refuse(stream, failed);
        } finally {
            if (!waits) {
                close();
            }
        }
    }

    /** Done when nothing of the block is read any more. */
    private CompletableFuture<Void> sendBlock() {
        CompletableFuture<Void> written = CompletableFuture.completedFuture(null);
        ByteBuffer head = blocks.head();
        int skippedHead = (int) Math.min(skippedBytes, head.remaining());
        skippedBytes -= skippedHead;
        head.position(head.position() + skippedHead);
        if (head.hasRemaining()) {
            written = stream.write(head);
        }
        long skippedChunks = Math.min(skippedBytes, blocks.chunksLengthBytes());
        skippedBytes -= skippedChunks;
        if (blocks.chunksLengthBytes() > skippedChunks) {
            CompletableFuture<Void> chunks = stream.write(
                    data.channel(),
                    blocks.chunksPosition() + skippedChunks,
                    blocks.chunksLengthBytes() - skippedChunks);
            written = CompletableFuture.allOf(written, chunks);
        }
        return written;
    }

    private void close() {
        try {
            blocks.close();
        } catch (IOException | RuntimeException failed) {
            LOG.warn("sections did not close cleanly, session={}", source.id(), failed);
        } finally {
            source.release(data);
        }
    }
}
