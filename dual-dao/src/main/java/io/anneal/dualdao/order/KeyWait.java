package io.anneal.dualdao.order;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A wait for keys that others change. Any thread may call. */
public interface KeyWait {
    String TOO_LONG = "a key is changed by others for too long";

    /** Done when the keys are taken; fails with {@link KeyWaitException} when they will not be. */
    CompletableFuture<Object> granted();

    /**
     * Waits no more, and fails what waits.
     *
     * @return false if the keys are taken already, or the wait is over
     */
    boolean giveUp(String reason);

    /**
     * Returns when the keys are taken.
     *
     * @throws KeyWaitException if that takes too long, or this thread is interrupted, which it then still is
     */
    default void await(long atMostNanos) {
        try {
            granted().get(atMostNanos, TimeUnit.NANOSECONDS);
            return;
        } catch (TimeoutException late) {
            giveUp(TOO_LONG);
        } catch (InterruptedException interrupted) {
            giveUp("interrupted in the wait for a key");
            Thread.currentThread().interrupt();
        } catch (ExecutionException refused) {
            // told below
        }
        KeyWaitException refused =
                granted().handle((taken, thrown) -> (KeyWaitException) thrown).join();
        if (refused != null) {
            throw refused;
        }
    }
}
