package io.anneal.dualdao.journal;

import io.anneal.dualdao.phase.Side;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The keys of one side that are in a journal, in the order in which they were last added: a map for asking, which takes no lock,
 * and a list through its nodes for the order. A {@code LinkedHashMap} would make every question wait for every write.
 *
 * <p>Whoever changes it or lists it holds the journal's lock; anybody may ask.
 */
final class LiveKeys {
    private final Side lacking;
    private final ConcurrentHashMap<String, Node> byKey = new ConcurrentHashMap<>();
    private final Node ends = new Node("");
    private volatile int size;

    LiveKeys(Side lacking) {
        this.lacking = lacking;
        ends.before = ends;
        ends.after = ends;
    }

    /** A key and its newest entry; the fields that change belong to the journal's lock. */
    static final class Node {
        final String key;
        long stamp;
        String reason = "";
        /** Which write of the journal's file holds it, where there is one. */
        volatile long writeNumber;

        private Node before;
        private Node after;

        private Node(String key) {
            this.key = key;
        }
    }

    /** Null if the key is not there. Takes no lock, and reads one field when there are no keys at all. */
    Node node(String key) {
        return size == 0 ? null : byKey.get(key);
    }

    int size() {
        return size;
    }

    /** Adds a key as the newest, or makes it the newest. */
    Node put(String key, long stamp, String reason, long writeNumber) {
        Node node = byKey.get(key);
        boolean fresh = node == null;
        if (fresh) {
            node = new Node(key);
        } else {
            unlink(node);
        }
        node.stamp = stamp;
        node.reason = reason;
        node.writeNumber = writeNumber;
        node.before = ends.before;
        node.after = ends;
        ends.before.after = node;
        ends.before = node;
        if (fresh) {
            byKey.put(key, node);
            size = size + 1;
        }
        return node;
    }

    /** Takes a key out if its newest entry has that stamp. */
    boolean remove(String key, long stamp) {
        Node node = byKey.get(key);
        if (node == null || node.stamp != stamp) {
            return false;
        }
        drop(node);
        return true;
    }

    /** Takes a key out, whatever its stamp. */
    void remove(String key) {
        Node node = byKey.get(key);
        if (node != null) {
            drop(node);
        }
    }

    private void drop(Node node) {
        byKey.remove(node.key);
        unlink(node);
        size = size - 1;
    }

    List<KeyJournal.Entry> oldest(int limit) {
        List<KeyJournal.Entry> entries = new ArrayList<>(Math.min(limit, size));
        for (Node node = ends.after; node != ends && entries.size() < limit; node = node.after) {
            entries.add(new KeyJournal.Entry(node.key, lacking, node.stamp, node.reason));
        }
        return entries;
    }

    private static void unlink(Node node) {
        node.before.after = node.after;
        node.after.before = node.before;
    }
}
