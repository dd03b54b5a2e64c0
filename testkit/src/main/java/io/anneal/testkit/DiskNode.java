package io.anneal.testkit;

import java.nio.file.Path;

/**
 * A file or directory of a {@link Disk}, whatever its names are. Guarded by the disk.
 */
abstract sealed class DiskNode permits FileNode, DirectoryNode {
    private boolean distrusted;

    /** An ordinary file with what is in it now, or an ordinary empty directory, for its attributes. */
    abstract Path real();

    /** A force failed: what a later one says is not believed. */
    final void distrust() {
        distrusted = true;
    }

    final boolean isDistrusted() {
        return distrusted;
    }

    final void trust() {
        distrusted = false;
    }
}
