package io.anneal.migrate.page;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

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

    private final Ring<Snapshot.Event> events;
    /** What goes on, by what it is about. */
    private final Map<String, Snapshot.Event> open = new HashMap<>();

    Incidents(History history) {
        events = history.ring("incidents", EVENTS_MAX, Snapshot.Event.class);
        events.from(0).forEach(this::take);
    }

    private void take(Snapshot.Event event) {
        String subject = event.facts().get(SUBJECT);
        if (event.kind().equals("over") || event.kind().equals("restarted")) {
            open.remove(subject);
        } else {
            open.put(subject, event);
        }
    }

    /** Something goes on: an event the first time. */
    void goesOn(String subject, String kind, long at, String text) {
        if (!open.containsKey(subject)) {
            add(subject, kind, at, text);
        }
    }

    /** Nothing goes on: an event if something did. */
    void isOver(String subject, long at) {
        if (open.containsKey(subject)) {
            add(subject, "over", at, null);
        }
    }

    void add(String subject, String kind, long at, String text) {
        Map<String, String> facts = new TreeMap<>(Map.of(SUBJECT, subject));
        if (text != null) {
            facts.put("text", text);
        }
        Optional.ofNullable(open.get(subject)).ifPresent(begun -> facts.put("began", begun.kind()));
        Snapshot.Event event = new Snapshot.Event(at, kind, WHO, 0, facts);
        events.add(event);
        take(event);
    }

    /** Since when; empty if nothing goes on. */
    Optional<Long> since(String subject) {
        return Optional.ofNullable(open.get(subject)).map(Snapshot.Event::at);
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
