package io.anneal.cli.command;

import io.anneal.node.ReplicaException;
import io.anneal.node.Waiver;

/** What a user can do where a repair was refused: the flags that the layers below do not know. */
final class RepairAdvice {
    private RepairAdvice() {}

    static String of(Waiver waiver) {
        return switch (waiver) {
            case EMPTY_REPLICA -> "allow it with --allow-empty if it is right that it has nothing";
            case OLD_DATA -> "see docs/operate.md, or allow it with --allow-old-snapshots";
            case NO_GC_GRACE -> "allow it with --allow-no-gc-grace if nothing is ever deleted";
            case CLOCK_SKEW -> "allow it with --allow-clock-skew if the clock was right when the data was written";
            case TRUNCATED -> "allow it with --allow-truncated if those rows shall come back";
        };
    }

    static String of(ReplicaException.Remedy remedy) {
        return switch (remedy) {
            case SCHEMA_TEXT -> "take a snapshot, or give --schema FILE.cql";
            case NOT_STAGED -> "leave --staged out";
            case NONE -> ErrorCode.REPAIR.advice();
        };
    }
}
