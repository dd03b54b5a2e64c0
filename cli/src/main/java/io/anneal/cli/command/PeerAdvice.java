package io.anneal.cli.command;

import io.anneal.agent.AgentPeer;
import io.anneal.net.PeerException;
import io.anneal.repair.RepairCode;
import io.anneal.streaming.StreamCode;

/** What a user can do, by the peer's own code. */
final class PeerAdvice {
    private PeerAdvice() {}

    /** Of what an agent refuses. */
    static String ofAgent(PeerException refusal) {
        return AgentPeer.isAskedToHold(refusal)
                ? "do what the line names at that node; a run that has stopped is gone on with by 'anneal cluster repair"
                        + " --resume', or let go by --abandon"
                : ErrorCode.LIVE_NODE.advice();
    }

    /** Of what a node refuses, as one that serves no such table. */
    static String ofRefusal(PeerException refusal) {
        return refusal.step().contains(" paging.")
                ? "check --table, and that the node serves it; or mend what the line names there, then scan again"
                : ErrorCode.REPAIR.advice();
    }

    /** Of a node of Cassandra's that an agent can't speak with. */
    static String ofUnreachableNode() {
        return "check that the node runs, --jmx and --cql, and whether it wants TLS or a login there";
    }

    static String of(String code) {
        return switch (code) {
            case PeerException.TOKEN_MISSING, PeerException.TOKEN_WRONG -> "give both sides the same --token-file";
            case PeerException.TLS_REFUSED ->
                "check the certificate that is named: its dates, that the other side's --tls-ca has its authority, and"
                        + " that it is not revoked";
            case PeerException.TLS_NAME ->
                "give that node a certificate that names its address or its node id, or dial it by a name that it has";
            case PeerException.TLS_EXPECTED, PeerException.NOT_TLS -> "give both sides certificates, or none";
            case PeerException.TLS_MISSING -> "give --tls-cert, --tls-key and --tls-ca";
            case PeerException.TLS_FILES -> "mend the file that is named; docs/operate.md shows how they are made";
            case PeerException.NOT_ANNEAL -> "check the address: something else answers there";
            case PeerException.TOO_MANY_CONNECTIONS,
                    PeerException.TOO_MANY_STREAMS,
                    PeerException.OVERLOADED,
                    PeerException.BUSY -> "try again later, or give the server more --memory";
            case PeerException.MESSAGE_TOO_LARGE -> "give that side more --memory";
            case PeerException.UNKNOWN_VERB -> "check that both sides are of one version";
            case StreamCode.DAMAGED ->
                "look at the SSTable that is named with 'anneal sstable verify' on its node, and restore it, or name"
                        + " another node that has the data";
            case RepairCode.VERSION -> "upgrade the older side";
            case PeerException.INTERNAL -> "look into the peer's log";
            default -> ErrorCode.PEER.advice();
        };
    }
}
