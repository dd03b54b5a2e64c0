package io.anneal.dualdao.compare;

/**
 * One place in which two answers differ.
 *
 * @param path to it, as {@code items[3].d}; empty for the answer itself
 * @param origin as text, {@code (absent)} where there is none
 * @param target as text
 */
public record FieldDiff(String path, String origin, String target) {}
