package io.anneal.migrate.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.dualdao.control.ControlPolicy;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import io.anneal.dualdao.stats.DualStats;
import io.anneal.dualdao.stats.MetricsSink;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HistoryTest {
    private static final int COARSE = 3;
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path directory;

    private Instant now = Instant.parse("2026-03-02T09:00:00Z");

    private History open() {
        return new History(Optional.of(directory), "users", JSON);
    }

    private Path file(String name) {
        return directory.resolve("page-users").resolve(name + ".jsonl");
    }

    private static Point point(long at) {
        return new Point(at, Map.of("read.origin", new Point.Latency(1, 2.5, 3, 40)), Map.of("reads", 8.5));
    }

    private List<Long> times() {
        try (History history = open()) {
            return history.ring("points", 5, Point.class).from(0).stream()
                    .map(Point::at)
                    .toList();
        }
    }

    private void write(long... times) {
        try (History history = open()) {
            Ring<Point> ring = history.ring("points", 5, Point.class);
            LongStream.of(times).mapToObj(HistoryTest::point).forEach(ring::add);
        }
    }

    /** What an instance says that has served so many reads: the same durations each time. */
    private static Map<String, String> facts() {
        DualStats stats = new DualStats(MetricsSink.NONE, Instant::now);
        for (Side side : Side.values()) {
            stats.operation("read").count(Counter.READS);
            stats.operation("read").latency(side, side == Side.ORIGIN ? 2_000_000 : 1_500_000);
            stats.operation("write").latency(side, 1_000_000);
            stats.batch("page").latency(side, 5_000_000);
        }
        return stats.facts();
    }

    /** Lets an instance serve for that long, with a heartbeat and a look each so often. */
    private ChartFeed serve(ChartFeed feed, Duration howLong, Duration each) {
        Map<String, String> facts = new HashMap<>(facts());
        for (Instant end = now.plus(howLong); now.isBefore(end); now = now.plus(each)) {
            for (Counter counter : Counter.values()) {
                facts.put(Facts.COUNTER + counter, Long.toString(now.toEpochMilli() / 100));
            }
            feed.observe(List.of(new Heartbeat("a", 1, true, now, facts)), now.toEpochMilli());
            feed.tick(now.toEpochMilli());
        }
        return feed;
    }

    private static ChartFeed feed(History history) {
        return new ChartFeed(history, new Incidents(history));
    }

    @Test
    void shouldGiveBackWhatThePageBeforeKept() {
        write(1, 2, 3);

        try (History history = open()) {
            assertThat(history.ring("points", 5, Point.class).from(0)).containsExactly(point(1), point(2), point(3));
            assertThat(history.ring("others", 5, Point.class).from(0)).isEmpty();
        }
    }

    @Test
    void shouldKeepTheLastOnesInAFileOfTwiceAsMany() throws IOException {
        for (long at = 0; at < 100; at++) {
            write(at);
            try (Stream<String> lines = Files.lines(file("points"))) {
                assertThat(lines.count()).isLessThanOrEqualTo(10);
            }
        }

        assertThat(times()).containsExactly(95L, 96L, 97L, 98L, 99L);
    }

    @Test
    void shouldLeaveOutALineThatWasHalfWrittenWhereverACrashCutIt() throws IOException {
        write(1, 2);
        int two = Files.readAllBytes(file("points")).length;
        write(3);
        byte[] whole = Files.readAllBytes(file("points"));
        for (int length = two; length < whole.length; length++) {
            Files.write(file("points"), Arrays.copyOf(whole, length));

            write(4);

            assertThat(times())
                    .as("cut at %s", length)
                    .endsWith(4L)
                    .startsWith(1L, 2L)
                    .isSorted();
        }
    }

    @Test
    void shouldLeaveOutWhatIsNoPointAndWriteTheRestAnew() throws IOException {
        write(1, 2, 3);
        String text = Files.readString(file("points")).replace("\"at\":2", "\"at\":\0\0\0");
        Files.writeString(file("points"), text + "\0\0\0\0", StandardCharsets.ISO_8859_1);

        write(4);

        assertThat(times()).containsExactly(1L, 3L, 4L);
        assertThat(Files.readString(file("points"))).doesNotContain("\0");
    }

    @Test
    void shouldGoOnInMemoryWhileTheDiskRefusesAndWriteAllAfterwards() throws IOException {
        try (History history = open()) {
            Ring<Point> ring = history.ring("points", 5, Point.class);
            ring.add(point(1));
            Files.delete(file("points"));
            Files.createDirectories(file("points").resolve("in-the-way"));

            ring.add(point(2));
            ring.add(point(3));
            assertThat(ring.from(0)).hasSize(3);

            Files.delete(file("points").resolve("in-the-way"));
            Files.delete(file("points"));
            ring.add(point(4));
        }

        assertThat(times()).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void shouldRefuseASecondPageInTheSamePlace() {
        try (History first = open()) {
            assertThat(first.lasts()).isTrue();
            assertThatThrownBy(this::open)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("another page keeps its history there, directory=");
        }
        open().close();
    }

    @Test
    void shouldStayInsideItsDirectoryWhateverTheMigrationIsCalled() {
        for (String name : List.of("..", "../../etc", "a/b", ".", "*", "ü")) {
            new History(Optional.of(directory), name, JSON).close();
        }

        assertThat(directory)
                .isDirectoryNotContaining(each -> !each.getFileName().toString().startsWith("page-"));
    }

    @Test
    void shouldGoOnWithTheWeeksBeforeAndLeaveAGapWhereNoPageLooked() {
        Duration each = Duration.ofHours(2);
        try (History history = open()) {
            serve(feed(history), Duration.ofDays(42), each).end(now.toEpochMilli());
        }
        long lastLook = now.minus(each).toEpochMilli();
        now = now.plus(Duration.ofDays(2));
        List<Point> coarse;
        try (History history = open()) {
            coarse = serve(feed(history), Duration.ofHours(8), each)
                    .rings()
                    .get(COARSE)
                    .from(0);
        }

        assertThat(coarse).hasSizeBetween(504, 510).extracting(Point::at).isSorted();
        assertThat(coarse).filteredOn(point -> point.rates().isEmpty()).containsExactly(Point.gap(lastLook + 1));
        assertThat(coarse.get(100).latencies().get("read.target").p99()).isBetween(1_480.0, 1_520.0);
    }

    @Test
    void shouldKeepTheAnswerOfSixFullWeeksToAFewMegabytes() throws IOException {
        // Files of nearly twice what is kept, the most that is ever read.
        try (History history = open()) {
            serve(feed(history), Duration.ofDays(83), Duration.ofMinutes(30)).end(now.toEpochMilli());
        }
        MemoryPhaseStore store = new MemoryPhaseStore();
        PhaseControl control = PhaseControl.of(store, "users", () -> now, ControlPolicy.DEFAULTS);
        Monitor monitor = new Monitor(store, "users", control, false, open(), () -> now);
        Monitor.Update all = monitor.update(List.of());

        byte[] answer = MigrationPage.mapper()
                .writeValueAsBytes(new EventStream.Payload(all.snapshot(), true, all.points(), 1_000));
        monitor.close();

        assertThat(all.points()).extracting(List::size).containsExactly(300, 720, 1_440, 2_016);
        assertThat(answer).hasSizeBetween(1_000_000, 3_000_000);
    }

    @Test
    void shouldNotStandStillWhenTheClockIsSetBack() {
        try (History history = open()) {
            ChartFeed feed = serve(feed(history), Duration.ofMinutes(1), Duration.ofSeconds(1));
            long before = feed.rings().get(1).nextNumber();
            now = now.minus(Duration.ofHours(3));

            serve(feed, Duration.ofSeconds(30), Duration.ofSeconds(1));

            assertThat(feed.rings().get(1).nextNumber() - before).isBetween(5L, 7L);
            for (int i = 0; i < 10; i++) {
                now = now.plusSeconds(1);
                feed.tick(now.toEpochMilli());
            }
            assertThat(feed.rings().get(0).from(0))
                    .last()
                    .matches(each -> each.rates().isEmpty(), "a gap");
        }
    }

    @Test
    void shouldKnowAfterARestartWhatGoesOnStill() {
        try (History history = open()) {
            Incidents incidents = new Incidents(history);
            incidents.goesOn("target", "failing", 1, "save: down");
            incidents.goesOn("a", "silent", 2, null);
            incidents.isOver("a", "silent", 3);
        }
        try (History history = open()) {
            Incidents incidents = new Incidents(history);

            incidents.goesOn("target", "failing", 4, "save: down");
            incidents.isOver("a", "silent", 5);

            assertThat(incidents.all()).extracting(Snapshot.Event::kind).containsExactly("failing", "silent", "over");
            assertThat(incidents.since("target", "failing")).hasValue(1L);
        }
    }

    @Test
    void shouldTellAnInstanceFromWhatElseHasItsName() {
        for (int i = 0; i < 2; i++) {
            try (History history = open()) {
                Incidents incidents = new Incidents(history);
                incidents.goesOn("origin", "failing", 1, "save: down");
                incidents.goesOn("origin", "silent", 2, null);
                incidents.goesOn("phase store", "silent", 3, null);
                incidents.goesOn(Incidents.STORE, "lost", 4, null);
                assertThat(incidents.all())
                        .extracting(Snapshot.Event::kind)
                        .containsExactly("failing", "silent", "silent", "lost");
            }
        }
        try (History history = open()) {
            Incidents incidents = new Incidents(history);

            incidents.isOver("origin", "silent", 5);
            incidents.add("phase store", "restarted", 6, null);

            assertThat(incidents.since("origin", "silent")).isEmpty();
            assertThat(incidents.since("origin", "failing")).hasValue(1L);
            assertThat(incidents.since("phase store", "silent")).isEmpty();
            assertThat(incidents.since(Incidents.STORE, "unreachable")).hasValue(4L);
        }
    }
}
