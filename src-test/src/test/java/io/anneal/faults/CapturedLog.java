package io.anneal.faults;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** What is logged while something is done, which is seen nowhere else then. */
final class CapturedLog {
    private CapturedLog() {}

    /** What is done. */
    interface Work {
        void run() throws IOException;
    }

    static String of(Work work) throws IOException {
        PrintStream usual = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try {
            work.run();
        } finally {
            System.setErr(usual);
        }
        return log.toString(StandardCharsets.UTF_8);
    }
}
