package io.anneal.harness.report;

import java.time.Instant;

/**
 * Something that happened.
 *
 * @param label a few characters that stand in a chart, as {@code 3} for a change to phase 3
 * @param text what, by whom and why
 */
public record StoryEvent(Instant at, String label, String text) {}
