package io.anneal.agent;

import io.anneal.net.Verb;

/** What an agent is asked; the numbers are on the wire. */
final class AgentVerb {
    static final int VERSION = 1;

    static final Verb STATUS = new Verb(64, "agent.status");
    static final Verb HOLD = new Verb(65, "agent.hold");
    static final Verb RENEW = new Verb(66, "agent.renew");
    static final Verb SNAPSHOT = new Verb(67, "agent.snapshot");
    static final Verb IMPORT = new Verb(68, "agent.import");
    static final Verb RELEASE = new Verb(69, "agent.release");
    static final Verb LOOK = new Verb(70, "agent.look");

    /** By which a peer hears what speaks against it, in the agent's own words. */
    static final String REFUSED = "refused";

    /** The same where it speaks against it for good: the run is over at this agent. */
    static final String OVER = "over";

    private AgentVerb() {}
}
