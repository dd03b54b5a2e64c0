package io.anneal.dualdao.config;

/**
 * Whether a read that fell back and found its key in the origin has the key copied to the target, beside the call.
 *
 * @param copiesPerSecond at most, 0 for none
 */
public record ReadRepair(int copiesPerSecond) {
    public static final ReadRepair OFF = new ReadRepair(0);
}
