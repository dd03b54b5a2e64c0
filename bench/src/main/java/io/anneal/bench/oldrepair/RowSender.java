package io.anneal.bench.oldrepair;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.net.MessageStream;
import io.anneal.net.Waiting;
import io.anneal.schema.TableSchema;
import io.anneal.streaming.FragmentEncoder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Sends the same fragments to some peers: encodes one message while the one before is on its way. One thread. */
final class RowSender {
    /** Large enough for few messages, and small enough for the processor's cache. */
    static final int MESSAGE_BYTES = 64 << 10;

    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    private final List<MessageStream> peers;
    private final FragmentEncoder[] encoders = new FragmentEncoder[2];
    private final List<CompletableFuture<Void>> underWay = new ArrayList<>();
    private int turn;
    private long rows;

    RowSender(TableSchema schema, List<MessageStream> peers) {
        this.peers = peers;
        for (int i = 0; i < encoders.length; i++) {
            encoders[i] = new FragmentEncoder(schema, 2 * MESSAGE_BYTES);
        }
    }

    /** Rows so far; one that goes to two peers counts twice. */
    long rows() {
        return rows * peers.size();
    }

    /** Sends the fragment that the cursor stands at, as soon as there are enough. */
    void add(FragmentCursor cursor) throws IOException {
        FragmentKind kind = cursor.kind();
        rows += kind == FragmentKind.CLUSTERING_ROW || kind == FragmentKind.STATIC_ROW ? 1 : 0;
        encoders[turn].add(cursor);
        if (encoders[turn].lengthBytes() >= MESSAGE_BYTES) {
            send();
        }
    }

    private void send() throws IOException {
        await();
        for (MessageStream peer : peers) {
            underWay.add(peer.write(BaselineService.ROWS, encoders[turn].bytes()));
        }
        turn = 1 - turn;
        encoders[turn].clear();
    }

    /** Sends what is left, and a message that says that this was all. */
    void end() throws IOException {
        if (encoders[turn].lengthBytes() > 0) {
            send();
        }
        for (MessageStream peer : peers) {
            underWay.add(peer.write(BaselineService.END, EMPTY));
        }
        await();
    }

    private void await() throws IOException {
        Waiting.results(underWay);
        underWay.clear();
    }
}
