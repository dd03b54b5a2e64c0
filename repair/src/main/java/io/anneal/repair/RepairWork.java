package io.anneal.repair;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.net.PeerException;
import io.anneal.node.ServedRun;
import io.anneal.repair.message.RunRepair;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** One repair whose master is this node, for a peer that asked for it and hears how it goes. One thread. */
final class RepairWork implements ServedRun.Work {
    /** Repairs once, with the row buffers that there is room for. */
    interface Attempt {
        RepairReport run(RunRepair wanted, SessionMemory.Place place, RepairListener listener) throws IOException;
    }

    /** So many are told at once, about. */
    private static final int DIFFERENCES_BYTES = 64 << 10;

    private final RunRepair wanted;
    private final SessionMemory.Place place;
    private final Attempt attempt;
    private final LongSupplier nanoTime;
    private RepairStatus status = RepairStatus.START;
    /** By SSTables, about. */
    private long transferredRows;

    private long transferredBytes;
    /** Found and not told yet. */
    private final ByteWriter differences = new ByteWriter(64);
    /** Of the table, until it was told. */
    private String schemaText = "";

    private boolean endsSoon;
    private Optional<RepairListener.EarlyEnd> earlyEnd = Optional.empty();
    private Optional<RepairStatus.EndAnswer> endAnswer = Optional.empty();
    private Optional<RepairReport> kept = Optional.empty();
    private Optional<Long> endsAt = Optional.empty();
    private Optional<String> tableId = Optional.empty();

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
                tell(windows, transferredRows + rowsRead, transferredBytes + bytesRead, covered);
            }

            @Override
            public void transferred(long rows, long bytes) throws IOException {
                transferredRows += rows;
                transferredBytes += bytes;
                tell(status.windows(), transferredRows, transferredBytes, status.covered());
            }

            private void tell(long windows, long rows, long bytes, double covered) throws IOException {
                status = new RepairStatus(
                        windows,
                        rows,
                        bytes,
                        covered,
                        endAnswer,
                        endsAt,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        tableId,
                        Optional.empty());
                if (wanted.rate().isUnlimited()) {
                    listener.progress(status::encode);
                } else {
                    // The peer holds it to the rate, and knows of no window that it has not heard of.
                    listener.heard(status::encode);
                }
            }

            @Override
            public void opens(Optional<String> id) {
                tableId = id;
            }

            @Override
            public boolean namesRows() {
                return wanted.namesRows();
            }

            @Override
            public void begins(TableSchema schema, List<String> replicas) {
                schemaText = SchemaText.print(schema);
            }

            @Override
            public void rowDiffers(RowDifference difference) throws IOException {
                if (namesRows()) {
                    DifferenceCodec.write(difference, differences);
                    tellDifferences(listener, DIFFERENCES_BYTES);
                }
            }

            @Override
            public void deletionDiffers(DeletionDifference difference) throws IOException {
                if (namesRows()) {
                    DifferenceCodec.write(difference, differences);
                    tellDifferences(listener, DIFFERENCES_BYTES);
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
                return endsSoon ? 0 : wanted.sessionNanos() - (nanoTime.getAsLong() - startNanos);
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
        tellDifferences(listener, 1);
        return with(Optional.empty(), Optional.empty(), Optional.of(report));
    }

    /** Waits until the peer has heard them: so few are held here, however many there are. */
    private void tellDifferences(ServedRun.Listener listener, int leastBytes) throws IOException {
        if (differences.lengthBytes() >= leastBytes) {
            RepairStatus told = status.with(new RepairStatus.Differences(schemaText, differences.toByteArray()));
            differences.clear();
            schemaText = "";
            listener.heard(told::encode);
        }
    }

    /** A token at which the peer wants it to end, since another run takes the rest; or that it shall end as soon as it can. */
    @Override
    public void receive(ByteReader word) {
        long token = word.readLong();
        if (token == EndWish.SOON) {
            endsSoon = true;
            return;
        }
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
                report,
                tableId,
                Optional.empty())::encode;
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
