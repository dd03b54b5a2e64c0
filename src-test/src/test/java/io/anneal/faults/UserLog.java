package io.anneal.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What one process of a service did, line by line in a file that outlives it: {@code start RUN NUMBER NANOS KIND SUBJECT VALUE}, {@code
 * within RUN NUMBER}, {@code commits RUN NUMBER}, {@code end RUN NUMBER NANOS OUTCOME VALUE}, tabs between. Times are the machine's, which processes share. Any thread may call.
 */
final class UserLog implements AutoCloseable {
    /** What a caller was told. */
    enum Outcome {
        DONE,
        /** That it was not done, and never will be. */
        NOT_DONE,
        UNKNOWN
    }

    private final FileChannel file;
    private final long run = System.nanoTime();
    private final AtomicLong numbers = new AtomicLong();

    UserLog(Path path) throws IOException {
        file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        line("run", run);
    }

    private void line(Object... words) {
        StringBuilder line = new StringBuilder();
        for (Object word : words) {
            line.append(word).append('\t');
        }
        line.setCharAt(line.length() - 1, '\n');
        ByteBuffer bytes = ByteBuffer.wrap(line.toString().getBytes(StandardCharsets.UTF_8));
        synchronized (file) {
            try {
                while (bytes.hasRemaining()) {
                    file.write(bytes);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /**
     * Begins an operation.
     *
     * @param kind of {@link UserLogCheck.Kind}
     * @param subject the id or the city
     * @param value what is written; empty for nothing
     */
    long start(UserLogCheck.Kind kind, Object subject, String value) {
        long number = numbers.incrementAndGet();
        line("start", run, number, System.nanoTime(), kind, subject, value);
        return number;
    }

    /** An operation is part of a transaction: what it does is taken back unless {@link #commits} follows. */
    void within(long number) {
        line("within", run, number);
    }

    /** The transaction of an operation is committed now. */
    void commits(long number) {
        line("commits", run, number);
    }

    void end(long number, Outcome outcome, String value) {
        line("end", run, number, System.nanoTime(), outcome, value);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    /**
     * An operation as the file has it.
     *
     * @param endNanos of one of a process that was killed, when the next one began; {@link Long#MAX_VALUE} if none did
     * @param observed what a read or a decision was answered
     */
    record Entry(
            UserLogCheck.Kind kind,
            String subject,
            String value,
            long startNanos,
            long endNanos,
            Outcome outcome,
            String observed) {}

    /** All operations of a file. A line that was cut short by the end of its process says nothing. */
    static List<Entry> read(Path path) throws IOException {
        String text = Files.readString(path);
        List<String[]> lines = text.substring(0, text.lastIndexOf('\n') + 1)
                .lines()
                .map(line -> line.split("\t", -1))
                .toList();
        Map<String, String[]> ends = new HashMap<>();
        Set<String> undecided = new HashSet<>();
        List<Long> runs = new ArrayList<>();
        for (String[] words : lines) {
            switch (words[0]) {
                case "run" -> runs.add(Long.parseLong(words[1]));
                case "within" -> undecided.add(name(words));
                case "commits" -> undecided.remove(name(words));
                case "end" -> ends.put(name(words), words);
                default -> {}
            }
        }
        List<Entry> entries = new ArrayList<>();
        for (String[] words : lines) {
            if (words[0].equals("start")) {
                int next = runs.indexOf(Long.valueOf(words[1])) + 1;
                long nextRun = next < runs.size() ? runs.get(next) : Long.MAX_VALUE;
                Outcome ifKilled = undecided.contains(name(words)) ? Outcome.NOT_DONE : Outcome.UNKNOWN;
                entries.add(entry(words, ends.get(name(words)), nextRun, ifKilled));
            }
        }
        return entries;
    }

    private static String name(String[] words) {
        return words[1] + "/" + words[2];
    }

    private static Entry entry(String[] start, String[] end, long nextRun, Outcome ifKilled) {
        return new Entry(
                UserLogCheck.Kind.valueOf(start[4]),
                start[5],
                start[6],
                Long.parseLong(start[3]),
                end == null ? nextRun : Long.parseLong(end[3]),
                end == null ? ifKilled : Outcome.valueOf(end[4]),
                end == null ? "" : end[5]);
    }
}
