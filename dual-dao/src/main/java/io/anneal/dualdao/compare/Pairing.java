package io.anneal.dualdao.compare;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Finds for each element of one list its equal in another, regardless of order. Equal by {@code equals} and {@code hashCode}
 * first, in one pass; what is left is tried pair by pair, and of more than {@link #TRIED_MAX} nothing is tried.
 *
 * @param pairs indices of those that their own {@code equals} calls equal, left to right
 * @param lonelyLeft indices of elements that found none
 * @param lonelyRight indices of those that no element found
 */
record Pairing(Map<Integer, Integer> pairs, List<Integer> lonelyLeft, List<Integer> lonelyRight) {
    private static final int TRIED_MAX = 500;

    /** Whether the elements at two indices are equal. */
    @FunctionalInterface
    interface Trial {
        boolean equal(int left, int right);
    }

    static Pairing of(List<?> left, List<?> right, Trial trial) {
        Map<Object, Deque<Integer>> byValue = new HashMap<>();
        for (int i = 0; i < right.size(); i++) {
            byValue.computeIfAbsent(right.get(i), value -> new ArrayDeque<>()).add(i);
        }
        Map<Integer, Integer> pairs = new TreeMap<>();
        List<Integer> lonelyLeft = new ArrayList<>();
        for (int i = 0; i < left.size(); i++) {
            Deque<Integer> equals = byValue.get(left.get(i));
            if (equals == null || equals.isEmpty()) {
                lonelyLeft.add(i);
            } else {
                pairs.put(i, equals.removeFirst());
            }
        }
        List<Integer> lonelyRight = new ArrayList<>();
        byValue.values().forEach(lonelyRight::addAll);
        lonelyRight.sort(null);
        if (lonelyLeft.size() <= TRIED_MAX && lonelyRight.size() <= TRIED_MAX) {
            tryPairs(lonelyLeft, lonelyRight, trial);
        }
        return new Pairing(pairs, lonelyLeft, lonelyRight);
    }

    private static void tryPairs(List<Integer> lonelyLeft, List<Integer> lonelyRight, Trial trial) {
        Iterator<Integer> lefts = lonelyLeft.iterator();
        while (lefts.hasNext()) {
            int left = lefts.next();
            Iterator<Integer> rights = lonelyRight.iterator();
            while (rights.hasNext()) {
                if (trial.equal(left, rights.next())) {
                    rights.remove();
                    lefts.remove();
                    break;
                }
            }
        }
    }
}
