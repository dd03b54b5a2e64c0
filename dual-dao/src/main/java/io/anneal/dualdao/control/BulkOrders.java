package io.anneal.dualdao.control;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.PhaseNote;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Orders for work on all keys. Somebody who can't open the stores leaves a note in the phase store; of the instances that can list the
 * keys the first by name does the work, and the next one if that falls silent. Two that see this at different moments both do it,
 * which does no harm: a key that is copied twice is copied once. An order is void when the record changes. Any thread may call.
 */
public final class BulkOrders {
    private static final Duration ASK_EVERY = Duration.ofMillis(200);

    private final PhaseControl control;

    public BulkOrders(PhaseControl control) {
        this.control = control;
    }

    /**
     * What is asked for.
     *
     * @param kind a back-fill or a verification
     * @param repairs whether a verification makes good what differs
     * @param keysPerSecond at most, 0 for as fast as it goes
     */
    public record Order(PhaseNote.Kind kind, boolean repairs, int keysPerSecond, String who) {
        private static final String REPAIRS = "repairs";
        private static final String RATE = "keysPerSecond";

        private static Order of(PhaseNote note) {
            Map<String, String> facts = note.facts();
            return new Order(
                    PhaseNote.Kind.valueOf(facts.get(Facts.KIND)),
                    Boolean.parseBoolean(facts.get(REPAIRS)),
                    (int) Facts.number(facts, RATE),
                    note.who());
        }

        private Map<String, String> facts() {
            return Map.of(
                    Facts.KIND, kind.name(), REPAIRS, Boolean.toString(repairs), RATE, Integer.toString(keysPerSecond));
        }
    }

    /** Leaves an order; it takes the place of an earlier one that nobody took up. */
    public void place(Order order) {
        control.add(PhaseNote.Kind.ORDER, order.who(), order.facts());
    }

    /**
     * The order that this instance is to take up now; the phase store is asked only if one waits.
     *
     * @param notes all of them, oldest first
     */
    public Optional<Order> due(String instance, List<PhaseNote> notes) {
        List<PhaseNote> since = sinceNewest(notes);
        if (since.isEmpty() || end(since).isPresent() || !inForce(since)) {
            return Optional.empty();
        }
        List<InstanceState> instances = control.instances();
        boolean underWay = instances.stream().anyMatch(state -> !state.serves() && !state.silent());
        boolean behind = instances.stream().anyMatch(state -> !state.acknowledged());
        boolean first = instances.stream()
                .filter(state -> state.serves() && !state.silent())
                .filter(state -> Boolean.parseBoolean(state.heartbeat().facts().get(Facts.LISTS_KEYS)))
                .map(InstanceState::name)
                .min(Comparator.naturalOrder())
                .filter(instance::equals)
                .isPresent();
        return first && !underWay && !behind ? Optional.of(Order.of(since.get(0))) : Optional.empty();
    }

    /** Tells that an order could not be carried out. */
    public void failed(Order order, String instance, String reason) {
        Map<String, String> facts = new HashMap<>(order.facts());
        facts.put(Facts.INSTANCE, instance);
        facts.put(Facts.TEXT, reason);
        control.add(PhaseNote.Kind.ORDER_FAILED, order.who(), facts);
    }

    /** The newest order and all notes after it; empty without one. */
    private static List<PhaseNote> sinceNewest(List<PhaseNote> notes) {
        for (int i = notes.size() - 1; i >= 0; i--) {
            if (notes.get(i).kind() == PhaseNote.Kind.ORDER) {
                return notes.subList(i, notes.size());
            }
        }
        return List.of();
    }

    private boolean inForce(List<PhaseNote> since) {
        return since.get(0).version() == control.current().version();
    }

    private static Optional<PhaseNote> end(List<PhaseNote> since) {
        PhaseNote.Kind kind = Order.of(since.get(0)).kind();
        return since.stream()
                .filter(note -> note.kind() == kind
                        || note.kind() == PhaseNote.Kind.ORDER_FAILED
                        || kind == PhaseNote.Kind.VERIFICATION && note.kind() == PhaseNote.Kind.REVERSE_BACKFILL)
                .findFirst();
    }

    /**
     * Waits until the newest order was carried out, as long as it is under way.
     *
     * @param atMost how long to wait for somebody to go on with it
     * @param progress is told how many keys were done
     * @return the note that the work left, or why it failed; empty if nobody does it, or the phase was changed
     */
    public Optional<PhaseNote> await(Duration atMost, PhaseControl.Sleeper sleeper, Consumer<Long> progress)
            throws InterruptedException {
        Duration idle = Duration.ZERO;
        while (true) {
            List<PhaseNote> since = sinceNewest(control.notes());
            boolean waits = !since.isEmpty() && inForce(since);
            Optional<PhaseNote> end = waits ? end(since) : Optional.empty();
            if (end.isPresent()) {
                return end;
            }
            Optional<InstanceState> worker = control.instances().stream()
                    .filter(state -> !state.serves() && !state.silent())
                    .findFirst();
            worker.map(state -> Facts.number(state.heartbeat().facts(), Facts.ROWS))
                    .ifPresent(progress);
            idle = worker.isPresent() ? Duration.ZERO : idle.plus(ASK_EVERY);
            if (!waits && worker.isEmpty() || idle.compareTo(atMost) > 0) {
                return Optional.empty();
            }
            sleeper.sleep(ASK_EVERY);
        }
    }
}
