package io.anneal.repair;

import io.anneal.io.ByteWriter;
import java.io.InterruptedIOException;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A wish that the session of another node ends early: sent to that node with the next answer to a status, and answered by a later
 * status. One thread wishes at a time, and waits; another one writes it and reads the answer.
 */
final class EndWish implements RepairListener.EarlyEnd {
    /** Instead of a token: at the next place where it can, and there is no answer to wait for. No session can end at this one. */
    static final long SOON = Long.MIN_VALUE;

    private OptionalLong token = OptionalLong.empty();
    private boolean isSent;
    private boolean ends;
    private boolean over;
    private boolean isSoon;
    /** Nobody waits for the answer any more, though the session may end early. */
    private boolean abandoned;

    @Override
    public synchronized boolean endAt(long wanted) throws InterruptedException {
        token = OptionalLong.of(wanted);
        isSent = false;
        ends = false;
        try {
            while (token.isPresent() && !over) {
                wait();
            }
        } catch (InterruptedException e) {
            abandoned = isSent;
            token = isSent ? token : OptionalLong.empty();
            throw e;
        }
        return ends;
    }

    /**
     * Writes the token that is wished for, once.
     *
     * @param soon whether the session shall end as soon as it can
     */
    synchronized void write(ByteWriter out, boolean soon) {
        if (soon && !isSoon) {
            out.writeLong(SOON);
            isSoon = true;
        } else if (token.isPresent() && !isSent) {
            out.writeLong(token.getAsLong());
            isSent = true;
        }
    }

    synchronized void answered(Optional<RepairStatus.EndAnswer> answer) {
        if (isSent
                && answer.isPresent()
                && token.equals(OptionalLong.of(answer.get().token()))) {
            ends = answer.get().ends();
            token = OptionalLong.empty();
            notifyAll();
        }
    }

    /** @throws InterruptedIOException when the session may have ended early, and nobody knows what is left of it */
    synchronized void requireHeard() throws InterruptedIOException {
        if (abandoned && (token.isPresent() || ends)) {
            throw new InterruptedIOException(
                    "the repair was asked to end early by one who did not wait for the answer");
        }
    }

    /** The session has ended: what was not answered was not heard. */
    synchronized void end() {
        over = true;
        notifyAll();
    }
}
