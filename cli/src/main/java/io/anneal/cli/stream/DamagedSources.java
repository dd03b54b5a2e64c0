package io.anneal.cli.stream;

import io.anneal.net.PeerException;
import io.anneal.streaming.StreamCode;
import io.anneal.streaming.StreamException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Which nodes cannot give a table, since an SSTable of it is damaged there. One thread. */
final class DamagedSources {
    private final Map<String, Set<String>> byTable = new HashMap<>();

    static boolean isDamage(Exception failure) {
        Optional<String> code = Optional.empty();
        if (failure instanceof StreamException told) {
            code = told.peerCode();
        } else if (failure instanceof PeerException peer) {
            code = Optional.of(peer.code());
        }
        return code.equals(Optional.of(StreamCode.DAMAGED));
    }

    /** Takes note of one more, and returns those that are left. */
    Set<String> without(String table, String node, Set<String> all) {
        Set<String> damaged = byTable.computeIfAbsent(table, first -> new HashSet<>());
        damaged.add(node);
        Set<String> left = new HashSet<>(all);
        left.removeAll(damaged);
        return left;
    }
}
