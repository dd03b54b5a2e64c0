package io.anneal.dualdao.control;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.Side;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Orders for work on all keys. Somebody who can't open the stores leaves a note in the phase store; of the instances that can list the
 * keys the first by name does the work, and the next one if that falls silent. Two that see this at different moments both do it,
 * which does no harm: a key that is copied twice is copied once. An order has an id, which the note that ends it names; one at a
 * time is open. It is void when the record changes. Any thread may call.
 */
public final class BulkOrders {
    private static final Duration ASK_EVERY = Duration.ofMillis(200);
    private static final String NOT_PLACED = "";

    private final PhaseControl control;

    public BulkOrders(PhaseControl control) {
        this.control = control;
    }

    /**
     * What is asked for.
     *
     * @param id tells it from all others of the migration; empty before it was placed
     * @param kind a back-fill or a verification
     * @param repairs whether a verification makes good what differs
     * @param keysPerSecond at most, 0 for as fast as it goes
     */
    public record Order(String id, PhaseNote.Kind kind, boolean repairs, int keysPerSecond, String who) {
        private static final String REPAIRS = "repairs";
        private static final String RATE = "keysPerSecond";

        /** One that is not placed yet. */
        public static Order of(PhaseNote.Kind kind, boolean repairs, int keysPerSecond, String who) {
            return new Order(NOT_PLACED, kind, repairs, keysPerSecond, who);
        }

        private static Order of(PhaseNote note) {
            Map<String, String> facts = note.facts();
            return new Order(
                    idOf(note),
                    PhaseNote.Kind.valueOf(facts.get(Facts.KIND)),
                    Boolean.parseBoolean(facts.get(REPAIRS)),
                    (int) Facts.number(facts, RATE),
                    note.who());
        }

        private Map<String, String> facts(String placed) {
            return Map.of(
                    Facts.ORDER,
                    placed,
                    Facts.KIND,
                    kind.name(),
                    REPAIRS,
                    Boolean.toString(repairs),
                    RATE,
                    Integer.toString(keysPerSecond));
        }
    }

    /**
     * Leaves an order.
     *
     * @param replaces whether it takes the place of one that is open, which is ended; an instance that does that one already
     *     does it to its end before
     * @return with its id
     * @throws GateException in a phase in which nobody would do it; if another one is open, and is not to be replaced
     */
    public Order place(Order wanted, boolean replaces) {
        Situation situation = control.situation();
        requirePhase(situation, wanted.kind());
        Optional<PhaseNote> before = open(situation);
        if (before.isPresent() && !replaces) {
            throw taken(situation, before.get());
        }
        before.ifPresent(note -> end(Order.of(note), wanted.who(), "replaced by an order of " + wanted.who()));
        // Notes are never fewer: of two orders with one number the clock tells which is which.
        String id = situation.now() + "/" + situation.notes().size();
        Order placed = Order.of(control.add(PhaseNote.Kind.ORDER, wanted.who(), wanted.facts(id)));
        Situation after = control.situation();
        PhaseNote first = open(after).orElse(null);
        if (first != null && !idOf(first).equals(id)) { // of two that were placed at the same moment
            end(placed, wanted.who(), "another one was placed at the same moment");
            throw taken(after, first);
        }
        return placed;
    }

    /** Known without asking an instance: else a command would wait for nobody. */
    private static void requirePhase(Situation situation, PhaseNote.Kind kind) {
        Phase phase = situation.current().phase();
        boolean both = phase.writes(Side.ORIGIN) && phase.writes(Side.TARGET);
        if (kind == PhaseNote.Kind.BACKFILL && (!both || phase == Phase.TARGET_FIRST && !situation.test())) {
            throw refusal(
                    situation,
                    "phase",
                    "a back-fill is for phase 2, and for 3 with a copy of guarantee SOURCE_TIMESTAMPS");
        }
        if (!both) {
            throw refusal(
                    situation, "phase", "a verification is for phases in which both sides are written, 2, 3 and 3b");
        }
    }

    private static GateException taken(Situation situation, PhaseNote open) {
        return refusal(
                situation,
                "order",
                name(Order.of(open).kind()) + " that " + open.who() + " ordered at " + open.at()
                        + " is not done: wait for it, or take its place with --replace");
    }

    private static String name(PhaseNote.Kind kind) {
        return kind == PhaseNote.Kind.BACKFILL ? "a back-fill" : "a verification";
    }

    private static GateException refusal(Situation situation, String gate, String evidence) {
        Phase phase = situation.current().phase();
        return new GateException(new Readiness(phase, phase, List.of(new Gate(gate, false, evidence, false))));
    }

    /** The oldest order in force that no note ends; empty without one. */
    private static Optional<PhaseNote> open(Situation situation) {
        return open(situation.notes(), situation.current().version());
    }

    private static Optional<PhaseNote> open(List<PhaseNote> notes, long version) {
        return notes.stream()
                .filter(note -> note.kind() == PhaseNote.Kind.ORDER && note.version() == version)
                .filter(note -> end(notes, note).isEmpty())
                .findFirst();
    }

    private static Optional<PhaseNote> end(List<PhaseNote> notes, String id) {
        return notes.stream()
                .filter(note ->
                        note.kind() == PhaseNote.Kind.ORDER && idOf(note).equals(id))
                .findFirst()
                .flatMap(order -> end(notes, order));
    }

    private static Optional<PhaseNote> end(List<PhaseNote> notes, PhaseNote order) {
        return notes.subList(notes.indexOf(order) + 1, notes.size()).stream()
                .filter(note -> note.kind() != PhaseNote.Kind.ORDER)
                .filter(note -> note.facts().containsKey(Facts.ORDER)
                        ? idOf(note).equals(idOf(order))
                        : does(note, Order.of(order), order.at()))
                .findFirst();
    }

    /**
     * Whether work that nobody ordered, as that of a process which follows the phases, is all that was ordered. Of work over keys
     * that somebody listed by hand that is not known.
     */
    private static boolean does(PhaseNote work, Order order, Instant orderedAt) {
        if (!Boolean.parseBoolean(work.facts().get(Facts.WHOLE))) {
            return false;
        }
        if (order.kind() == PhaseNote.Kind.VERIFICATION && work.kind() == PhaseNote.Kind.REVERSE_BACKFILL) {
            return true;
        }
        // What began before may have passed what is asked about.
        boolean beganSince = Facts.number(work.facts(), Facts.STARTED_MILLIS) >= orderedAt.toEpochMilli();
        return work.kind() == order.kind() && beganSince && (!order.repairs() || work.clean());
    }

    private static String idOf(PhaseNote note) {
        return note.facts().getOrDefault(Facts.ORDER, NOT_PLACED);
    }

    /**
     * The order that this instance is to take up now; the phase store is asked only if one waits.
     *
     * @param notes all of them, oldest first
     */
    public Optional<Order> due(String instance, List<PhaseNote> notes) {
        if (notes.stream().noneMatch(note -> note.kind() == PhaseNote.Kind.ORDER)) {
            return Optional.empty();
        }
        Optional<PhaseNote> open = open(notes, control.current().version());
        if (open.isEmpty()) {
            return Optional.empty();
        }
        List<InstanceState> instances = control.instances();
        boolean underWay = instances.stream().anyMatch(BulkOrders::works);
        boolean behind = instances.stream().anyMatch(state -> !state.acknowledged());
        boolean first = instances.stream()
                .filter(state -> state.serves() && !state.silent())
                .filter(state -> Boolean.parseBoolean(state.heartbeat().facts().get(Facts.LISTS_KEYS)))
                .map(InstanceState::name)
                .min(Comparator.naturalOrder())
                .filter(instance::equals)
                .isPresent();
        return first && !underWay && !behind ? open.map(Order::of) : Optional.empty();
    }

    private static boolean works(InstanceState state) {
        return !state.serves() && !state.silent();
    }

    /**
     * Tells that an order could not be carried out.
     *
     * @param refused whether the phase, and not a failure, is why
     */
    public void failed(Order order, String instance, String reason, boolean refused) {
        Map<String, String> more = Map.of(Facts.INSTANCE, instance, Facts.REFUSED, Boolean.toString(refused));
        end(order, order.who(), reason, more);
    }

    private PhaseNote end(Order order, String who, String reason) {
        return end(order, who, reason, Map.of(Facts.REFUSED, "true"));
    }

    private PhaseNote end(Order order, String who, String reason, Map<String, String> more) {
        Map<String, String> facts = new HashMap<>(order.facts(order.id()));
        facts.putAll(more);
        facts.put(Facts.TEXT, reason);
        return control.add(PhaseNote.Kind.ORDER_FAILED, who, facts);
    }

    private static PhaseNote done(Situation situation, PhaseNote end) {
        if (end.kind() != PhaseNote.Kind.ORDER_FAILED) {
            return end;
        }
        Map<String, String> facts = end.facts();
        if (Boolean.parseBoolean(facts.get(Facts.REFUSED))) {
            throw refusal(situation, "order", facts.get(Facts.TEXT));
        }
        throw new OrderFailedException(facts.get(Facts.INSTANCE), facts.get(Facts.TEXT));
    }

    /**
     * Waits until the order was carried out, as long as it is under way. One that nobody goes on with is ended.
     *
     * @param atMost how long to wait for somebody to go on with it
     * @param progress is told how many keys were done
     * @return the note that the work left
     * @throws GateException if nobody does it, if the phase was changed, or if whoever was to do it refuses in this phase
     * @throws OrderFailedException if whoever did it failed
     */
    public PhaseNote await(Order order, Duration atMost, PhaseControl.Sleeper sleeper, Consumer<Long> progress)
            throws InterruptedException {
        Instant goneOn = control.situation().now();
        while (true) {
            Situation situation = control.situation();
            Optional<PhaseNote> end = end(situation.notes(), order.id());
            if (end.isPresent()) {
                return done(situation, end.get());
            }
            List<InstanceState> workers =
                    situation.instances().stream().filter(BulkOrders::works).toList();
            workers.stream()
                    .map(state -> state.heartbeat().facts())
                    .filter(facts -> order.id().equals(facts.get(Facts.ORDER)))
                    .findFirst()
                    .ifPresent(facts -> progress.accept(Facts.number(facts, Facts.ROWS)));
            goneOn = workers.isEmpty() ? goneOn : situation.now();
            boolean inForce = open(situation).isPresent();
            if (!inForce && workers.isEmpty()) {
                end(order, order.who(), "the phase was changed before it was done");
            } else if (Duration.between(goneOn, situation.now()).compareTo(atMost) >= 0) {
                end(
                        order,
                        order.who(),
                        "no instance did it: build one with .keys(...), start 'run --work', or name --origin and --target;"
                                + " waited=" + atMost.toSeconds() + "s");
            } else {
                sleeper.sleep(ASK_EVERY);
            }
        }
    }
}
