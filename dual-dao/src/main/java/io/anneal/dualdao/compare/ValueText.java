package io.anneal.dualdao.compare;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** Values as differences show them: short, bytes in hexadecimal digits, and nothing of what is redacted. */
final class ValueText {
    /** Stands where there is no value, as an element that only the other side has. */
    static final Object NOTHING = new Object() {
        @Override
        public String toString() {
            return FieldDiff.ABSENT;
        }
    };

    private final ComparisonRules rules;

    ValueText(ComparisonRules rules) {
        this.rules = rules;
    }

    String of(Object value, List<PathPattern.Step> path) {
        if (value == NOTHING) {
            return FieldDiff.ABSENT;
        }
        if (redacted(path)) {
            return FieldDiff.REDACTED;
        }
        if (value instanceof byte[] bytes) {
            return hex(bytes, bytes.length);
        }
        if (value instanceof ByteBuffer buffer) {
            byte[] bytes = new byte[Math.min(buffer.remaining(), rules.valueCharsMax())];
            buffer.duplicate().get(bytes);
            return hex(bytes, buffer.remaining());
        }
        // Its text would hold parts that may be redacted further down.
        if (!rules.redacted().isEmpty() && hasParts(value)) {
            return "(" + value.getClass().getSimpleName() + ")";
        }
        return shortened(value instanceof Object[] elements ? Arrays.deepToString(elements) : String.valueOf(value));
    }

    private boolean redacted(List<PathPattern.Step> path) {
        for (int length = 0; length <= path.size(); length++) {
            if (ComparisonRules.anyMatches(rules.redacted(), path.subList(0, length))) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasParts(Object value) {
        return value instanceof Map
                || value instanceof Collection
                || value instanceof Object[]
                || value != null && !Accessors.of(value.getClass()).isEmpty();
    }

    private String hex(byte[] bytes, int lengthBytes) {
        int shown = Math.min(bytes.length, rules.valueCharsMax() / 2);
        String digits = "0x" + HexFormat.of().formatHex(bytes, 0, shown);
        return shown < lengthBytes ? digits + "... (" + lengthBytes + " bytes)" : digits;
    }

    String shortened(String value) {
        return value.length() <= rules.valueCharsMax() ? value : value.substring(0, rules.valueCharsMax()) + "...";
    }
}
