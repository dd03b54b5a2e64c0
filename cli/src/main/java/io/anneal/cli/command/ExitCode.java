package io.anneal.cli.command;

/** What the process ends with, the same for every command. Interruption (130) is the JVM's own. */
public final class ExitCode {
    /** Done, and the answer is yes. */
    public static final int YES = 0;
    /** Done, and the answer is no; or an error stopped it, where {@link #UNANSWERED} is not used. */
    public static final int NO = 1;
    /** The command line is wrong. */
    public static final int USAGE = 2;
    /** A gate is not met. */
    public static final int GATE = 3;
    /** Rolled back or aborted. */
    public static final int ABORTED = 4;
    /**
     * A fault of Anneal's own, or a lack of memory, stopped the command; or any error stopped one whose {@link #NO} is an answer, before the
     * answer was known.
     */
    public static final int UNANSWERED = 5;

    public static final int INTERRUPTED = 130;
    /** Nobody reads the output any more: what a shell says of a program that {@code SIGPIPE} ended. */
    public static final int CLOSED_PIPE = 141;

    private ExitCode() {}
}
