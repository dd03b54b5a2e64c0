package io.anneal.migrate.bulk;

import io.anneal.dualdao.compare.FieldDiff;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** The least entry: a number with a value. */
record TestEntry(long position, String value, long writeTimeMicros) implements BulkEntry {
    @Override
    public String key() {
        return "k" + position;
    }

    @Override
    public OptionalLong newestWriteMicros() {
        return OptionalLong.of(writeTimeMicros);
    }

    @Override
    public long lengthBytes() {
        return Long.BYTES + value.length();
    }

    @Override
    public List<FieldDiff> differences(BulkEntry target, BulkTolerance tolerance) {
        TestEntry other = (TestEntry) target;
        List<FieldDiff> diffs = new ArrayList<>();
        if (!value.equals(other.value)) {
            diffs.add(new FieldDiff("value", value, other.value));
        }
        if (tolerance.writeTimes() && writeTimeMicros != other.writeTimeMicros) {
            diffs.add(new FieldDiff(
                    "value, write time", Long.toString(writeTimeMicros), Long.toString(other.writeTimeMicros)));
        }
        return diffs;
    }
}
