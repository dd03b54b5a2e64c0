package io.anneal.cli.runs;

import io.anneal.cli.command.QualifiedTable;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;

/**
 * A run as its record and its lock tell at a moment.
 *
 * @param owner the process that is at it, in words; empty when none is
 * @param unusable its checkpoint, if it has to be removed before the run can be gone on with
 */
public record KnownRun(RunRecord record, Optional<String> owner, Optional<Path> unusable, Instant now) {
    /** What can be done about it. */
    public enum State {
        RUNNING,
        /** Something ended it on the way: it can be gone on with. */
        STOPPED,
        /** It is not finished, and must not be any more. */
        TOO_OLD,
        ENDED
    }

    public State state() {
        if (!record.isUnfinished()) {
            return State.ENDED;
        }
        if (owner.isPresent()) {
            return State.RUNNING;
        }
        return now.isBefore(record.resumableUntil()) ? State.STOPPED : State.TOO_OLD;
    }

    /**
     * Whether agents may hold something for it though nobody is at it: until their lease ends, or, where they could not be asked to let
     * go, for as long as it is not known that they have.
     */
    public boolean mayBeHeld() {
        return owner.isEmpty()
                && record.hold()
                        .filter(hold -> record.isUnfinished()
                                ? now.isBefore(hold.heldUntil())
                                : !hold.left().isEmpty())
                        .isPresent();
    }

    /** Whether it is of one of these tables, if any are given, and had all of these replicas, by name or place. */
    public boolean isOf(Collection<QualifiedTable> tables, Collection<String> replicas) {
        return (tables.isEmpty() || record.wantedTables().stream().anyMatch(table -> isOneOf(tables, table)))
                && replicas.stream().allMatch(this::hasReplica);
    }

    private boolean hasReplica(String nameOrPlace) {
        return record.replicas().stream()
                .anyMatch(replica ->
                        replica.name().equals(nameOrPlace) || replica.place().equals(nameOrPlace));
    }

    static boolean isOneOf(Collection<QualifiedTable> tables, String qualifiedName) {
        int dot = qualifiedName.indexOf('.');
        return tables.stream()
                .anyMatch(table -> table.covers(qualifiedName.substring(0, dot), qualifiedName.substring(dot + 1)));
    }
}
