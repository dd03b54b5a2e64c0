package io.anneal.dualdao.control;

/**
 * One condition of a step, and how things stand with it.
 *
 * @param name short and the same in every version: {@code instances}, {@code mode}, {@code backfill}, ...
 * @param evidence what was looked at and what it said, in words for people, met or not
 * @param forceable whether somebody may go on without it; what keeps instances within one step is not
 */
public record Gate(String name, boolean met, String evidence, boolean forceable) {
    @Override
    public String toString() {
        return (met ? "met      " : "not met  ") + name + ": " + evidence;
    }
}
