package io.anneal.migrate.bulk;

import io.anneal.dualdao.compare.FieldDiff;
import java.util.List;
import java.util.OptionalLong;

/** What is copied and compared as one: a row, a partition, an object. Owns what it holds; immutable. */
public interface BulkEntry {
    /** Names it for people; the same for both sides. */
    String key();

    /** Where it stands among the {@link BulkRange}s: a token, a key, whatever ascends in the order of the source. */
    long position();

    /** When the newest part of it was written, since 1970; empty if nobody knows. */
    OptionalLong newestWriteMicros();

    /** Roughly, for limits and reports. */
    long lengthBytes();

    /** In what this entry, the origin's, differs from the target's; empty if the two are equal. */
    List<FieldDiff> differences(BulkEntry target, BulkTolerance tolerance);
}
