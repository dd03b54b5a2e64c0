package io.anneal.migrate.page;

import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Tells the history of phases and the notes as one story, oldest first. */
final class EventList {
    private EventList() {}

    static List<Snapshot.Event> of(List<PhaseRecord> history, List<PhaseNote> notes) {
        List<Snapshot.Event> events = new ArrayList<>();
        PhaseRecord before = null;
        for (PhaseRecord next : history) {
            events.add(change(before, next));
            before = next;
        }
        for (PhaseNote note : notes) {
            events.add(new Snapshot.Event(
                    note.at().toEpochMilli(),
                    note.kind().name().toLowerCase(Locale.ROOT),
                    note.who(),
                    note.version(),
                    note.facts()));
        }
        events.sort(Comparator.comparingLong(Snapshot.Event::at));
        return events;
    }

    private static Snapshot.Event change(PhaseRecord before, PhaseRecord next) {
        Map<String, String> facts = Map.of(
                "from", before == null ? next.phase().label() : before.phase().label(),
                "to", next.phase().label(),
                "readShare", Integer.toString(next.readSharePercent()),
                "text", next.why());
        return new Snapshot.Event(next.at().toEpochMilli(), kind(before, next), next.who(), next.version(), facts);
    }

    private static String kind(PhaseRecord before, PhaseRecord next) {
        if (before == null) {
            return "created";
        }
        int steps = next.phase().compareTo(before.phase());
        if (steps != 0) {
            return steps > 0 ? "phase" : "back";
        }
        return "share";
    }
}
