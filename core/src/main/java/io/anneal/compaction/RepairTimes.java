package io.anneal.compaction;

/** When ranges of tokens were last repaired. Immutable or safe to share. */
public interface RepairTimes {
    /** Never. */
    long NEVER = Long.MIN_VALUE;

    /** Nothing was ever repaired. */
    RepairTimes NONE = token -> NEVER;

    /** When the last complete repair of the token's range began, in seconds since 1970; or {@link #NEVER}. */
    long lastRepairSeconds(long token);
}
