package io.anneal.net;

/** What a connection holds, for tests of those who use it. */
public final class ConnectionContents {
    private ConnectionContents() {}

    /** Whether no stream is open and no callback is registered. */
    public static boolean isEmpty(Connection connection) {
        return ((Session) connection).isEmpty();
    }
}
