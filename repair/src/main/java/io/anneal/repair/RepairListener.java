package io.anneal.repair;

import java.io.IOException;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Watches one session of a repair; called on the master's thread. */
public interface RepairListener extends DifferenceListener {
    RepairListener NONE = new RepairListener() {};

    /**
     * Before the first progress, and before any replica keeps something; may be called again.
     *
     * @param tableId what tells the master's table from another of its name, 32 hexadecimal digits; empty where it does not know
     */
    default void opens(Optional<String> tableId) {}

    /**
     * Before the first progress.
     *
     * @param gone whether a replica is not there any more, so that who holds the repair up need not wait: it fails as soon as it
     *     goes on. For any thread
     */
    default void endsWhen(BooleanSupplier gone) {}

    /** Whether it hears of each place at which rows differ. In a dry run they are else only counted, which takes fewer bytes. */
    default boolean namesRows() {
        return false;
    }

    /** Before the first progress, where the session can be ended before it is through with its ranges. */
    default void endsEarlyBy(EarlyEnd end) {}

    /** Ends a session early, so that another one repairs the rest. For any thread. */
    @FunctionalInterface
    interface EarlyEnd {
        /**
         * Makes a token the last one that the session repairs. May wait for another node, at most until the session ends.
         *
         * @return false if it has come further, and goes on as before
         */
        boolean endAt(long token) throws InterruptedException;
    }

    /**
     * For how long the session may go on before it ends at the next token, so that no more is lost with it. Asked before the session
     * and before each window.
     *
     * @return nanoseconds; {@link Long#MAX_VALUE} where it goes on to its end
     */
    default long nanosLeft() {
        return Long.MAX_VALUE;
    }

    /** All windows up to a token are reconciled, and the session ends there. Before {@link #keeps}; not called at its ranges' end. */
    default void endsAt(long token) {}

    /**
     * A window was reconciled, or more; numbers are those of the whole session so far.
     *
     * @param covered how much of the range's width is done
     * @throws IOException ends the session
     */
    default void progress(long windows, long rowsRead, long bytesRead, double covered) throws IOException {}

    /**
     * A replica got more of another one's SSTables, before the session that compares it; numbers are those since the last call.
     *
     * @param rows estimated
     * @throws IOException ends the repair of these ranges
     */
    default void transferred(long rows, long bytes) throws IOException {}

    /**
     * The master waits for a replica: called before, and every half second meanwhile.
     *
     * @throws IOException ends the session
     */
    default void waits() throws IOException {}

    /**
     * All windows are reconciled, and each replica is asked next to keep what it received. If the session fails after that, some
     * may have kept it, and differ no more. Not called where nothing differs, and not in a dry run.
     *
     * @param found the report so far: without replicas, since nothing is known of what they keep, and without session ids
     * @throws IOException ends the session; nothing is kept then
     */
    default void keeps(RepairReport found) throws IOException {}

    /**
     * After {@link #keeps}: the last step failed at a replica at least, and the session fails next. The others keep what they
     * received.
     *
     * @param kept what replicas wrote that finished; what the others did not keep stands at them
     */
    default void unfinished(RepairReport kept) {}
}
