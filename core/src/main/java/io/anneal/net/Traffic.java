package io.anneal.net;

import java.util.concurrent.atomic.AtomicLong;

/** Bytes of one connection; counted by its event loop, read by anyone. */
final class Traffic {
    private final AtomicLong sentBytes = new AtomicLong();
    private final AtomicLong receivedBytes = new AtomicLong();

    void sent(int bytes) {
        sentBytes.lazySet(sentBytes.get() + bytes);
    }

    void received(int bytes) {
        receivedBytes.lazySet(receivedBytes.get() + bytes);
    }

    long sentBytes() {
        return sentBytes.get();
    }

    long receivedBytes() {
        return receivedBytes.get();
    }
}
