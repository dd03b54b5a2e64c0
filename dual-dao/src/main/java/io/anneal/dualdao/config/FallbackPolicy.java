package io.anneal.dualdao.config;

/**
 * When a read that began at the target goes to the origin: in phase 3 alone, in which the origin is right. From 3b on no read goes
 * there, since an old answer is worse than none.
 *
 * @param onMiss if the target has nothing
 * @param onError if the target throws
 * @param onTimeout if the target is late
 */
public record FallbackPolicy(boolean onMiss, boolean onError, boolean onTimeout) {
    /** On a miss alone. */
    public static final FallbackPolicy ON_MISS = new FallbackPolicy(true, false, false);

    /** Never. */
    public static final FallbackPolicy NEVER = new FallbackPolicy(false, false, false);

    /** Whether to go to the origin after the target failed so. */
    public boolean after(SideOutcome failure) {
        return failure == SideOutcome.UNKNOWN ? onTimeout : onError;
    }
}
