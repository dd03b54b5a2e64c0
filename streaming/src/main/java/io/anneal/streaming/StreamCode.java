package io.anneal.streaming;

import io.anneal.sstable.CorruptSSTableException;

/** Codes of a {@link io.anneal.net.PeerException} that only streaming has. */
public final class StreamCode {
    /** The source cannot give what was asked for; the text says why. */
    public static final String REFUSED = "stream-refused";

    /** The source holds nothing under this session any more: open another. */
    public static final String NO_SESSION = "no-stream-session";

    /** An SSTable of the source cannot be read there, or came wrong, and wrong again; the text names it. */
    public static final String DAMAGED = "stream-damaged";

    /** A side speaks another version of streaming. */
    public static final String VERSION = "stream-version";

    /** The target gave up. */
    public static final String ABORTED = "stream-aborted";

    /** What a source tells a target of a failure. */
    static String of(Throwable failure) {
        return failure instanceof CorruptSSTableException ? DAMAGED : REFUSED;
    }

    private StreamCode() {}
}
