package io.anneal.migrate.page;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last things of one kind, each with a number that goes on from 0, so that a reader gets those it lacks. With a file they
 * outlive this process: one in JSON a line, added at the end; a file of twice as many is written anew. Nothing waits for the disk: after a
 * crash what can't be read, as a line that was half written, is left out. Not for several threads.
 */
final class Ring<T> {
    private static final Logger LOG = LoggerFactory.getLogger(Ring.class);

    private final int sizeMax;
    private final Path file;
    private final ObjectMapper json;
    private final Class<T> type;
    private final ArrayDeque<T> things = new ArrayDeque<>();

    private long nextNumber;
    private int linesInFile;
    private boolean fileIsWhole = true;

    /** In memory alone. */
    Ring(int sizeMax) {
        this(sizeMax, null, null, null);
    }

    /** @param file null for none; one that can't be read is begun anew */
    Ring(int sizeMax, Path file, ObjectMapper json, Class<T> type) {
        this.sizeMax = sizeMax;
        this.file = file;
        this.json = json;
        this.type = type;
        try {
            if (file != null && Files.exists(file)) {
                byte[] bytes = Files.readAllBytes(file);
                fileIsWhole = bytes.length == 0 || bytes[bytes.length - 1] == '\n';
                new String(bytes, StandardCharsets.UTF_8).lines().forEach(this::read);
            }
        } catch (IOException e) {
            fileIsWhole = false;
            LOG.warn("The page's history could not be read, file={}", file, e);
        }
    }

    private void read(String line) {
        try {
            T thing = json.readValue(line, type);
            linesInFile++;
            keep(thing);
        } catch (IOException e) {
            fileIsWhole = false;
        }
    }

    private void keep(T thing) {
        if (things.size() == sizeMax) {
            things.removeFirst();
        }
        things.addLast(thing);
        nextNumber++;
    }

    void add(T thing) {
        keep(thing);
        if (file == null) {
            return;
        }
        boolean appends = fileIsWhole && linesInFile < 2 * sizeMax;
        boolean couldWrite = fileIsWhole;
        fileIsWhole = false;
        try {
            if (appends) {
                Files.writeString(file, line(thing), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                linesInFile++;
            } else {
                writeAnew();
            }
            fileIsWhole = true;
        } catch (IOException e) {
            // The next one tries to write all of them anew.
            if (couldWrite) {
                LOG.warn("The page's history could not be written, file={}", file, e);
            }
        }
    }

    private void writeAnew() throws IOException {
        StringBuilder lines = new StringBuilder();
        for (T thing : things) {
            lines.append(line(thing));
        }
        Path next = file.resolveSibling(file.getFileName() + ".next");
        Files.writeString(next, lines);
        Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        linesInFile = things.size();
    }

    private String line(T thing) throws IOException {
        return json.writeValueAsString(thing) + "\n";
    }

    /** The number that the next one gets. */
    long nextNumber() {
        return nextNumber;
    }

    /** From that number on, or from the oldest that is left; oldest first. */
    List<T> from(long number) {
        long lacking = Math.max(0, nextNumber - number);
        return things.stream().skip(Math.max(0, things.size() - lacking)).toList();
    }
}
