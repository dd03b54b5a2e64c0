package io.anneal.node;

import io.anneal.schema.InvalidValueException;
import io.anneal.schema.SchemaException;
import io.anneal.schema.UnsupportedTypeException;
import java.io.IOException;
import java.nio.file.FileSystemException;

/** What a failure here is called at a peer. */
public final class FailureText {
    /** In the platform's words. */
    private static final String NO_MORE_FILES = "Too many open files";

    private FailureText() {}

    /** Whether it says in its own words what is wrong with a table or a file; anything else is a mistake of this program. */
    public static boolean isRefusal(Throwable failure) {
        return failure instanceof IOException
                || failure instanceof IllegalStateException
                || failure instanceof SchemaException
                || failure instanceof UnsupportedTypeException
                || failure instanceof InvalidValueException;
    }

    public static String of(Throwable failure) {
        // The message of a file system's exception without reason is only the path.
        boolean bare = failure instanceof FileSystemException file && file.getReason() == null;
        boolean speaks = !bare && failure.getMessage() != null && isRefusal(failure);
        String text = speaks ? failure.getMessage() : failure.toString();
        return lacksFiles(failure) ? text + ": raise the limit of this process, as ulimit -n does" : text;
    }

    /** Of this process, not of a peer that has said so. */
    private static boolean lacksFiles(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof FileSystemException file
                    && file.getReason() != null
                    && file.getReason().contains(NO_MORE_FILES)) {
                return true;
            }
        }
        return false;
    }
}
