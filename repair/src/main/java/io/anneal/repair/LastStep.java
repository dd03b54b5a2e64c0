package io.anneal.repair;

import io.anneal.io.StorageException;
import io.anneal.repair.message.SessionFinished;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The last step of a session: each replica keeps what it received. What one keeps is right whatever becomes of the others, so all
 * are asked at once, the master keeps its own meanwhile, and each is heard although another failed: so most is kept, and the time in
 * which the master may die without having told what was kept is the shortest. Runs on the master's thread.
 */
final class LastStep {
    /** What became of one replica's part. */
    sealed interface End {}

    record Kept(SessionFinished finished) implements End {}

    /** @param mayBeKept whether the answer was lost, or the replica does not know */
    record Failed(Exception cause, boolean mayBeKept) implements End {}

    private interface Part {
        SessionFinished finish() throws IOException;
    }

    private LastStep() {}

    /** The ends of all replicas, the master first. */
    static List<End> of(ReplicaSession own, List<Participant> followers, RepairMeter meter) {
        List<CompletableFuture<SessionFinished>> asked =
                followers.stream().map(Participant::finish).toList();
        List<End> ends = new ArrayList<>(List.of(end(own::finish)));
        for (CompletableFuture<SessionFinished> answer : asked) {
            ends.add(end(() -> meter.await(answer)));
        }
        return ends;
    }

    private static End end(Part part) {
        try {
            return new Kept(part.finish());
        } catch (IOException | RuntimeException failure) {
            return new Failed(failure, mayBeKept(failure));
        }
    }

    /** A replica that says why it failed has kept nothing, unless the disk does not say what it has. */
    static boolean mayBeKept(Exception failure) {
        // An answer in a frame that broke on its way is lost with its connection.
        boolean isLost = RepairJob.code(failure)
                .filter(code -> !RepairCode.isRefusal(code))
                .isPresent();
        return isLost || failure instanceof InterruptedIOException || StorageException.leavesNamesUnsynced(failure);
    }
}
