package io.anneal.faults;

import io.anneal.faults.UserLog.Entry;
import io.anneal.faults.UserLog.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Holds the logs of all processes against what docs/migrate.md promises, knowing nothing of the dual DAO. An id is a register, and so
 * is an id in a city, for lists. A read is right if some write of what it found began before the read ended, and did not end before
 * the newest acknowledged write began that ended before the read began:
 *
 * <pre>
 *   found    |-----|                  not: what was acknowledged after it had ended was over before the read
 *   newest           |-----|
 *   read                      |---|
 * </pre>
 *
 * A write that was taken back is never found. Of ids that both processes write, whose tables keep no times, what is found need only have
 * been written.
 */
final class UserLogCheck {
    /** From here on, ids are written by all processes. */
    static final long SHARED_FROM = 1_000_000;

    enum Kind {
        SAVE,
        /** By a mark, or for good. */
        DELETE,
        RENAME,
        VISIT,
        FIND,
        LIST,
        /** The row when all is over. */
        LAST
    }

    /** What was ever written to an id, or to an id in a city; before all that there was nothing. */
    private static final class Register {
        /** When acknowledged writes ended, and when the newest of those up to then began. */
        private final TreeMap<Long, Long> newest = new TreeMap<>();

        /** When writes of a value began, and when the last of those up to then ended. */
        private final Map<String, TreeMap<Long, Long>> ends = new HashMap<>();

        Register() {
            newest.put(Long.MIN_VALUE, Long.MIN_VALUE);
            ends.put("", new TreeMap<>(Map.of(Long.MIN_VALUE, Long.MIN_VALUE)));
        }

        void add(Entry write, String value) {
            if (write.outcome() == Outcome.DONE) {
                raise(newest, write.endNanos(), write.startNanos());
            }
            if (write.outcome() != Outcome.NOT_DONE) {
                raise(ends.computeIfAbsent(value, written -> new TreeMap<>()), write.startNanos(), write.endNanos());
            }
        }

        /** Each key's value is the greatest of those up to it. */
        private static void raise(TreeMap<Long, Long> greatest, long key, long value) {
            Map.Entry<Long, Long> before = greatest.floorEntry(key);
            greatest.put(key, before == null ? value : Math.max(before.getValue(), value));
            for (Map.Entry<Long, Long> later = greatest.higherEntry(key);
                    later != null && later.getValue() < value;
                    later = greatest.higherEntry(later.getKey())) {
                greatest.put(later.getKey(), value);
            }
        }

        /** When the newest write began that was acknowledged before a read began. */
        long newest(Entry read) {
            return newest.lowerEntry(read.startNanos()).getValue();
        }

        /** When the last write of a value ended that began before a read ended; null if there is none. */
        Long lastEnd(Entry read, String value) {
            TreeMap<Long, Long> written = ends.get(value);
            Map.Entry<Long, Long> last = written == null ? null : written.floorEntry(read.endNanos());
            return last == null ? null : last.getValue();
        }
    }

    private final List<String> cities;
    private final Map<String, Register> registers = new HashMap<>();
    private final Map<String, Map<String, Register>> inCity = new HashMap<>();
    private final Map<String, int[]> visits = new TreeMap<>();
    private final List<String> violations = new ArrayList<>();
    private int writes;
    private int reads;

    private UserLogCheck(List<String> cities) {
        this.cities = cities;
    }

    /**
     * What was found.
     *
     * @param violations in words, one a line
     */
    record Result(int writes, int reads, List<String> violations) {}

    static Result check(List<Entry> entries, List<String> cities) {
        UserLogCheck check = new UserLogCheck(cities);
        entries.forEach(check::note);
        entries.forEach(check::look);
        return new Result(check.writes, check.reads, check.violations);
    }

    /** The city is the last part of each name. */
    static String city(String name) {
        return name.substring(name.lastIndexOf('@') + 1);
    }

    private void note(Entry entry) {
        switch (entry.kind()) {
            case SAVE, DELETE, RENAME -> {
                writes++;
                register(registers, entry.subject()).add(entry, entry.value());
                for (String city : cities) {
                    boolean here = city(entry.value()).equals(city);
                    register(inCity.computeIfAbsent(city, name -> new HashMap<>()), entry.subject())
                            .add(entry, here ? entry.value() : "");
                }
            }
            case VISIT -> {
                int[] counts = visits.computeIfAbsent(entry.subject(), id -> new int[2]);
                counts[0] += entry.outcome() == Outcome.DONE ? 1 : 0;
                counts[1] += entry.outcome() == Outcome.NOT_DONE ? 0 : 1;
            }
            default -> {
                // Reads are looked at when all writes are known.
            }
        }
    }

    private static Register register(Map<String, Register> among, String id) {
        return among.computeIfAbsent(id, name -> new Register());
    }

    private void look(Entry entry) {
        if (entry.outcome() != Outcome.DONE) {
            return;
        }
        switch (entry.kind()) {
            case FIND -> found(registers, entry.subject(), entry, entry.observed());
            case LIST -> {
                Map<String, String> listed = new HashMap<>();
                for (String user : entry.observed().split(" ")) {
                    if (!user.isEmpty()) {
                        listed.put(user.substring(0, user.indexOf('=')), user.substring(user.indexOf('=') + 1));
                    }
                }
                Map<String, Register> here = inCity.get(entry.subject());
                here.keySet().forEach(id -> found(here, id, entry, listed.getOrDefault(id, "")));
            }
            case LAST -> {
                String[] last = entry.observed().split(" ");
                found(registers, entry.subject(), entry, last[0]);
                visited(entry.subject(), last.length == 1 ? -1 : Integer.parseInt(last[1]));
            }
            default -> {
                // Writes are what reads are held against.
            }
        }
    }

    private void found(Map<String, Register> among, String id, Entry read, String value) {
        reads++;
        Register register = register(among, id);
        Long lastEnd = register.lastEnd(read, value);
        if (lastEnd == null) {
            violations.add(
                    "found what nobody wrote, or what was taken back: id=" + id + ", found=" + value + ", " + read);
        } else if (Long.parseLong(id) < SHARED_FROM && lastEnd < register.newest(read)) {
            violations.add((value.isEmpty() ? "lost: id=" : "found what is older or deleted: id=") + id + ", found="
                    + value + ", which was over at=" + lastEnd + ", newest began at=" + register.newest(read) + ", "
                    + read);
        }
    }

    private void visited(String id, int count) {
        int[] counts = visits.getOrDefault(id, new int[2]);
        if (count >= 0 && (count < counts[0] || count > counts[1])) {
            violations.add(
                    "visits: id=" + id + ", counted=" + count + ", acknowledged=" + counts[0] + ", tried=" + counts[1]);
        }
    }
}
