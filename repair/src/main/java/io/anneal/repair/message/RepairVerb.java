package io.anneal.repair.message;

import io.anneal.net.Verb;

/** The verbs of repair, each of a stream of messages. The numbers are on the wire and never change their meaning. */
public final class RepairVerb {
    /** The version of all that is said on these streams; the first byte of the first message. */
    public static final int VERSION = 5;

    /** A session with one replica, opened by the master: questions of a {@link SessionStep} each, answered in turn. */
    public static final Verb SESSION = new Verb(16, "repair.session");

    /** Asks a node to be the master of a repair: {@link RunRepair}; it tells how it is doing until it is done. */
    public static final Verb RUN = new Verb(32, "repair.run");

    private RepairVerb() {}
}
