package io.anneal.testkit;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;

/** The machine's file store, with no more room than the {@link Disk} has left. */
final class FaultyFileStore extends FileStore {
    private final Disk disk;
    private final FileStore real;

    FaultyFileStore(Disk disk) throws IOException {
        this.disk = disk;
        real = Files.getFileStore(disk.root().real());
    }

    @Override
    public String name() {
        return "faulty";
    }

    @Override
    public String type() {
        return "faulty";
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public long getTotalSpace() throws IOException {
        return real.getTotalSpace();
    }

    @Override
    public long getUsableSpace() throws IOException {
        synchronized (disk) {
            return Math.min(real.getUsableSpace(), disk.plan().roomBytes());
        }
    }

    @Override
    public long getUnallocatedSpace() throws IOException {
        return getUsableSpace();
    }

    @Override
    public boolean supportsFileAttributeView(Class<? extends FileAttributeView> type) {
        return real.supportsFileAttributeView(type);
    }

    @Override
    public boolean supportsFileAttributeView(String name) {
        return real.supportsFileAttributeView(name);
    }

    @Override
    public <V extends FileStoreAttributeView> V getFileStoreAttributeView(Class<V> type) {
        return real.getFileStoreAttributeView(type);
    }

    @Override
    public Object getAttribute(String attribute) throws IOException {
        return real.getAttribute(attribute);
    }
}
