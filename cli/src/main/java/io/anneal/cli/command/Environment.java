package io.anneal.cli.command;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Clock;
import java.util.function.LongSupplier;

/**
 * What a command has of the world outside, so that tests can stand in for it.
 *
 * @param out data, and nothing else
 * @param err everything else
 * @param clock what time it is
 * @param nanoTime for durations
 * @param terminal whether {@code err} is a terminal
 * @param home the user's own directory, below which commands keep what they know from run to run
 */
public record Environment(
        PrintStream out, PrintStream err, Clock clock, LongSupplier nanoTime, boolean terminal, Path home) {}
