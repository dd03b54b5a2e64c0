package io.anneal.cli.command;

import io.anneal.io.ByteBudget;

/** The command that holds all others, as they see it: the options that it has for them, and how errors are told. */
public interface RootCommand {
    /** What it has of the world outside. */
    Environment environment();

    /** Whether the result is wanted as JSON. */
    boolean json();

    /** Whether nothing but results and errors is wanted. */
    boolean quiet();

    /** What {@code --memory} says. */
    long memoryBytes();

    /** What peers and sessions may occupy of it. */
    ByteBudget budget();

    /** Prints the line of an error. */
    ErrorReport report(Exception failure);
}
