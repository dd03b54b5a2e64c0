package io.anneal.testkit;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** A directory: its entries now, and those that a crash leaves at least. Guarded by the disk. */
final class DirectoryNode extends DiskNode {
    private final Path real;
    // Not sorted, so that nobody gets used to an order that a disk does not promise.
    private final Map<String, DiskNode> entries = new HashMap<>();
    private final Map<String, DiskNode> durable = new HashMap<>();

    DirectoryNode(Path real) {
        this.real = real;
    }

    @Override
    Path real() {
        return real;
    }

    Map<String, DiskNode> entries() {
        return entries;
    }

    Map<String, DiskNode> durable() {
        return durable;
    }

    void crash() {
        entries.clear();
        entries.putAll(durable);
        trust();
    }
}
