package io.anneal.repair;

import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.node.ClockSkew;
import io.anneal.repair.hashes.HashRanges;
import io.anneal.repair.hashes.RangeSums;
import io.anneal.repair.hashes.Sketch;
import io.anneal.repair.hashes.Wanted;
import io.anneal.repair.message.OpenSession;
import io.anneal.repair.message.Phase;
import io.anneal.repair.message.PlacesFound;
import io.anneal.repair.message.PlacesWanted;
import io.anneal.repair.message.PushAnswer;
import io.anneal.repair.message.SessionFinished;
import io.anneal.repair.message.SessionOpened;
import io.anneal.repair.message.SessionTerms;
import io.anneal.repair.message.SyncVote;
import io.anneal.repair.message.TokenSum;
import io.anneal.repair.message.WindowAnswer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One replica as the master of a session sees it: in this process or behind a connection. It does what it is asked in the
 * order in which it is asked; the master need not wait for one answer before it asks for the next. A failed future names the
 * replica; after it only {@link #close()} is allowed.
 */
public interface Participant extends AutoCloseable {
    /** Room for the first item, and no other, however large it is. */
    int ONE_ITEM = 0;

    /** Address or directory, for errors and reports. */
    String name();

    CompletableFuture<SessionOpened> open(OpenSession session);

    /** How far its clock is from the one here, known once it is open; nothing where that is the same, or it does not tell. */
    default Optional<ClockSkew> clockSkew() {
        return Optional.empty();
    }

    /** Fixes what follows from the answers of all replicas; once, before the start. */
    CompletableFuture<Void> agree(SessionTerms terms);

    /**
     * Sums of what it holds, of parts of the session's ranges, ascending and apart from each other: those that it has kept and knows to
     * be true still, none if it keeps none. Once, between the terms and the start; it keeps what it reads from then on.
     */
    CompletableFuture<List<TokenSum>> kept();

    /** Starts, once, at the first token of the ranges: they are repaired in the order of their tokens, and what lies between them is left alone. */
    CompletableFuture<Void> start(List<TokenRange> ranges);

    /** Reads on after the window, if one is open, until the row buffer is full. */
    CompletableFuture<SyncVote> read();

    /**
     * Ends the window before, writing what was received in it, and fixes the next: what is up to {@code boundary}.
     *
     * @param symbols how many of the first symbols of the window's rows are to come with its sums, if it has as many rows
     */
    CompletableFuture<WindowAnswer> window(RingPosition boundary, int symbols);

    /** The hashes of all items of the window. */
    CompletableFuture<long[]> hashes(Phase phase);

    /** The hashes of the window's rows, summed by their ranges. */
    CompletableFuture<RangeSums> sums();

    /** Symbols for the hashes of the window's rows that lie in these ranges: from {@code first} on, up to {@code end}. */
    CompletableFuture<Sketch> sketch(HashRanges ranges, int first, int end);

    /**
     * The wanted items in ring order: encoded, one after the other, unpurged. As many as there is room for, so none if the
     * first is larger.
     *
     * @param skipped how many of them, from the first on, are left out: they have come
     * @param roomBytes at least 1, or {@link #ONE_ITEM}
     */
    CompletableFuture<byte[]> fetch(Phase phase, Wanted wanted, int skipped, int roomBytes);

    /**
     * Where rows of the window stand, and how large they are. The answer is unclear where other rows have hashes that begin like
     * those asked for: then they are asked for by whole hashes.
     */
    CompletableFuture<PlacesFound> places(PlacesWanted wanted);

    /** What the session's cut-off leaves out of the window, as items: the deletions in force, then rows without content. */
    CompletableFuture<byte[]> recent();

    /** Receives encoded items; answers with the ghosts that shadow them, and with the sums that the window has then. */
    CompletableFuture<PushAnswer> push(byte[] items);

    CompletableFuture<SessionFinished> finish();

    /**
     * All replicas have finished, so that each holds every deletion that any of them held in the ranges.
     *
     * @param seconds when the repair began, since 1970
     */
    CompletableFuture<Void> repaired(List<TokenRange> ranges, long seconds);

    /** Whether it can do nothing any more; for any thread, does not wait. */
    boolean isGone();

    /** Bytes that crossed the network to this replica; 0 inside one process. */
    long bytesSent();

    /** Bytes that crossed the network from this replica; 0 inside one process. */
    long bytesReceived();

    /** Bytes that crossed the network for {@link #places}, both ways; 0 inside one process. */
    long placeBytes();

    /** Releases everything; a session that was not finished is forgotten with all that it received. */
    @Override
    void close();
}
