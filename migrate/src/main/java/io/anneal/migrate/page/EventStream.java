package io.anneal.migrate.page;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.javalin.http.Context;
import io.javalin.http.sse.SseClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Server-sent events: one after each look, with all of now and the points that the reader lacks. A reader that comes back says by
 * the last event's id what it has. Each stream keeps a thread of the server, so that a slow reader holds up itself alone; their number is
 * bounded.
 */
final class EventStream {
    static final int STREAMS_MAX = 16;

    private static final Logger LOG = LoggerFactory.getLogger(EventStream.class);
    private static final long END_SECONDS_MAX = 2;
    private static final int UNAVAILABLE = 503;
    private static final Pattern ID = Pattern.compile("(\\w+)((?:-\\d{1,18})+)");

    /**
     * What an event carries.
     *
     * @param whole whether the points are all there are, and not those since the last event
     * @param points of 5 minutes, of an hour, of a day
     * @param intervalMillis between two events
     */
    record Payload(Snapshot now, boolean whole, List<List<Point>> points, long intervalMillis) {}

    private final Monitor monitor;
    private final ObjectMapper json;
    private final String run;
    private final Duration interval;
    private final Semaphore free = new Semaphore(STREAMS_MAX);

    /**
     * @param run tells this server from an earlier one at the same address, whose ids mean nothing here
     */
    EventStream(Monitor monitor, ObjectMapper json, String run, Duration interval) {
        this.monitor = monitor;
        this.json = json;
        this.run = run;
        this.interval = interval;
    }

    /** Serves one reader until it goes or this closes. */
    void serve(Context context) throws InterruptedException, JsonProcessingException {
        if (!free.tryAcquire()) {
            throw new PageRefusal(UNAVAILABLE, "too many pages are open, pagesMax=" + STREAMS_MAX);
        }
        try {
            context.contentType("text/event-stream; charset=utf-8");
            context.header("X-Accel-Buffering", "no");
            send(new SseClient(context), context.header("Last-Event-ID"));
        } finally {
            free.release();
        }
    }

    /** Waits, not for long, until all streams have ended; the monitor must have been closed before. */
    void awaitEnd() {
        try {
            if (!free.tryAcquire(STREAMS_MAX, END_SECONDS_MAX, TimeUnit.SECONDS)) {
                LOG.debug("Streams of the page are cut off, streams={}", STREAMS_MAX - free.availablePermits());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void send(SseClient client, String lastId) throws InterruptedException, JsonProcessingException {
        Matcher known = ID.matcher(lastId == null ? "" : lastId);
        boolean whole = !known.matches() || !known.group(1).equals(run);
        List<Long> from = whole ? List.of() : numbers(known.group(2));
        long lastNumber = -1;
        while (!client.terminated() && monitor.awaitAfter(lastNumber)) {
            Monitor.Update update = monitor.update(from);
            client.sendEvent(
                    "look",
                    json.writeValueAsString(
                            new Payload(update.snapshot(), whole, update.points(), interval.toMillis())),
                    run + update.next().stream().map(next -> "-" + next).collect(Collectors.joining()));
            from = update.next();
            lastNumber = update.number();
            whole = false;
        }
    }

    private static List<Long> numbers(String dashed) {
        return Stream.of(dashed.substring(1).split("-")).map(Long::valueOf).toList();
    }
}
