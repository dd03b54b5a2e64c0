package io.anneal.streaming;

import io.anneal.net.PeerAddress;
import io.anneal.node.PeerRun;
import io.anneal.node.Waiver;
import io.anneal.streaming.message.RunStream;
import io.anneal.streaming.message.StreamStatus;
import io.anneal.streaming.message.StreamVerb;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** A target on another node, which fetches a unit itself: asked for it, and watched. One thread. */
final class RemoteTarget implements Closeable {
    private final StreamTarget.There target;
    private final PeerRun<StreamStatus> run;

    private RemoteTarget(StreamTarget.There target, PeerRun<StreamStatus> run) {
        this.target = target;
        this.run = run;
    }

    static RemoteTarget open(StreamTarget.There target) throws IOException {
        return new RemoteTarget(
                target,
                new PeerRun<>(
                        target.connector().open(target.address()),
                        StreamVerb.RUN,
                        StreamStatus::decode,
                        StreamCode.ABORTED));
    }

    /** For any thread. */
    boolean isGone() {
        return run.isGone();
    }

    /**
     * Waits until it is done; an interrupt aborts it.
     *
     * @param bytesPerSecond which the target takes at most; it hears of a slow listener only a second later
     * @param leftAs see {@link StreamPlan#leave}
     * @param listener while it does not return, the target comes to rest
     * @throws StreamException when the target failed
     */
    StreamReport fetch(
            StreamUnit unit,
            StreamSource.There source,
            Set<Waiver> waivers,
            long bytesPerSecond,
            Optional<UUID> leftAs,
            StreamListener listener)
            throws IOException {
        int dot = unit.table().indexOf('.');
        RunStream wanted = new RunStream(
                target.replica(),
                unit.table().substring(0, dot),
                unit.table().substring(dot + 1),
                PeerAddress.text(source.address()),
                source.replica(),
                unit.ranges(),
                waivers,
                bytesPerSecond,
                leftAs);
        StreamStatus status = run.ask(out -> {
            out.writeByte(StreamVerb.VERSION);
            wanted.encode(out);
        });
        while (status.isRunning()) {
            listener.progress(status.rows(), status.bytes(), status.covered());
            status = run.next();
        }
        run.end();
        if (status.failure().isPresent()) {
            StreamStatus.Failure failure = status.failure().get();
            throw new StreamException(failure.text() + ", target=" + target.name(), failure.code(), failure.waiver());
        }
        listener.progress(status.rows(), status.bytes(), 1);
        StreamStatus.End end = status.end().orElseThrow();
        return new StreamReport(
                end.sstables(),
                end.parts(),
                status.rows(),
                status.bytes(),
                end.importDeadlineSeconds(),
                end.stagedIn());
    }

    @Override
    public void close() {
        run.close();
    }
}
