package io.anneal.streaming;

/** Codes of a {@link io.anneal.net.PeerException} that only streaming has. */
public final class StreamCode {
    /** The source cannot give what was asked for; the text says why. */
    public static final String REFUSED = "stream-refused";

    /** The source holds nothing under this session any more: open another. */
    public static final String NO_SESSION = "no-stream-session";

    /** A side speaks another version of streaming. */
    public static final String VERSION = "stream-version";

    /** The target gave up. */
    public static final String ABORTED = "stream-aborted";

    private StreamCode() {}
}
