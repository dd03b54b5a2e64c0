package io.anneal.bench.commitlog;

import io.anneal.commitlog.CommitLog;
import io.anneal.io.OutputFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Where a measured log goes. */
public enum LogTarget {
    /** Nowhere: what appending costs by itself, and one system call for each write. */
    NOTHING,
    /** As the first segments of a store: the file system finds room for each. */
    NEW_FILES,
    /** As all segments after some flushes. Each invocation syncs, else no file would be used again. */
    USED_FILES;

    private static final Path SINK = Path.of("/dev/null");

    OutputFile.Opener opener() {
        return this == NOTHING ? LogTarget::sink : CommitLog.OPENER;
    }

    private static FileChannel sink(Path file) throws IOException {
        if (!Files.exists(file)) {
            Files.createFile(file);
        }
        return FileChannel.open(SINK, StandardOpenOption.WRITE);
    }
}
