package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.repair.Repair;
import io.anneal.repair.RepairReport;
import io.anneal.testkit.Fault;
import io.anneal.testkit.Fault.Operation;
import io.anneal.testkit.FaultyDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A repair with a checkpoint, in several runs: what killed or failed one, the next one goes on after. No run repairs what one
 * before it had done.
 */
final class ResumedRepair implements AutoCloseable {
    private static final Operation[] ALL = Operation.values();

    private final RepairWorld world;
    private final RepairWorld.Wanted wanted;
    private final RepairWorld.Attempt attempt;
    /** Of the machine that the command runs on. */
    private final FaultyDirectory disk;

    private final Set<String> done = new TreeSet<>();
    private boolean isAlive;
    private boolean isComplete;
    private int runs;

    ResumedRepair(RepairWorld world, RepairWorld.Wanted wanted, Path parent) throws IOException {
        this.world = world;
        this.wanted = wanted;
        attempt = world.begin(wanted);
        disk = FaultyDirectory.create(parent);
    }

    RepairWorld.Wanted wanted() {
        return wanted;
    }

    boolean isComplete() {
        return isComplete;
    }

    /** From the start, or from where the run before it was. */
    void run() throws IOException {
        runs++;
        isAlive = true;
        int before = done.size();
        isComplete = world.tried(attempt, wanted, this::recorded).isPresent();
        isAlive = false;
        world.log("run " + runs + " of a repair, complete=" + isComplete + ", doneBefore=" + before + ", done="
                + done.size());
    }

    private Repair recorded(Repair repair) {
        return repair.checkpoint(disk.path().resolve("checkpoint"))
                .reports((unit, report) -> done(unit.text(), report));
    }

    /** What a process does after its death does not count. */
    private void done(String unit, RepairReport report) {
        if (isAlive) {
            assertThat(done.add(unit))
                    .as("repaired once, unit=%s, report=%s", unit, report)
                    .isTrue();
        }
    }

    /**
     * The process of the command dies.
     *
     * @param powerSeed when its machine dies with it
     */
    void die(Optional<Long> powerSeed) throws IOException {
        isAlive = false;
        if (powerSeed.isPresent()) {
            disk.crash(powerSeed.get());
        } else {
            disk.kill();
        }
        // Nothing of it writes any more.
        disk.inject(Fault.on(ALL[0], ALL));
    }

    /** Its machine is there again. */
    void comeBack() {
        disk.heal();
    }

    /** With everybody up again, and what was received taken in. */
    void shouldHaveEndedWell() throws IOException {
        if (!isComplete && runs > 1 && attempt.hasLostReplica()) {
            return;
        }
        assertThat(isComplete).as("repair with nothing in its way, %s", wanted).isTrue();
        attempt.shouldHaveMadeEqual(ReplicaHost::contentNow);
    }

    @Override
    public void close() throws IOException {
        disk.close();
    }
}
