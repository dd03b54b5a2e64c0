package io.anneal.cli.command;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** A standard stream of the process that knows why something could not be written: a {@link PrintStream} only knows that. */
public final class StandardStream extends PrintStream {
    private static final int BUFFER_BYTES = 8 * 1024;
    /** Of a file's mode on Unix: the bits of its kind, and two kinds. */
    private static final int KIND = 0xF000;

    private static final int PIPE = 0x1000;
    private static final int SOCKET = 0xC000;

    /** Remembers the first failure. */
    private static final class Watched extends OutputStream {
        private final OutputStream out;
        private volatile IOException failure;

        Watched(OutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int oneByte) throws IOException {
            write(new byte[] {(byte) oneByte}, 0, 1);
        }

        @Override
        public void write(byte[] source, int offset, int length) throws IOException {
            try {
                out.write(source, offset, length);
            } catch (IOException e) {
                failure = failure == null ? e : failure;
                throw e;
            }
        }
    }

    private final Watched watched;
    private final BooleanSupplier isPipe;

    private StandardStream(Watched watched, Charset charset, BooleanSupplier isPipe) {
        super(new BufferedOutputStream(watched, BUFFER_BYTES), true, charset);
        this.watched = watched;
        this.isPipe = isPipe;
    }

    /** @param isPipe asked after a failed write */
    public static StandardStream of(OutputStream out, Charset charset, BooleanSupplier isPipe) {
        return new StandardStream(new Watched(out), charset, isPipe);
    }

    /** Returns the process's output. */
    public static PrintStream out() {
        return of(new FileOutputStream(FileDescriptor.out), charset("stdout"), () -> isPipe("/dev/stdout"));
    }

    /** Returns the process's stream for errors. */
    public static PrintStream err() {
        return of(new FileOutputStream(FileDescriptor.err), charset("stderr"), () -> isPipe("/dev/stderr"));
    }

    /** As the JVM's own streams have it: of a terminal its own, else that of the user's language. */
    private static Charset charset(String stream) {
        String own = System.getProperty(stream + ".encoding", System.getProperty("sun." + stream + ".encoding"));
        String name = own == null ? System.getProperty("native.encoding") : own;
        return name != null && Charset.isSupported(name) ? Charset.forName(name) : StandardCharsets.UTF_8;
    }

    /** Writes to a pipe fail for no other reason; a message would be in the language of the user. */
    private static boolean isPipe(String path) {
        try {
            int kind = (Integer) Files.getAttribute(Path.of(path), "unix:mode") & KIND;
            return kind == PIPE || kind == SOCKET;
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return false;
        }
    }

    /** Returns why what was printed to this stream is lost; empty when it is not. */
    public static Optional<OutputException> loss(PrintStream stream) {
        if (!stream.checkError()) {
            return Optional.empty();
        }
        IOException reason = stream instanceof StandardStream standard ? standard.watched.failure : null;
        if (reason == null) {
            return Optional.of(new OutputException("standard output is closed or full", false, null));
        }
        boolean isClosedPipe = String.valueOf(reason.getMessage()).contains("Broken pipe")
                || ((StandardStream) stream).isPipe.getAsBoolean();
        return Optional.of(new OutputException(
                "standard output can't be written, reason=" + reason.getMessage(), isClosedPipe, reason));
    }
}
