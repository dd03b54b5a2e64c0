package io.anneal.peer.agent;

import com.google.common.collect.HashMultimap;
import com.google.common.collect.Multimap;
import com.google.common.util.concurrent.Uninterruptibles;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.gms.Gossiper;
import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.locator.TokenMetadata;
import org.apache.cassandra.service.PendingRangeCalculatorService;
import org.apache.cassandra.service.StorageProxy;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.utils.FBUtilities;

/** Who is in the ring: waits for what gossip has to tell, and makes believe. */
final class Ring {
    private static final int CHECKS_MAX = 600;
    private static final int PAUSE_MS = 50;
    /** Owns what this node is not to own. Gossip does not know it, so nobody tries to reach it. */
    private static final String NOBODY = "127.255.255.254";

    private static final String SEPARATOR = ",";

    private Ring() {}

    /** Until this node sees that many nodes alive, itself included. */
    static List<List<String>> awaitMembers(int nodeCount) {
        await(() -> liveCount() >= nodeCount, "too few nodes alive");
        return List.of();
    }

    /** Gives this node some tokens of the ring, and others, if there are any, to a node that does not run. */
    static List<List<String>> own(String tokens, String others) throws UnknownHostException {
        TokenMetadata ring = StorageService.instance.getTokenMetadata();
        InetAddressAndPort nobody = InetAddressAndPort.getByName(NOBODY);
        Multimap<InetAddressAndPort, Token> owners = HashMultimap.create();
        owners.putAll(FBUtilities.getBroadcastAddressAndPort(), tokens(tokens));
        if (others.isEmpty()) {
            ring.removeEndpoint(nobody);
        } else {
            owners.putAll(nobody, tokens(others));
        }
        ring.updateNormalTokens(owners);
        return List.of();
    }

    /** Has a node that does not run be about to take tokens of the ring, or no longer if there are none. */
    static List<List<String>> expect(String tokens) throws UnknownHostException {
        TokenMetadata ring = StorageService.instance.getTokenMetadata();
        InetAddressAndPort nobody = InetAddressAndPort.getByName(NOBODY);
        ring.removeEndpoint(nobody);
        if (!tokens.isEmpty()) {
            ring.addBootstrapTokens(tokens(tokens), nobody);
        }
        PendingRangeCalculatorService.instance.update();
        PendingRangeCalculatorService.instance.blockUntilFinished();
        return List.of();
    }

    private static List<Token> tokens(String text) {
        Token.TokenFactory factory = Murmur3Partitioner.instance.getTokenFactory();
        return Arrays.stream(text.split(SEPARATOR)).map(factory::fromString).toList();
    }

    /** Until all nodes this one sees alive have the same schema. */
    static void awaitSchemaAgreement() {
        if (liveCount() > 1) {
            await(() -> StorageProxy.describeSchemaVersions(false).size() == 1, "nodes do not agree on the schema");
        }
    }

    private static int liveCount() {
        return Gossiper.instance.getLiveMembers().size();
    }

    private static void await(BooleanSupplier condition, String failure) {
        for (int i = 0; i < CHECKS_MAX; i++) {
            if (condition.getAsBoolean()) {
                return;
            }
            Uninterruptibles.sleepUninterruptibly(PAUSE_MS, TimeUnit.MILLISECONDS);
        }
        throw new IllegalStateException(failure + ", alive=" + Gossiper.instance.getLiveMembers());
    }
}
