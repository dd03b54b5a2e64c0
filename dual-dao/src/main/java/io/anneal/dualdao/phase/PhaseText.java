package io.anneal.dualdao.phase;

import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Records, notes, heartbeats and marks as lines: fields parted by a space. In a field a percent sign, a space, an equals sign
 * and control characters are {@code %} and two hexadecimal digits; an empty field is a percent sign alone. Facts are the last
 * fields, {@code name=value} each.
 */
final class PhaseText {
    private static final String EMPTY = "%";

    private PhaseText() {}

    static String line(PhaseRecord phaseRecord) {
        return new Line()
                .add(phaseRecord.version())
                .add(phaseRecord.phase().label())
                .add(phaseRecord.readSharePercent())
                .add(phaseRecord.highest().label())
                .add(phaseRecord.at())
                .add(phaseRecord.who())
                .add(phaseRecord.why())
                .toString();
    }

    /**
     * A record as a file has it.
     *
     * @param fallback what format 1 says of reads that fall back, which later formats leave out
     */
    record Filed(PhaseRecord phaseRecord, boolean fallback) {}

    static Filed filed(Fields fields) {
        long version = fields.number();
        Phase phase = fields.phase();
        int share = Math.toIntExact(fields.number());
        boolean fallback = fields.format() == 1 && fields.truth();
        Phase highest = fields.phase();
        Instant at = fields.instant();
        return new Filed(new PhaseRecord(version, phase, share, highest, fields.text(), at, fields.text()), fallback);
    }

    static String line(PhaseNote note) {
        return new Line()
                .add(note.at())
                .add(note.version())
                .add(note.who())
                .add(note.kind().name())
                .add(note.facts())
                .toString();
    }

    static PhaseNote note(Fields fields) {
        Instant at = fields.instant();
        long version = fields.number();
        String who = fields.text();
        return new PhaseNote(at, version, who, PhaseNote.Kind.valueOf(fields.text()), fields.facts());
    }

    static String line(Heartbeat heartbeat) {
        return new Line()
                .add(heartbeat.instance())
                .add(heartbeat.version())
                .add(heartbeat.drained())
                .add(heartbeat.at())
                .add(heartbeat.facts())
                .toString();
    }

    static Heartbeat heartbeat(Fields fields) {
        String instance = fields.text();
        long version = fields.number();
        boolean drained = fields.truth();
        return new Heartbeat(instance, version, drained, fields.instant(), fields.facts());
    }

    static String line(PhaseMark.Seen seen) {
        return new Line()
                .add(seen.version())
                .add(seen.phase().label())
                .add(seen.highest().label())
                .toString();
    }

    static PhaseMark.Seen seen(Fields fields) {
        return new PhaseMark.Seen(fields.number(), fields.phase(), fields.phase());
    }

    /** A name that may stand for a file: what is neither letter, digit, hyphen nor underscore is escaped, dots too. */
    static String fileName(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("name is empty");
        }
        StringBuilder escaped = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean plain =
                    c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_';
            if (plain) {
                escaped.append(c);
            } else if (c < 0x80) {
                escape(escaped, c);
            } else {
                // Longer than two digits, and so told by its letter.
                escaped.append("%u").append(HexFormat.of().toHexDigits(c));
            }
        }
        return escaped.toString();
    }

    private static void escape(StringBuilder escaped, char c) {
        escaped.append('%').append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 0xf, 16));
    }

    private static String escaped(String text) {
        if (text.isEmpty()) {
            return EMPTY;
        }
        StringBuilder escaped = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c <= ' ' || c == '%' || c == '=' || c == 0x7f) {
                escape(escaped, c);
            } else {
                escaped.append(c);
            }
        }
        return escaped.toString();
    }

    private static String unescaped(String field) {
        if (field.equals(EMPTY)) {
            return "";
        }
        StringBuilder text = new StringBuilder(field.length());
        for (int i = 0; i < field.length(); i++) {
            char c = field.charAt(i);
            if (c == '%') {
                if (i + 3 > field.length()) {
                    throw new IllegalArgumentException("escape is cut short, field=" + field);
                }
                c = (char) Integer.parseInt(field.substring(i + 1, i + 3), 16);
                i += 2;
            }
            text.append(c);
        }
        return text.toString();
    }

    /** A line in the making. */
    private static final class Line {
        private final StringBuilder line = new StringBuilder();

        Line add(String text) {
            return field(escaped(text));
        }

        Line add(long number) {
            return field(Long.toString(number));
        }

        Line add(boolean truth) {
            return field(Boolean.toString(truth));
        }

        Line add(Instant instant) {
            return field(instant.toString());
        }

        Line add(Map<String, String> facts) {
            new TreeMap<>(facts).forEach((name, value) -> field(escaped(name) + "=" + escaped(value)));
            return this;
        }

        private Line field(String field) {
            if (line.length() > 0) {
                line.append(' ');
            }
            line.append(field);
            return this;
        }

        @Override
        public String toString() {
            return line.toString();
        }
    }

    /** The fields of a line, one after the other. What they can't be is an {@link IllegalArgumentException}. */
    static final class Fields {
        private final int format;
        private final String[] fields;
        private int next;

        Fields(int format, String line) {
            this.format = format;
            fields = line.split(" ", -1);
        }

        /** The version of the format of the file that the line is from. */
        int format() {
            return format;
        }

        private String field() {
            if (next == fields.length) {
                throw new IllegalArgumentException("fields are missing, count=" + fields.length);
            }
            return fields[next++];
        }

        String text() {
            return unescaped(field());
        }

        long number() {
            return Long.parseLong(field());
        }

        boolean truth() {
            String field = field();
            if (!field.equals("true") && !field.equals("false")) {
                throw new IllegalArgumentException("neither true nor false, field=" + field);
            }
            return field.equals("true");
        }

        Phase phase() {
            return Phase.of(field());
        }

        Instant instant() {
            return Instant.parse(field());
        }

        Map<String, String> facts() {
            Map<String, String> facts = new LinkedHashMap<>();
            while (next < fields.length) {
                String field = field();
                int equals = field.indexOf('=');
                if (equals < 0) {
                    throw new IllegalArgumentException("not a fact, field=" + field);
                }
                facts.put(unescaped(field.substring(0, equals)), unescaped(field.substring(equals + 1)));
            }
            return facts;
        }

        void end() {
            if (next != fields.length) {
                throw new IllegalArgumentException("fields are too many, count=" + fields.length);
            }
        }
    }
}
