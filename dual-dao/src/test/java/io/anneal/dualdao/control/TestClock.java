package io.anneal.dualdao.control;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** Stands still until it is told to move. */
final class TestClock implements InstantSource {
    private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

    void advance(Duration duration) {
        now = now.plus(duration);
    }

    @Override
    public Instant instant() {
        return now;
    }
}
