package io.anneal.repair;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.net.PeerException;
import io.anneal.node.ServedRun;
import io.anneal.repair.message.RunRepair;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** One repair whose master is this node, for a peer that asked for it and hears how it goes. One thread. */
final class RepairWork implements ServedRun.Work {
    /** Repairs once, with the row buffers that there is room for. */
    interface Attempt {
        RepairReport run(RunRepair wanted, SessionMemory.Place place, RepairListener listener) throws IOException;
    }

    private final RunRepair wanted;
    private final SessionMemory.Place place;
    private final Attempt attempt;
    private final LongSupplier nanoTime;
    private RepairStatus status = RepairStatus.START;
    private Optional<RepairListener.EarlyEnd> earlyEnd = Optional.empty();
    private Optional<RepairStatus.EndAnswer> endAnswer = Optional.empty();
    private Optional<RepairReport> kept = Optional.empty();
    private Optional<Long> endsAt = Optional.empty();

    RepairWork(RunRepair wanted, SessionMemory.Place place, Attempt attempt, LongSupplier nanoTime) {
        this.wanted = wanted;
        this.place = place;
        this.attempt = attempt;
        this.nanoTime = nanoTime;
    }

    @Override
    public String table() {
        return wanted.keyspace() + "." + wanted.table();
    }

    @Override
    public Consumer<ByteWriter> run(ServedRun.Listener listener) throws IOException {
        long startNanos = nanoTime.getAsLong();
        RepairReport report = attempt.run(wanted, place, new RepairListener() {
            @Override
            public void progress(long windows, long rowsRead, long bytesRead, double covered) throws IOException {
                status = new RepairStatus(
                        windows,
                        rowsRead,
                        bytesRead,
                        covered,
                        endAnswer,
                        endsAt,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty());
                if (wanted.rate().isUnlimited()) {
                    listener.progress(status::encode);
                } else {
                    // The peer holds it to the rate, and knows of no window that it has not heard of.
                    listener.heard(status::encode);
                }
            }

            @Override
            public void waits() throws IOException {
                listener.waits(with(Optional.empty(), Optional.empty(), Optional.empty()));
            }

            @Override
            public void endsEarlyBy(EarlyEnd end) {
                earlyEnd = Optional.of(end);
            }

            @Override
            public long nanosLeft() {
                return wanted.sessionNanos() - (nanoTime.getAsLong() - startNanos);
            }

            @Override
            public void endsAt(long token) {
                endsAt = Optional.of(token);
            }

            /** Nothing is kept before the peer has heard it. */
            @Override
            public void keeps(RepairReport found) throws IOException {
                listener.heard(with(Optional.of(found), Optional.empty(), Optional.empty()));
            }

            @Override
            public void unfinished(RepairReport report) {
                kept = Optional.of(report);
            }
        });
        return with(Optional.empty(), Optional.empty(), Optional.of(report));
    }

    /** A token at which the peer wants it to end, since another run takes the rest. */
    @Override
    public void receive(ByteReader word) {
        long token = word.readLong();
        try {
            boolean ends = earlyEnd.isPresent() && earlyEnd.get().endAt(token);
            endAnswer = Optional.of(new RepairStatus.EndAnswer(token, ends));
        } catch (InterruptedException e) {
            // It ends in any case.
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Consumer<ByteWriter> failed(Throwable failure, String reason) {
        return with(Optional.empty(), Optional.of(RepairFailure.of(failure, reason, kept)), Optional.empty());
    }

    private Consumer<ByteWriter> with(
            Optional<RepairReport> found, Optional<RepairFailure> failure, Optional<RepairReport> report) {
        return new RepairStatus(
                status.windows(),
                status.rowsRead(),
                status.bytesRead(),
                status.covered(),
                endAnswer,
                endsAt,
                found,
                failure,
                report)::encode;
    }

    @Override
    public boolean isBusy(Throwable failure) {
        return failure instanceof PeerException peer && peer.code().equals(PeerException.BUSY) && status.windows() == 0;
    }

    @Override
    public void end() {
        place.close();
    }
}
