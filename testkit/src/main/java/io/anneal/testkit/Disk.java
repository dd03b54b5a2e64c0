package io.anneal.testkit;

import io.anneal.testkit.Fault.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a {@link FaultyDirectory} is made of. Names live in memory, twice: as they are and as a crash leaves them at least,
 * with the changes in between; so do the unforced changes of each file. What is in the files lies in ordinary files with
 * numbers for names, so that channels, locks and lengths are those of the machine. Nothing is really forced: whether this
 * machine fails is not the question.
 *
 * <p>Its monitor guards it and all nodes.
 */
final class Disk {
    private static final int CHANGES_BEFORE_SWEEP = 64;

    private final Path realDirectory;
    private final DirectoryNode root;
    private final List<DiskNode> nodes = new ArrayList<>();
    private final List<DirectoryChange> unforced = new ArrayList<>();
    private final FaultPlan plan = new FaultPlan();
    // Not guarded: a channel that is being closed must not wait for the disk, which may be closing it.
    private final Set<FaultyChannel> open = ConcurrentHashMap.newKeySet();
    private FaultyFileSystem running;
    private long lastNumber;
    private int changesForced;

    Disk(Path realDirectory) throws IOException {
        this.realDirectory = realDirectory;
        root = new DirectoryNode(Files.createDirectory(nextFile()));
        nodes.add(root);
        running = new FaultyFileSystem(this);
    }

    private Path nextFile() {
        lastNumber++;
        return realDirectory.resolve(Long.toString(lastNumber));
    }

    DirectoryNode root() {
        return root;
    }

    FaultPlan plan() {
        return plan;
    }

    /** Of the machine that runs now; those before it are dead. */
    synchronized FaultyFileSystem running() {
        if (running == null) {
            throw new IllegalStateException("faulty directory is closed");
        }
        return running;
    }

    synchronized boolean isRunning(FaultyFileSystem machine) {
        return running == machine;
    }

    synchronized void requireRunning(FaultyFileSystem machine) throws IOException {
        if (running != machine) {
            throw new IOException("machine has crashed, use the paths of the next one");
        }
    }

    /** Counts an operation and lets it fail, or the machine, if that is its fate. */
    synchronized void admit(FaultyFileSystem machine, Operation operation, String... names) throws IOException {
        requireRunning(machine);
        fail(plan.next(operation, names), operation, names);
    }

    private void fail(Fault fault, Operation operation, String... names) throws IOException {
        if (fault == null || fault.kind() == Fault.Kind.SHORT_WRITE) {
            return;
        }
        if (fault.kind() == Fault.Kind.POWER_CUT) {
            crash(Survival.random(fault.argument()));
            throw new IOException("power was cut, operation=" + operation + ", file=" + String.join(",", names));
        }
        throw new IOException(
                "Input/output error (injected), operation=" + operation + ", file=" + String.join(",", names));
    }

    /** @return how many of so many bytes a write may take, which is more than nothing if it was asked for any */
    synchronized int admitWrite(FaultyFileSystem machine, String name, int lengthBytes, long growthBytes)
            throws IOException {
        requireRunning(machine);
        Fault fault = plan.next(Operation.WRITE, name);
        fail(fault, Operation.WRITE, name);
        int limitBytes = fault == null ? lengthBytes : (int) Math.min(lengthBytes, fault.argument());
        return plan.admit(limitBytes, Math.max(0, growthBytes - (lengthBytes - limitBytes)));
    }

    synchronized FileNode createFile(DirectoryNode parent, String name, FileAttribute<?>... attributes)
            throws IOException {
        FileNode file = new FileNode(Files.createFile(nextFile(), attributes));
        nodes.add(file);
        change(DirectoryChange.added(parent, name, file));
        return file;
    }

    synchronized void createDirectory(DirectoryNode parent, String name, FileAttribute<?>... attributes)
            throws IOException {
        DirectoryNode directory = new DirectoryNode(Files.createDirectory(nextFile(), attributes));
        nodes.add(directory);
        change(DirectoryChange.added(parent, name, directory));
    }

    synchronized void change(DirectoryChange change) {
        change.apply(DirectoryNode::entries);
        unforced.add(change);
    }

    synchronized void force(FaultyFileSystem machine, DiskNode node, String name) throws IOException {
        requireRunning(machine);
        Fault fault = plan.next(Operation.FORCE, name);
        if (fault != null && fault.kind() == Fault.Kind.FAILURE) {
            node.distrust();
        }
        fail(fault, Operation.FORCE, name);
        if (node instanceof FileNode file) {
            file.force();
        } else if (node instanceof DirectoryNode directory) {
            force(directory);
        }
    }

    /** Its changes, and what came before them in other directories that they were made in as well. */
    private void force(DirectoryNode directory) throws IOException {
        Set<DirectoryNode> forced = new HashSet<>(Set.of(directory));
        for (int i = unforced.size() - 1; i >= 0; i--) {
            List<DirectoryNode> changed = unforced.get(i).directories();
            if (!Collections.disjoint(changed, forced)) {
                forced.addAll(changed);
            }
        }
        // A directory whose force failed holds up all that comes behind it.
        Set<DirectoryNode> stopped = new HashSet<>();
        List<DirectoryChange> left = new ArrayList<>();
        for (DirectoryChange change : unforced) {
            List<DirectoryNode> changed = change.directories();
            boolean isForced = forced.containsAll(changed)
                    && Collections.disjoint(changed, stopped)
                    && changed.stream().noneMatch(DiskNode::isDistrusted);
            if (isForced) {
                change.apply(DirectoryNode::durable);
                changesForced++;
            } else {
                left.add(change);
                stopped.addAll(changed);
            }
        }
        unforced.clear();
        unforced.addAll(left);
        if (changesForced >= CHANGES_BEFORE_SWEEP) {
            sweep();
        }
    }

    void opened(FaultyChannel channel) {
        open.add(channel);
    }

    void closed(FaultyChannel channel) {
        open.remove(channel);
    }

    int openFileCount() {
        return open.size();
    }

    /** What ran is dead; what is unforced stays so. */
    synchronized void kill() {
        running();
        running = new FaultyFileSystem(this);
        closeChannels();
    }

    /** The machine stops, and the next one finds what survives. */
    synchronized void crash(Survival survival) throws IOException {
        kill();
        keepChanges(survival);
        for (DiskNode node : nodes) {
            if (node instanceof DirectoryNode directory) {
                directory.crash();
            }
        }
        sweep();
        for (DiskNode node : nodes) {
            if (node instanceof FileNode file) {
                file.crash(survival.ofFile());
            }
        }
    }

    private void closeChannels() {
        for (FaultyChannel channel : List.copyOf(open)) {
            try {
                channel.close();
            } catch (IOException e) {
                // It is as dead as it would be without the failure.
                open.remove(channel);
            }
        }
    }

    /** Of each directory the first few, where a change of two directories is among those of both or of none. */
    private void keepChanges(Survival survival) {
        Map<DirectoryNode, Integer> left = new HashMap<>();
        for (DirectoryChange change : unforced) {
            change.directories().forEach(directory -> left.merge(directory, 1, Integer::sum));
        }
        for (DiskNode node : nodes) {
            if (node instanceof DirectoryNode directory) {
                left.computeIfPresent(directory, (ignored, count) -> survival.prefix(count));
            }
        }
        for (DirectoryChange change : unforced) {
            if (change.directories().stream().allMatch(directory -> left.get(directory) > 0)) {
                change.apply(DirectoryNode::durable);
                change.directories().forEach(directory -> left.merge(directory, -1, Integer::sum));
            } else {
                change.directories().forEach(directory -> left.put(directory, 0));
            }
        }
        unforced.clear();
    }

    /** Deletes what neither a name nor a channel leads to, nor will after a crash. */
    private void sweep() throws IOException {
        changesForced = 0;
        Set<DiskNode> reachable = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<DiskNode> found = new ArrayDeque<>(List.of(root));
        unforced.forEach(change -> found.add(change.node()));
        open.forEach(channel -> found.add(channel.node()));
        while (!found.isEmpty()) {
            DiskNode node = found.remove();
            if (reachable.add(node) && node instanceof DirectoryNode directory) {
                found.addAll(directory.entries().values());
                found.addAll(directory.durable().values());
            }
        }
        for (DiskNode node : nodes) {
            if (!reachable.contains(node)) {
                if (node instanceof FileNode file) {
                    file.delete();
                } else {
                    Files.deleteIfExists(node.real());
                }
            }
        }
        nodes.retainAll(reachable);
    }

    synchronized boolean isDestroyed() {
        return running == null;
    }

    /** Closes everything and leaves nothing behind. */
    synchronized void destroy() throws IOException {
        if (running == null) {
            return;
        }
        running = null;
        closeChannels();
        try (var files = Files.newDirectoryStream(realDirectory)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(realDirectory);
    }
}
