package io.anneal.dualdao.journal;

import io.anneal.dualdao.phase.Side;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The keys that were written while the target alone is: however many they become, memory holds those of the newest segment. Nobody
 * asks for one of them; the way back takes them all, a segment at a time.
 *
 * <p>A segment is a directory with a {@link JournalFile}, whose number is its name. A key is once in a segment, and may be in
 * several. When there are twice as many segments as there were after the last time, they are put together: their keys are dealt out by
 * hash to files so small that memory holds one of them, each key once. A crash meanwhile leaves
 * keys twice, and loses none. Any thread may call.
 */
final class WrittenKeys implements AutoCloseable {
    private static final int PARTS_MAX = 128;
    private static final int SEGMENTS_MIN = 8;
    private static final Pattern SEGMENT = Pattern.compile("[0-9]{1,18}");

    private final Path directory;
    private final AppendFile.Opener opener;
    private final Durability durability;
    private final int segmentKeys;

    /** Guards all below. */
    private final ReentrantLock lock = new ReentrantLock();

    /** Held by whoever takes closed segments away; taken before the other. */
    private final ReentrantLock tidying = new ReentrantLock();

    /** How many keys each closed segment has, by its number. */
    private final TreeMap<Long, Long> closedSegments = new TreeMap<>();

    private final Set<String> newest = new HashSet<>();

    /** Null while there is no newest segment. */
    private JournalFile file;

    private long lastSegment;
    private long newestSegment;
    private long lastLine;
    private int segmentsAfterCompaction;

    private WrittenKeys(Path directory, AppendFile.Opener opener, Durability durability, int segmentKeys) {
        this.directory = directory;
        this.opener = opener;
        this.durability = durability;
        this.segmentKeys = segmentKeys;
    }

    /** Throws {@link JournalException} if what is there can't be read. */
    static WrittenKeys open(Path directory, AppendFile.Opener opener, Durability durability, int segmentKeys) {
        WrittenKeys opened = new WrittenKeys(directory, opener, durability, segmentKeys);
        try {
            Files.createDirectories(directory);
            try (Stream<Path> all = Files.list(directory)) {
                for (Path each : all.toList()) {
                    String name = each.getFileName().toString();
                    if (name.endsWith(".tmp")) {
                        Files.delete(each);
                    } else if (SEGMENT.matcher(name).matches()) {
                        opened.found(Long.parseLong(name));
                    } else {
                        throw new JournalException(
                                "directory of written keys has what is no segment: move it away, path=" + each);
                    }
                }
            }
        } catch (IOException e) {
            throw failed("written keys can't be opened", directory, e);
        }
        return opened;
    }

    private void found(long number) {
        lastSegment = Math.max(lastSegment, number);
        long[] count = new long[1];
        // Recovers what a killed process left at its end.
        JournalFile.open(segment(number), opener, Long.MAX_VALUE, line -> count[0]++)
                .close();
        closedSegments.put(number, count[0]);
    }

    private Path segment(long number) {
        return directory.resolve(Long.toString(number));
    }

    /** How many there are; a key may count several times. */
    long size() {
        lock.lock();
        try {
            return newest.size()
                    + closedSegments.values().stream()
                            .mapToLong(Long::longValue)
                            .sum();
        } finally {
            lock.unlock();
        }
    }

    /** Returns once the key is kept. Throws {@link JournalException} if it can't be. */
    void add(String key) {
        JournalFile written;
        long line;
        lock.lock();
        try {
            if (file == null) {
                newestSegment = ++lastSegment;
                file = create(newestSegment);
            }
            if (file.damaged()) {
                file.rewrite(newest.stream().map(WrittenKeys::line).iterator());
            }
            if (!newest.contains(key)) {
                lastLine = file.write(line(key));
                newest.add(key);
            }
            written = file;
            line = lastLine;
            if (newest.size() >= segmentKeys) {
                closeNewest();
            }
        } finally {
            lock.unlock();
        }
        if (durability == Durability.POWER_CUT) {
            written.sync(line);
        }
    }

    private static JournalLine line(String key) {
        return new JournalLine(true, Side.ORIGIN, "", key);
    }

    private JournalFile create(long number) {
        try {
            Files.createDirectories(segment(number));
            opener.syncDirectory(directory);
        } catch (IOException e) {
            throw failed("a segment of written keys can't be made", segment(number), e);
        }
        return JournalFile.open(segment(number), opener, Long.MAX_VALUE, line -> {});
    }

    private void closeNewest() {
        if (durability == Durability.POWER_CUT) {
            file.sync(lastLine);
        }
        file.close();
        closedSegments.put(newestSegment, (long) newest.size());
        newest.clear();
        file = null;
    }

    /**
     * Gives out the keys of one segment, and forgets them once all were taken.
     *
     * @return how many, 0 if there are none
     */
    int take(Consumer<String> taker) {
        tidying.lock();
        try {
            long number;
            lock.lock();
            try {
                if (closedSegments.isEmpty() && file != null) {
                    closeNewest();
                }
                if (closedSegments.isEmpty()) {
                    return 0;
                }
                number = closedSegments.firstKey();
            } finally {
                lock.unlock();
            }
            int[] count = new int[1];
            read(number, key -> {
                taker.accept(key);
                count[0]++;
            });
            forget(List.of(number));
            // A segment without keys is none, and there may be more.
            return count[0] == 0 ? take(taker) : count[0];
        } finally {
            tidying.unlock();
        }
    }

    private void read(long number, Consumer<String> keys) {
        Path lines = segment(number).resolve("journal");
        try {
            new JournalReader(lines, line -> keys.accept(line.key())).read();
        } catch (IOException e) {
            throw failed("written keys can't be read", lines, e);
        }
    }

    private void forget(List<Long> numbers) {
        for (long number : numbers) {
            try {
                Files.deleteIfExists(segment(number).resolve("journal"));
                Files.delete(segment(number));
            } catch (IOException e) {
                throw failed("a segment of written keys can't be deleted", segment(number), e);
            }
            lock.lock();
            try {
                closedSegments.remove(number);
            } finally {
                lock.unlock();
            }
        }
    }

    /** Puts segments together if they have become many. */
    void compact() {
        tidying.lock();
        try {
            List<Long> old;
            long keys;
            lock.lock();
            try {
                if (closedSegments.size() < 2 * segmentsAfterCompaction + SEGMENTS_MIN) {
                    return;
                }
                old = List.copyOf(closedSegments.keySet());
                keys = closedSegments.values().stream()
                        .mapToLong(Long::longValue)
                        .sum();
            } finally {
                lock.unlock();
            }
            int parts = (int) Math.min(PARTS_MAX, keys / segmentKeys + 1);
            segmentsAfterCompaction = writeOnce(dealtOut(old, parts));
            forget(old);
        } finally {
            tidying.unlock();
        }
    }

    private List<Path> dealtOut(List<Long> numbers, int count) {
        List<Path> parts = new ArrayList<>();
        List<OutputStream> outs = new ArrayList<>();
        try {
            try {
                for (int i = 0; i < count; i++) {
                    parts.add(directory.resolve(i + ".tmp"));
                    outs.add(new BufferedOutputStream(Files.newOutputStream(parts.get(i))));
                    outs.get(i).write((JournalLine.HEADER + '\n').getBytes(StandardCharsets.ISO_8859_1));
                }
                for (long number : numbers) {
                    read(number, key -> write(outs.get(Math.floorMod(key.hashCode(), count)), key));
                }
            } finally {
                for (OutputStream out : outs) {
                    out.close();
                }
            }
        } catch (IOException e) {
            throw failed("written keys can't be put together", directory, e);
        }
        return parts;
    }

    private void write(OutputStream out, String key) {
        try {
            out.write(line(key).bytes());
        } catch (IOException e) {
            throw failed("written keys can't be put together", directory, e);
        }
    }

    /** Makes segments of files that share no key; how many. */
    private int writeOnce(List<Path> parts) {
        Set<JournalLine> once = new HashSet<>();
        int made = 0;
        for (Path part : parts) {
            try {
                new JournalReader(part, once::add).read();
                Files.delete(part);
            } catch (IOException e) {
                throw failed("written keys can't be put together", part, e);
            }
            if (once.size() >= segmentKeys) {
                writeSegment(once);
                once.clear();
                made++;
            }
        }
        if (!once.isEmpty()) {
            writeSegment(once);
            made++;
        }
        return made;
    }

    private void writeSegment(Set<JournalLine> once) {
        long number;
        lock.lock();
        try {
            number = ++lastSegment;
        } finally {
            lock.unlock();
        }
        JournalFile whole = create(number);
        try {
            whole.rewrite(once.iterator());
        } finally {
            whole.close();
        }
        lock.lock();
        try {
            closedSegments.put(number, (long) once.size());
        } finally {
            lock.unlock();
        }
    }

    private static JournalException failed(String what, Path path, IOException e) {
        return new JournalException(what + ", path=" + path + ", reason=" + e.getMessage(), e);
    }

    /** Nothing is added any more. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (file != null) {
                file.close();
                file = null;
            }
        } finally {
            lock.unlock();
        }
    }
}
