package io.anneal.io;

import java.io.Closeable;
import java.io.IOException;

/** Closes several things, each of them whatever becomes of the others. */
public final class Closing {
    private Closing() {}

    /**
     * Closes all, in their order.
     *
     * @throws IOException what the first that failed threw; what others threw is suppressed there
     */
    public static void all(Iterable<? extends Closeable> opened) throws IOException {
        IOException failure = null;
        for (Closeable one : opened) {
            try {
                one.close();
            } catch (IOException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
