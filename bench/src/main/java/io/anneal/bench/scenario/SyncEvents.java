package io.anneal.bench.scenario;

import io.anneal.bench.data.TemporaryDirectory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** Counts how often this process syncs files of a directory, as the platform's own event of it tells. */
final class SyncEvents implements Closeable {
    private static final String EVENT = "jdk.FileForce";

    private final Recording recording = new Recording();
    private final Path directory;

    private SyncEvents(Path directory) {
        this.directory = directory.toAbsolutePath();
    }

    /** Counts from now on. */
    static SyncEvents start(Path directory) {
        SyncEvents events = new SyncEvents(directory);
        events.recording.enable(EVENT).withThreshold(Duration.ZERO).withoutStackTrace();
        events.recording.start();
        return events;
    }

    /** Stops counting. */
    long count() throws IOException {
        recording.stop();
        try (TemporaryDirectory dump = TemporaryDirectory.create("anneal-bench-events")) {
            Path file = dump.path().resolve("syncs.jfr");
            recording.dump(file);
            long count = 0;
            try (RecordingFile events = new RecordingFile(file)) {
                while (events.hasMoreEvents()) {
                    RecordedEvent event = events.readEvent();
                    if (event.getEventType().getName().equals(EVENT)
                            && Path.of(event.getString("path")).toAbsolutePath().startsWith(directory)) {
                        count++;
                    }
                }
            }
            return count;
        }
    }

    @Override
    public void close() {
        recording.close();
    }
}
