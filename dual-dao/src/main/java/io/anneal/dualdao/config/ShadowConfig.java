package io.anneal.dualdao.config;

/**
 * Room for what runs beside calls: in test mode the target's operations, in both modes read-repair and the journal.
 *
 * @param threads how many run at once; a target that hangs holds all of them and nothing else
 * @param queueLength how many wait; what comes beyond is dropped and counted, writes go to the journal
 */
public record ShadowConfig(int threads, int queueLength) {
    public static final ShadowConfig DEFAULTS = new ShadowConfig(8, 1024);
}
