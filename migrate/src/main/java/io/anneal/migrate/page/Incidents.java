package io.anneal.migrate.page;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What nobody writes into the phase store, as events: that a side fails, that an instance is heard no more, that the store does not
 * answer; and that it is over. Not for several threads.
 */
final class Incidents {
    /** What those of the phase store are about. */
    static final String STORE = "phase store";

    private static final int EVENTS_MAX = 500;
    private static final String WHO = "this page";
    private static final String SUBJECT = "subject";
    private static final String BEGAN = "began";

    private final Ring<Snapshot.Event> events;
    /** What goes on, by {@link #key}. */
    private final Map<String, Snapshot.Event> open = new HashMap<>();

    Incidents(History history) {
        events = history.ring("incidents", EVENTS_MAX, Snapshot.Event.class);
        events.from(0).forEach(this::take);
    }

    /** What an event is about: sides and instances are told apart by what happens to them, since an instance may be called "origin". */
    private static String key(String subject, String kind) {
        String what = switch (kind) {
            case "failing" -> "side";
            case "unreachable", "lost" -> "store";
            default -> "instance";
        };
        return what + " " + subject;
    }

    private void take(Snapshot.Event event) {
        boolean over = event.kind().equals("over");
        String kind = over ? event.facts().getOrDefault(BEGAN, "") : event.kind();
        String key = key(event.facts().get(SUBJECT), kind);
        if (over || kind.equals("restarted")) {
            open.remove(key);
        } else {
            open.put(key, event);
        }
    }

    /** Something goes on: an event the first time. */
    void goesOn(String subject, String kind, long at, String text) {
        if (!open.containsKey(key(subject, kind))) {
            add(subject, kind, at, text);
        }
    }

    /** Nothing of that kind goes on: an event if something did. */
    void isOver(String subject, String kind, long at) {
        Snapshot.Event begun = open.get(key(subject, kind));
        if (begun != null) {
            add(new Snapshot.Event(at, "over", WHO, 0, Map.of(SUBJECT, subject, BEGAN, begun.kind())));
        }
    }

    void add(String subject, String kind, long at, String text) {
        Map<String, String> facts = text == null ? Map.of(SUBJECT, subject) : Map.of(SUBJECT, subject, "text", text);
        add(new Snapshot.Event(at, kind, WHO, 0, facts));
    }

    private void add(Snapshot.Event event) {
        events.add(event);
        take(event);
    }

    /** Since when; empty if nothing of that kind goes on. */
    Optional<Long> since(String subject, String kind) {
        return Optional.ofNullable(open.get(key(subject, kind))).map(Snapshot.Event::at);
    }

    /** Those of what is gone, and over without an event. */
    void forgetOthers(String kind, Set<String> subjects) {
        open.values()
                .removeIf(event -> event.kind().equals(kind)
                        && !subjects.contains(event.facts().get(SUBJECT)));
    }

    List<Snapshot.Event> all() {
        return events.from(0);
    }
}
