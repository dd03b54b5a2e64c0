package io.anneal.harness.report;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.HistogramText;
import io.anneal.dualdao.stats.MergedFacts;
import io.anneal.dualdao.stats.StatsSnapshot.Distribution;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * Writes down what the instances of a migration say of their latencies, as long as somebody asks it to look. A phase store keeps
 * the last heartbeats alone, so that what nobody looked at is not in the story; events are, all of them. Any thread may call.
 */
public final class StoryRecorder {
    private static final int SLOTS_MAX = 1_000;
    private static final Distribution NOTHING = new Distribution(0, 0, 0, 0, 0);

    /** Histograms as text, which takes a hundredth of the room. */
    private record Slot(Instant at, List<String> histograms) {
        Slot add(Slot later) {
            List<String> sums = new ArrayList<>();
            for (int i = 0; i < histograms.size(); i++) {
                Histogram sum = HistogramText.parse(histograms.get(i));
                sum.add(HistogramText.parse(later.histograms.get(i)));
                sums.add(HistogramText.format(sum));
            }
            return new Slot(later.at, sums);
        }

        LatencyPoint point() {
            return new LatencyPoint(at, distribution(0), distribution(1), distribution(2), distribution(3));
        }

        private Distribution distribution(int index) {
            return Distribution.of(HistogramText.parse(histograms.get(index)));
        }
    }

    private final PhaseStore store;
    private final String name;
    private final InstantSource clock;
    private final Instant from;
    private final List<Slot> slots = new ArrayList<>();

    private List<Heartbeat> before = List.of();
    private int looksPerSlot = 1;
    private int looksInSlot;

    public StoryRecorder(PhaseStore store, String name, InstantSource clock) {
        this.store = store;
        this.name = name;
        this.clock = clock;
        from = clock.instant();
    }

    /**
     * Looks at the heartbeats; to be called as often as they come. Beyond a thousand looks the points of the charts stand for
     * longer stretches.
     *
     * @throws PhaseStoreException if the store can't be asked; the next look has what was missed
     *     of it
     */
    public synchronized void look() {
        List<Heartbeat> heartbeats = store.heartbeats(name);
        MergedFacts facts = MergedFacts.of(heartbeats, before);
        before = heartbeats;
        List<String> histograms = Stream.of(Facts.READ_NANOS, Facts.WRITE_NANOS)
                .flatMap(prefix -> Stream.of(Side.ORIGIN, Side.TARGET).map(side -> facts.histogram(prefix, side)))
                .map(HistogramText::format)
                .toList();
        Slot slot = new Slot(clock.instant(), histograms);
        if (looksInSlot == 0 || slots.isEmpty()) {
            slots.add(slot);
        } else {
            slots.set(slots.size() - 1, slots.get(slots.size() - 1).add(slot));
        }
        looksInSlot = (looksInSlot + 1) % looksPerSlot;
        if (slots.size() == SLOTS_MAX && looksInSlot == 0) {
            joinPairs();
        }
    }

    private void joinPairs() {
        List<Slot> joined = new ArrayList<>();
        for (int i = 0; i + 1 < slots.size(); i += 2) {
            joined.add(slots.get(i).add(slots.get(i + 1)));
        }
        slots.clear();
        slots.addAll(joined);
        looksPerSlot *= 2;
    }

    /** What calls took after that time, as far as it was seen. */
    public synchronized LatencyPoint since(Instant time) {
        return slots.stream()
                .filter(slot -> slot.at().isAfter(time))
                .reduce(Slot::add)
                .map(Slot::point)
                .orElse(new LatencyPoint(time, NOTHING, NOTHING, NOTHING, NOTHING));
    }

    /** What was seen so far, and the events since the recorder began; if the store can't be asked, that instead of them. */
    public synchronized MigrationStory story() {
        Instant to = clock.instant();
        List<StoryEvent> events = new ArrayList<>();
        try {
            events.addAll(events(store, name));
        } catch (PhaseStoreException e) {
            events.add(
                    new StoryEvent(to, "*", "events are missing, the phase store can't be asked: " + e.getMessage()));
        }
        events.removeIf(event -> event.at().isBefore(from));
        return new MigrationStory(
                name, from, to, slots.stream().map(Slot::point).toList(), events, List.of());
    }

    /** All changes of phase and all notes of a migration, in order of time. */
    public static List<StoryEvent> events(PhaseStore store, String name) {
        List<StoryEvent> events = new ArrayList<>();
        PhaseRecord previous = null;
        for (PhaseRecord entry : store.history(name)) {
            events.add(event(previous, entry));
            previous = entry;
        }
        store.notes(name).forEach(note -> events.add(event(note)));
        events.sort(Comparator.comparing(StoryEvent::at));
        return List.copyOf(events);
    }

    private static StoryEvent event(PhaseRecord previous, PhaseRecord entry) {
        String phase = entry.phase().label();
        String what;
        if (previous == null) {
            what = "begins in phase " + phase;
        } else if (previous.phase() == entry.phase()) {
            what = "phase " + phase + ", read share " + entry.readSharePercent() + " %";
        } else {
            boolean back = entry.phase().compareTo(previous.phase()) < 0;
            what = (back ? "back to phase " : "to phase ") + phase;
        }
        return new StoryEvent(entry.at(), phase, what + reason(entry.who(), entry.why()));
    }

    private static StoryEvent event(PhaseNote note) {
        String rows = note.facts().getOrDefault(Facts.ROWS, "");
        String mismatches = note.facts().getOrDefault(Facts.MISMATCHES, "");
        String counted = (rows.isEmpty() ? "" : ", " + rows + " rows")
                + (mismatches.isEmpty() ? "" : ", " + mismatches + " mismatches");
        if (Facts.number(note.facts(), Facts.LEFT) > 0) {
            counted += ", " + note.facts().get(Facts.LEFT) + " left in journals";
        }
        String text = note.facts().getOrDefault(Facts.TEXT, "");
        return switch (note.kind()) {
            case TEXT -> new StoryEvent(note.at(), "*", text + reason(note.who(), ""));
            case BACKFILL -> event(note, "F", "back-fill done" + counted);
            case VERIFICATION -> event(note, "V", "verification done" + counted);
            case REVERSE_BACKFILL -> event(note, "R", "reverse back-fill done" + counted);
            case INSTANCE_DEAD ->
                event(note, "X", "instance declared dead: " + note.facts().getOrDefault(Facts.INSTANCE, ""));
            case ORDER ->
                event(
                        note,
                        "O",
                        "ordered: " + note.facts().getOrDefault(Facts.KIND, "").toLowerCase(Locale.ROOT)
                                + (Boolean.parseBoolean(note.facts().get("repairs")) ? " with repair" : ""));
            case FINISHED -> event(note, "E", "finished, no way back");
            default ->
                event(note, "*", note.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ') + counted);
        };
    }

    private static StoryEvent event(PhaseNote note, String label, String what) {
        return new StoryEvent(
                note.at(), label, what + reason(note.who(), note.facts().getOrDefault(Facts.TEXT, "")));
    }

    private static String reason(String who, String why) {
        return " (" + who + (why.isEmpty() ? "" : ": " + why) + ")";
    }
}
