package io.anneal.cli.command;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.io.ByteBudget;
import java.io.IOException;

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

    /** Prints the line of an error that does not stop the command. */
    ErrorReport report(Exception failure);

    /** Returns the fields of the result, which the first call begins. */
    JsonGenerator resultFields(String command) throws IOException;

    /** Ends the result, if it was begun. */
    void endResult(int exitCode) throws IOException;

    /** Tells of what stopped a command, and returns what it ends with. */
    int stopped(Subcommand command, Throwable failure);
}
