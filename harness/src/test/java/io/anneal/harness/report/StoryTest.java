package io.anneal.harness.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.HistogramText;
import io.anneal.dualdao.stats.StatsSnapshot.Distribution;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StoryTest {
    private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");
    private static final long MILLISECOND = 1_000_000;
    private static final String NAME = "orders <1>";

    @TempDir
    private Path directory;

    private final MemoryPhaseStore store = new MemoryPhaseStore();
    private Instant now = START;
    private StoryRecorder recorder;

    @BeforeEach
    void setUp() {
        store.create(NAME, PhaseRecord.first("ada", START, "begin"));
        recorder = new StoryRecorder(store, NAME, () -> now);
    }

    private void heartbeat(String instance, long originNanos, long targetNanos) {
        store.heartbeat(
                NAME,
                new Heartbeat(
                        instance,
                        1,
                        true,
                        now,
                        Map.of(
                                Facts.READ_NANOS + "origin",
                                histogram(originNanos),
                                Facts.READ_NANOS + "target",
                                histogram(targetNanos))));
    }

    private static String histogram(long nanos) {
        Histogram histogram = new Histogram(2);
        if (nanos > 0) {
            histogram.recordValueWithCount(nanos, 100);
        }
        return HistogramText.format(histogram);
    }

    private MigrationStory story() {
        for (int second = 1; second <= 60; second++) {
            now = START.plusSeconds(second);
            heartbeat("a", MILLISECOND, second < 30 ? 0 : 2 * MILLISECOND);
            heartbeat("b", 5 * MILLISECOND, 0);
            if (second == 20) {
                PhaseRecord first = store.read(NAME).orElseThrow();
                store.compareAndSet(NAME, 1, first.changed(Phase.WRITE_BOTH, 100, "ada", now, "both <b>written</b>"));
            }
            if (second == 25) {
                store.addNote(NAME, new PhaseNote(now, 2, "ada", PhaseNote.Kind.BACKFILL, Map.of(Facts.ROWS, "1234")));
            }
            recorder.look();
        }
        return recorder.story();
    }

    @Test
    void shouldMakeOneChartOfSeveralInstances() {
        MigrationStory story = story();
        assertThat(story.points()).hasSize(60);
        LatencyPoint last = story.points().get(59);
        assertThat(last.originReads().count()).isEqualTo(200);
        assertThat(last.targetReads().count()).isEqualTo(100);
        assertThat((double) last.originReads().p99Nanos()).isBetween(4.9 * MILLISECOND, 5.1 * MILLISECOND);
        assertThat(story.events()).extracting(StoryEvent::label).containsExactly("1", "2", "F");
        assertThat(story.events().get(1).at()).isEqualTo(START.plusSeconds(20));
    }

    @Test
    void shouldCountAHeartbeatOnceHoweverOftenItIsLookedAt() {
        now = START.plusSeconds(1);
        heartbeat("a", MILLISECOND, 0);
        recorder.look();
        recorder.look();
        assertThat(recorder.story().points())
                .extracting(point -> point.originReads().count())
                .containsExactly(100L, 0L);
    }

    @Test
    void shouldKeepALongStoryShortWithoutLosingACall() {
        for (int second = 1; second <= 3500; second++) {
            now = START.plusSeconds(second);
            heartbeat("a", MILLISECOND, 0);
            recorder.look();
        }
        MigrationStory story = recorder.story();
        assertThat(story.points()).hasSizeLessThanOrEqualTo(1000).hasSizeGreaterThan(400);
        assertThat(story.points().stream()
                        .mapToLong(point -> point.originReads().count())
                        .sum())
                .isEqualTo(350_000);
        assertThat(story.points().get(story.points().size() - 1).at()).isEqualTo(now);
    }

    @Test
    void shouldWritePageWithBothChartsAndTheEvents() throws IOException {
        Path file = directory.resolve("sub/story.html");
        StoryFile.write(story(), file);
        String page = Files.readString(file);
        assertThat(page)
                .contains("Reads of the origin", "Reads of the target", "2026-11-21 12:00:20", "to phase 2")
                .contains("both &lt;b&gt;written&lt;/b&gt;", "1234 rows")
                .doesNotContain("<b>written", "<script", "http://", "https://");
        assertThat(Pattern.compile("<svg").matcher(page).results().count()).isEqualTo(2);
        // One scale: the same labels in both charts, though one side is faster.
        String ticks = ticks(page, page.indexOf("<svg"));
        assertThat(ticks).isEqualTo("1 ms;10 ms;").isEqualTo(ticks(page, page.lastIndexOf("<svg")));
    }

    private static String ticks(String page, int from) {
        StringBuilder ticks = new StringBuilder();
        Pattern.compile("text-anchor=\"end\">([^<]*s)</text>")
                .matcher(page.substring(from, page.indexOf("</svg>", from)))
                .results()
                .forEach(match -> ticks.append(match.group(1)).append(';'));
        return ticks.toString();
    }

    @Test
    void shouldDrawPictureOfBothSides() throws IOException {
        Path file = directory.resolve("story.PNG");
        StoryFile.write(story(), file);
        BufferedImage picture = ImageIO.read(file.toFile());
        for (Percentile percentile : Percentile.values()) {
            assertThat(rows(picture, percentile.ink()))
                    .as("%s above and below", percentile)
                    .anyMatch(y -> y < picture.getHeight() / 2)
                    .anyMatch(y -> y > picture.getHeight() / 2);
        }
        // Below the charts is a list of what happened.
        assertThat(rows(picture, Ink.EVENT)).anyMatch(y -> y > picture.getHeight() - 60);
    }

    /** In which something is drawn so. */
    private static Set<Integer> rows(BufferedImage picture, Ink ink) {
        Set<Integer> rows = new TreeSet<>();
        for (int y = 0; y < picture.getHeight(); y++) {
            for (int x = 0; x < picture.getWidth(); x++) {
                if (picture.getRGB(x, y) == ink.color().getRGB()) {
                    rows.add(y);
                }
            }
        }
        return rows;
    }

    private static MigrationStory quiet(Duration span, List<StoryEvent> events) {
        Distribution some = new Distribution(1, MILLISECOND, MILLISECOND, MILLISECOND, MILLISECOND);
        LatencyPoint point = new LatencyPoint(START.plus(span), some, some, some, some);
        return new MigrationStory(NAME, START, START.plus(span), List.of(point), events, List.of());
    }

    private static String chart(MigrationStory story) {
        StringBuilder svg = new StringBuilder();
        new StoryChart(story, Measured.READS, Side.TARGET, new SvgPen(svg)).draw();
        return svg.toString();
    }

    @Test
    void shouldSayTheDayWhereAStoryGoesOverSeveral() {
        assertThat(chart(quiet(Duration.ofHours(50), List.of())))
                .contains(">11-21 12:00<", ">11-22 08:00<", ">11-23 14:00<");
        assertThat(chart(quiet(Duration.ofMinutes(5), List.of()))).contains(">12:00:00<", ">12:05:00<");
    }

    @Test
    void shouldDrawEventsOfItsTimeAloneAndAsManyLabelsAsHaveRoom() {
        List<StoryEvent> events = new ArrayList<>();
        events.add(new StoryEvent(START.minusSeconds(5), "1", "begins"));
        for (int i = 0; i < 9; i++) {
            events.add(new StoryEvent(START.plusSeconds(1800), "V", "verification " + i));
        }
        MigrationStory story = quiet(Duration.ofHours(1), events);
        assertThat(chart(story).split(">V</text>", -1)).hasSize(1 + 3);
        assertThat(chart(story)).contains("verification 8").doesNotContain("begins");
        assertThat(new StoryHtml(story).text()).contains("<td>verification 8</td>", "<td>begins</td>");
    }

    @Test
    void shouldDrawPictureOfWritesTooAndOfManyEventsWithinBounds() throws IOException {
        List<StoryEvent> events = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            events.add(new StoryEvent(START.plusSeconds(10 * i), "*", "a note".repeat(100)));
        }
        Path few = directory.resolve("few.png");
        Path many = directory.resolve("many.png");
        StoryFile.write(quiet(Duration.ofDays(1), events.subList(0, 1)), few);
        StoryFile.write(quiet(Duration.ofDays(1), events), many);
        assertThat(ImageIO.read(few.toFile()).getHeight()).isGreaterThan(4 * StoryChart.HEIGHT);
        assertThat(ImageIO.read(many.toFile()).getHeight())
                .isLessThan(ImageIO.read(few.toFile()).getHeight() + 2 * 18 * StoryPicture.EVENTS_MAX);
    }

    @Test
    void shouldWriteStoryOfNothing() throws IOException {
        for (String name : new String[] {"empty.html", "empty.png"}) {
            Path file = directory.resolve(name);
            StoryFile.write(recorder.story(), file);
            assertThat(file).isNotEmptyFile();
        }
    }

    @Test
    void shouldRefuseAnotherForm() {
        assertThatThrownBy(() -> StoryFile.check(Path.of("story.pdf")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("story.pdf");
    }
}
