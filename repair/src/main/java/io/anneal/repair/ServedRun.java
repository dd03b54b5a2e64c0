package io.anneal.repair;

import io.anneal.io.ByteWriter;
import io.anneal.net.Message;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerException;
import io.anneal.net.Waiting;
import io.anneal.node.FailureText;
import io.anneal.repair.message.RunRepair;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One repair whose master is this node: tells the peer that asked for it how it is doing, and stops when the peer resets the
 * stream or is lost. Runs on a thread of its own, which it blocks.
 */
final class ServedRun implements Runnable, RepairListener {
    private static final Logger LOG = LoggerFactory.getLogger(ServedRun.class);
    private static final long STATUS_PERIOD_MS = 100;
    /** With so many not heard it waits: a second is longer than any way there and back. */
    private static final int UNHEARD_MAX = 10;

    /** What is to be done, with the row buffer that there is room for. */
    interface Work {
        RepairReport run(RunRepair wanted, RepairListener listener) throws IOException;
    }

    private final MessageStream messages;
    private final RunRepair wanted;
    private final SessionMemory.Place place;
    private final Work work;
    private final InstantSource clock;

    private CompletableFuture<Void> told = CompletableFuture.completedFuture(null);
    private CompletableFuture<Optional<Message>> heard;
    private int unheard;
    private long toldMs;
    private long windows;
    private long rowsRead;
    private long bytesRead;
    private double covered;
    private boolean saidLast;

    /** Guarded by this. */
    private Thread thread;

    private boolean aborted;

    ServedRun(MessageStream messages, RunRepair wanted, SessionMemory.Place place, Work work, InstantSource clock) {
        this.messages = messages;
        this.wanted = wanted;
        this.place = place;
        this.work = work;
        this.clock = clock;
    }

    @Override
    public void run() {
        if (!begin()) {
            place.close();
            return;
        }
        try {
            tell(Optional.empty(), Optional.empty(), Optional.of(work.run(wanted, this)));
        } catch (PeerException busy) {
            failed(busy, busy.code().equals(PeerException.BUSY) && windows == 0);
        } catch (IOException | RuntimeException | Error failure) {
            failed(failure, false);
        } finally {
            place.close();
            end();
            if (!saidLast) {
                // Even telling the failure failed, as without memory it may: whoever waits must not wait for ever.
                messages.stream()
                        .reset(PeerException.INTERNAL, "repair was stopped by an error, see the log of this server");
            }
        }
    }

    private synchronized boolean begin() {
        thread = Thread.currentThread();
        return !aborted;
    }

    /** The thread is its executor's again, without an interrupt that was meant for the repair. */
    private synchronized void end() {
        thread = null;
        if (aborted) {
            Thread.interrupted();
        }
    }

    /** Nobody waits for the report any more. */
    synchronized void abort() {
        aborted = true;
        if (thread != null) {
            thread.interrupt();
        }
    }

    private void failed(Throwable failure, boolean isBusy) {
        String reason = failure instanceof Error
                ? "repair was stopped by an error, see the log of this server, error=" + failure
                : FailureText.of(failure);
        if (isBusy) {
            LOG.debug("repair has no room yet, table={}.{}, cause={}", wanted.keyspace(), wanted.table(), reason);
        } else if (failure instanceof Error || !FailureText.isRefusal(failure)) {
            LOG.error("repair failed, table={}.{}", wanted.keyspace(), wanted.table(), failure);
        } else {
            LOG.warn("repair failed, table={}.{}, cause={}", wanted.keyspace(), wanted.table(), reason);
            LOG.debug("repair failed, table={}.{}", wanted.keyspace(), wanted.table(), failure);
        }
        if (isBusy) {
            saidLast = true;
            messages.stream().reset(PeerException.BUSY, reason);
        } else {
            tell(Optional.empty(), Optional.of(RepairFailure.of(failure, reason)), Optional.empty());
        }
    }

    @Override
    public void progress(long windowsSoFar, long rowsSoFar, long bytesSoFar, double coveredSoFar) throws IOException {
        windows = windowsSoFar;
        rowsRead = rowsSoFar;
        bytesRead = bytesSoFar;
        covered = coveredSoFar;
        long nowMs = clock.millis();
        if (told.isDone() && Math.abs(nowMs - toldMs) >= STATUS_PERIOD_MS) {
            toldMs = nowMs;
            tell(Optional.empty(), Optional.empty(), Optional.empty());
            unheard++;
            awaitHearing(UNHEARD_MAX);
        }
    }

    /** Nothing is kept before the peer has heard it. */
    @Override
    public void keeps(RepairReport found) throws IOException {
        tell(Optional.of(found), Optional.empty(), Optional.empty());
        unheard++;
        awaitHearing(1);
    }

    /** Goes no faster than the peer lets it: one that paces or pauses the repair hears late. */
    private void awaitHearing(int unheardMax) throws IOException {
        while (unheard > 0 && (unheard >= unheardMax || heard().isDone())) {
            Waiting.result(heard())
                    .orElseThrow(() -> new InterruptedIOException("nobody hears how the repair is doing"))
                    .close();
            heard = null;
            unheard--;
        }
    }

    private CompletableFuture<Optional<Message>> heard() {
        if (heard == null) {
            heard = messages.read();
        }
        return heard;
    }

    private void tell(Optional<RepairReport> found, Optional<RepairFailure> failure, Optional<RepairReport> report) {
        RepairStatus status = new RepairStatus(windows, rowsRead, bytesRead, covered, found, failure, report);
        ByteWriter out = new ByteWriter(256);
        status.encode(out);
        told = messages.write(RepairStatus.KIND, ByteBuffer.wrap(out.array(), 0, out.lengthBytes()));
        if (!status.isRunning()) {
            saidLast = true;
            messages.stream().end();
            passOver();
        }
    }

    /** Answers that come behind the last word. */
    private void passOver() {
        heard().whenComplete((message, failure) -> {
            heard = null;
            if (failure == null && message.isPresent()) {
                message.get().close();
                passOver();
            }
        });
    }
}
