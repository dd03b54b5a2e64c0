package io.anneal.repair;

import io.anneal.fragment.CorruptItemException;
import io.anneal.repair.hashes.HashList;
import io.anneal.repair.message.Phase;
import io.anneal.repair.message.RepairCount;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Fetches what the master lacks of a window: each item once, of followers that hold the same from one of them. What
 * arrives is checked by {@link ExpectedItems}. Belongs to the master's thread.
 */
final class MissingItems {
    private final List<Participant> followers;
    private final int bufferBytes;
    private final LargeRowMove largeRows;
    private final RepairMeter meter;

    MissingItems(List<Participant> followers, int bufferBytes, LargeRowMove largeRows, RepairMeter meter) {
        this.largeRows = largeRows;
        this.followers = followers;
        this.bufferBytes = bufferBytes;
        this.meter = meter;
    }

    /** Takes an answer in and tells what came. */
    interface Fetched {
        void accept(byte[] items, ExpectedItems expected) throws IOException;
    }

    /**
     * Fetches each item that the master lacks once. All followers are asked at the same time, for what fits a row buffer
     * together, and again until nothing is left; an item that is larger than its share comes alone.
     */
    void fetch(Phase phase, List<FollowerDifference> differences, Fetched fetched) throws IOException {
        List<ExpectedItems> all = expected(phase, differences);
        List<ExpectedItems> open = new ArrayList<>(all);
        while (!open.isEmpty()) {
            int roomBytes = Math.max(1, bufferBytes / open.size());
            List<CompletableFuture<byte[]>> asked = open.stream()
                    .map(expected -> fetch(expected, phase, roomBytes))
                    .toList();
            for (int i = 0; i < asked.size(); i++) {
                byte[] answer = meter.await(asked.get(i));
                open.get(i).requireRoom(answer, roomBytes);
                accept(answer, phase, open.get(i), fetched);
            }
            open.removeIf(ExpectedItems::isComplete);
        }
        all.forEach(ExpectedItems::tell);
    }

    private static CompletableFuture<byte[]> fetch(ExpectedItems expected, Phase phase, int roomBytes) {
        return expected.follower().fetch(phase, expected.next(), expected.cameCount(), roomBytes);
    }

    /** What to ask each follower for, so that the master gets each item that it lacks once. */
    List<ExpectedItems> expected(Phase phase, List<FollowerDifference> differences) {
        List<ExpectedItems> all = new ArrayList<>();
        Set<FollowerDifference> asked = new HashSet<>();
        HashList covered = HashList.EMPTY;
        for (int i = 0; i < followers.size(); i++) {
            FollowerDifference difference = differences.get(i);
            if (!asked.add(difference)) {
                continue;
            }
            if (difference.isKnown()) {
                HashList missing = difference.extra().without(covered);
                covered = covered.with(missing);
                if (!missing.isEmpty()) {
                    all.add(new ExpectedItems(followers.get(i), phase, difference, missing));
                }
            } else {
                all.add(new ExpectedItems(followers.get(i), phase, difference));
            }
        }
        all.forEach(expected -> meter.add(RepairCount.HASHES, expected.wanted().hashCount()));
        return all;
    }

    private void accept(byte[] answer, Phase phase, ExpectedItems expected, Fetched fetched) throws IOException {
        byte[] items = answer;
        if (items.length == 0) {
            largeRows.enter();
            items = meter.await(fetch(expected, phase, Participant.ONE_ITEM));
        }
        try {
            fetched.accept(items, expected);
        } catch (CorruptItemException e) {
            throw expected.noItem(e);
        } catch (RepairException e) {
            throw expected.refused(e);
        }
        expected.requireWanted();
    }
}
