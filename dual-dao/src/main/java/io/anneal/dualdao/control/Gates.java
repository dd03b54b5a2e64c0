package io.anneal.dualdao.control;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.Side;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Looks at the evidence, one gate a method. Whatever isn't said is taken for the worse. */
final class Gates {
    private static final String NOTHING_COMPARED =
            ", but no key was listed, so that nothing is known; see that sources list the keys of both sides";

    private final Situation situation;
    private final List<InstanceState> serving;

    Gates(Situation situation) {
        this.situation = situation;
        this.serving = situation.serving();
    }

    /** Every instance acts by the record in force alone, and is heard of. Nobody goes on without it. */
    Gate instances() {
        long version = situation.current().version();
        List<String> missing = new ArrayList<>();
        for (InstanceState instance : serving) {
            Heartbeat heartbeat = instance.heartbeat();
            if (!instance.acknowledged()) {
                missing.add(instance.name() + " " + notAcknowledged(heartbeat, version));
            }
            if (instance.silent()) {
                missing.add(instance.name() + " " + silence(instance));
            }
        }
        String evidence = missing.isEmpty()
                ? serving.isEmpty() ? "no instance is registered" : names() + " acknowledged version " + version
                : String.join("; ", missing);
        return new Gate("instances", missing.isEmpty(), evidence, false);
    }

    private static String notAcknowledged(Heartbeat heartbeat, long version) {
        String held = heartbeat.facts().get(Facts.HELD_UP);
        if (held != null) {
            return "acts by version " + heartbeat.version() + " of " + version + ": " + held;
        }
        return heartbeat.version() == version
                ? "still has operations of an earlier version under way"
                : "acts by version " + heartbeat.version() + " of " + version;
    }

    private static String silence(InstanceState instance) {
        if (instance.silentFor().isNegative()) {
            return "is " + seconds(instance.silentFor().negated())
                    + " ahead, so that its silence would not be seen: set its clock";
        }
        return "is silent for " + seconds(instance.silentFor()) + ", declare it dead if it is: anneal migrate dead "
                + instance.name();
    }

    /** All run in one mode, and the phases were walked in it. */
    Gate mode() {
        Set<String> modes = situation.said(Facts.MODE);
        if (modes.size() > 1) {
            return new Gate("mode", false, "instances run in " + String.join(" and ", modes), false);
        }
        boolean tested = TestWalk.under(situation.history(), situation.notes());
        if (tested && !situation.test() && !modes.isEmpty()) {
            String evidence = "phases were walked in test mode, go back to phase 1 first";
            return new Gate("mode", false, evidence, false);
        }
        return new Gate(
                "mode",
                true,
                modes.isEmpty() ? "no instance says its mode" : modes.iterator().next(),
                false);
    }

    /** What would fail in 2 is known in 1, as far as calls were looked at. */
    Gate preflight() {
        long looks = 0;
        List<String> failing = new ArrayList<>();
        for (InstanceState instance : serving) {
            Map<String, String> facts = instance.heartbeat().facts();
            looks += Math.max(0, Facts.number(facts, Facts.PREFLIGHT_LOOKS));
            long failures = Facts.number(facts, Facts.PREFLIGHT_FAILURES);
            if (failures > 0) {
                String causes = facts.entrySet().stream()
                        .filter(fact -> fact.getKey().startsWith(Facts.PREFLIGHT_CAUSE))
                        .map(fact -> fact.getKey().substring(Facts.PREFLIGHT_CAUSE.length()) + ": " + fact.getValue())
                        .sorted()
                        .collect(Collectors.joining("; "));
                failing.add(instance.name() + " saw " + failures + " calls that would fail in phase 2, " + causes);
            }
        }
        String evidence = failing.isEmpty()
                ? "the keys of " + looks + " calls could be told, written down and read back"
                : String.join("; ", failing) + ": mend it and start the instance again";
        return new Gate("preflight", failing.isEmpty(), evidence, true);
    }

    /** The target got what the origin had from before both were written. */
    Gate backfill() {
        Optional<DualStretch> stretch = situation.stretch();
        if (stretch.isPresent() && stretch.get().before() != Phase.ORIGIN_ONLY) {
            String evidence = "not needed, the target had every write when version "
                    + stretch.get().start().version() + " came from phase "
                    + stretch.get().before().label();
            return new Gate("backfill", true, evidence, true);
        }
        Optional<PhaseNote> newest = newest(PhaseNote.Kind.BACKFILL);
        String evidence = newest.map(note ->
                        "back-fill of " + note.facts().getOrDefault(Facts.ROWS, "?") + " rows ended at " + note.at())
                .orElseGet(() -> none("back-fill", PhaseNote.Kind.BACKFILL, "backfill"));
        return new Gate("backfill", newest.isPresent(), evidence, true);
    }

    /** The newest verification decides, and only one that came after the back-fill. */
    Gate verifiedSinceBackfill() {
        List<PhaseNote> notes = situation.notes();
        int backfill = newest(PhaseNote.Kind.BACKFILL).map(notes::lastIndexOf).orElse(-1);
        return verified(newest(PhaseNote.Kind.VERIFICATION).filter(note -> notes.lastIndexOf(note) > backfill));
    }

    /**
     * The newest verification that began when all reads went to the target and both sides were written, and that is not too old: what the
     * phases before showed is old news where nobody asks the origin any more.
     */
    Gate verifiedSinceTargetRead() {
        Optional<PhaseRecord> since = situation.targetReadSince();
        Optional<PhaseNote> newest =
                newest(PhaseNote.Kind.VERIFICATION).filter(note -> since.isPresent() && begunUnder(since.get(), note));
        Instant oldest = situation.now().minus(situation.policy().verifiedWithin());
        if (newest.isEmpty() || newest.get().at().isBefore(oldest)) {
            String evidence = newest.isPresent()
                    ? "the verification ended at " + newest.get().at() + ", more than "
                            + situation.policy().verifiedWithin().toSeconds() + " s ago"
                    : "no verification began since 100 % of the reads go to the target"
                            + since.map(whole -> " (version " + whole.version() + ")")
                                    .orElse("");
            return new Gate("verification", false, evidence + ": run 'anneal migrate verify'", true);
        }
        return verified(newest);
    }

    private static boolean begunUnder(PhaseRecord first, PhaseNote note) {
        return note.version() > first.version()
                || note.version() == first.version()
                        && Boolean.parseBoolean(note.facts().get(Facts.ACKNOWLEDGED));
    }

    /** Nobody wrote the origin alone while others took the target for complete. */
    Gate nobodyReturned() {
        List<String> returned = DepartedKeys.returned(situation);
        String evidence = returned.isEmpty()
                ? "no instance wrote the origin alone"
                : String.join("; ", returned) + ", back in 3b by 'anneal migrate backfill --reverse'";
        return new Gate("returned", returned.isEmpty(), evidence, true);
    }

    private Gate verified(Optional<PhaseNote> verification) {
        String evidence = verification
                .map(note -> "verification that ended at " + note.at() + found(note)
                        + (Facts.number(note.facts(), Facts.WRITTEN_PAST) > 0
                                ? ", and " + note.facts().get(Facts.WRITTEN_PAST)
                                        + " rows that somebody wrote past the dual DAO"
                                : ""))
                .orElseGet(() -> none("verification", PhaseNote.Kind.VERIFICATION, "verify"));
        List<String> returned = DepartedKeys.returned(situation);
        if (!returned.isEmpty()) {
            evidence += "; " + String.join("; ", returned);
        }
        boolean compared = verification.filter(PhaseNote::compared).isPresent();
        boolean clean = verification.filter(PhaseNote::clean).isPresent();
        if (verification.isPresent() && !compared) {
            evidence += NOTHING_COMPARED + ": run 'anneal migrate verify' again";
        } else if (verification.isPresent() && !clean) {
            evidence += ": look at what differs, and run 'anneal migrate verify' again";
        }
        return new Gate("verification", compared && clean && returned.isEmpty(), evidence, true);
    }

    private static String found(PhaseNote comparison) {
        Map<String, String> facts = comparison.facts();
        return " compared " + facts.getOrDefault(Facts.ROWS, "?") + " keys"
                + (Boolean.parseBoolean(facts.get(Facts.WHOLE)) ? ", all of both sides," : "") + " and found "
                + facts.getOrDefault(Facts.MISMATCHES, "?") + " mismatches";
    }

    private Optional<PhaseNote> newest(PhaseNote.Kind kind) {
        PhaseNote newest = null;
        for (PhaseNote note : situation.notes()) {
            boolean counts = note.kind() == kind
                    && situation
                            .stretch()
                            .filter(stretch -> stretch.holds(note))
                            .isPresent();
            newest = counts ? note : newest;
        }
        return Optional.ofNullable(newest);
    }

    private String none(String what, PhaseNote.Kind kind, String command) {
        String since = situation
                .stretch()
                .map(stretch -> " since all write both sides (version "
                        + stretch.start().version() + ")")
                .orElse("");
        boolean others = situation.notes().stream().anyMatch(note -> note.kind() == kind);
        return "no " + what + since + (others ? ", what was before or outside of that does not count" : "")
                + ": run 'anneal migrate " + command + "'";
    }

    Gate wholeShare() {
        int share = situation.current().readSharePercent();
        boolean whole = share == 100;
        String evidence = share + " % of the keys are read from the target"
                + (whole ? "" : ": run 'anneal migrate advance --to-share 100'");
        return new Gate("share", whole, evidence, true);
    }

    /** No journal has a key of which this side may lack the newest state. */
    Gate noDirtyKeys(Side lacking) {
        String name = lacking == Side.TARGET ? "dirty-target" : "dirty-origin";
        String side = lacking == Side.TARGET ? "target" : "origin";
        List<String> unsaid = new ArrayList<>();
        long keys = 0;
        for (InstanceState instance : serving) {
            long count = Facts.number(instance.heartbeat().facts(), DepartedKeys.dirty(lacking));
            if (count < 0) {
                unsaid.add(instance.name());
            }
            keys += Math.max(0, count);
        }
        List<String> departed = DepartedKeys.outstanding(situation, lacking);
        String evidence = serving.isEmpty()
                ? "no instance is registered"
                : keys + " keys of which the " + side + " may lack the newest state"
                        + (keys > 0 ? ": their instances copy them by and by, watch 'anneal migrate status'" : "");
        if (!unsaid.isEmpty()) {
            evidence += "; " + String.join(", ", unsaid) + " does not say how many";
        }
        if (!departed.isEmpty()) {
            evidence += "; " + String.join("; ", departed);
        }
        return new Gate(name, keys == 0 && unsaid.isEmpty() && departed.isEmpty(), evidence, true);
    }

    /** No read found in the origin what the target lacked, long enough. An instance that just started saw too little. */
    Gate quiet() {
        Instant since = situation.current().at();
        String reason = "the last change of phase or share";
        for (InstanceState instance : serving) {
            Map<String, String> facts = instance.heartbeat().facts();
            Instant started = millis(facts, Facts.STARTED_MILLIS);
            Instant hit = millis(facts, Facts.FALLBACK_LAST_HIT_MILLIS);
            if (started.isAfter(since)) {
                since = started;
                reason = "the start of " + instance.name();
            }
            if (hit.isAfter(since)) {
                since = hit;
                reason = "the last fallback hit, of " + instance.name();
            }
        }
        for (PhaseNote note : situation.notes()) {
            Instant hit = hit(note);
            if (hit.isAfter(since)) {
                since = hit;
                reason = "the last fallback hit, of " + note.facts().getOrDefault(Facts.INSTANCE, note.who())
                        + (note.kind() == PhaseNote.Kind.INSTANCE_DEAD ? ", as far as anybody knows" : "");
            }
        }
        Duration quiet = Duration.between(since, situation.now());
        boolean met = quiet.compareTo(situation.policy().quietWindow()) >= 0;
        String evidence = seconds(quiet) + " since " + reason + ", asked for "
                + seconds(situation.policy().quietWindow())
                + (met ? "" : ": wait, or see in 'anneal migrate status' what the target lacks");
        return new Gate("quiet", met, evidence, true);
    }

    /** Of an instance that is gone; one that died may have fallen back until it was declared dead. */
    private static Instant hit(PhaseNote note) {
        return switch (note.kind()) {
            case INSTANCE_LEFT -> millis(note.facts(), Facts.FALLBACK_LAST_HIT_MILLIS);
            case INSTANCE_DEAD -> note.at();
            default -> Instant.MIN;
        };
    }

    static Instant millis(Map<String, String> facts, String name) {
        return Instant.ofEpochMilli(Facts.number(facts, name));
    }

    /** The keys written since 4 are in the origin again. */
    Gate reverseBackfill() {
        long version = situation.current().version();
        Optional<PhaseNote> newest = situation.notes().stream()
                .filter(note -> note.kind() == PhaseNote.Kind.REVERSE_BACKFILL
                        && note.version() == version
                        && Boolean.parseBoolean(note.facts().get(Facts.ACKNOWLEDGED)))
                .reduce((earlier, later) -> later);
        String evidence = newest.map(note -> "reverse back-fill that ended at " + note.at() + found(note)
                        + (note.compared() ? "" : NOTHING_COMPARED))
                .orElse("no reverse back-fill since all write both sides again (version " + version + ")");
        boolean met =
                newest.filter(PhaseNote::compared).filter(PhaseNote::clean).isPresent();
        if (!met) {
            evidence += ": run 'anneal migrate backfill --reverse'";
        }
        return new Gate("reverse", met, evidence, false);
    }

    /** Why 4 and 5 have no direct way back. */
    String reverseFirst() {
        return "the origin lacks what was written since phase 4, " + keysToCopy()
                + " keys as far as instances said: run the reverse back-fill first (anneal migrate backfill --reverse)"
                + (remembered().met() ? "" : "; but " + remembered().evidence());
    }

    /** Without the keys written since 4 nothing can be copied back. */
    Gate remembered() {
        boolean met = !situation.said(Facts.REMEMBERS_WRITES).contains("false");
        String evidence = met
                ? "keys written since phase 4 are kept"
                : "keys written since phase 4 are not kept, so that nobody knows what to copy back";
        return new Gate("remembered", met, evidence, false);
    }

    /** How many keys the instances hold of which the origin lacks the newest state; those that are gone included. */
    long keysToCopy() {
        long keys = 0;
        for (InstanceState instance : serving) {
            keys += Math.max(0, Facts.number(instance.heartbeat().facts(), Facts.DIRTY_ORIGIN));
        }
        return keys;
    }

    private String names() {
        return serving.stream().map(InstanceState::name).collect(Collectors.joining(", "));
    }

    private static String seconds(Duration duration) {
        return duration.toSeconds() + " s";
    }
}
