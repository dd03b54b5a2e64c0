package io.anneal.repair;

/** Codes with which a node refuses or ends a stream of repair, beside those of the network; stable. */
public final class RepairCode {
    /** The replica's table cannot take part, or cannot be read or written any more; the text says why. */
    public static final String REFUSED = "refused";
    /** The replica's table was truncated while it was repaired: nothing of what it received is kept, begin again. */
    public static final String TRUNCATED = "truncated";
    /** A directory of the replica could not be synced: what it has of what it received is known when it is opened again. */
    public static final String UNSYNCED = "unsynced";
    /** A step that is out of turn: the session is not open yet, or open already. */
    public static final String NO_SESSION = "no-session";
    /** A row, a row buffer or the number of replicas is larger than a node has memory for. */
    public static final String TOO_LARGE = "too-large";
    /** The two sides speak different versions of repair. */
    public static final String VERSION = "repair-version";
    /** Whoever drives the repair has ended it before its time. */
    public static final String ABORTED = "aborted";

    private RepairCode() {}

    /** Whether a replica says by it that it failed, and holds what it held before. */
    static boolean isRefusal(String code) {
        return code.equals(REFUSED) || code.equals(TRUNCATED) || code.equals(TOO_LARGE);
    }
}
