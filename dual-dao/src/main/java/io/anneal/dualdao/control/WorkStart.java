package io.anneal.dualdao.control;

import java.time.Instant;

/**
 * The state of things when a back-fill or a verification begins, which decides for what its note counts.
 *
 * @param version of the record in force
 * @param at when it begins
 * @param acknowledged whether every instance had acknowledged that version: only then nobody still acts by an earlier one
 */
public record WorkStart(long version, Instant at, boolean acknowledged) {}
