package io.anneal.repair;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.EncodedItem;
import io.anneal.repair.row.ItemCodec;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Brings ghosts, with which a replica answers what they shadow, to the master and to all other followers. Belongs to the
 * master's thread.
 */
final class GhostSpread {
    /** Ghosts are held by all after one round; more mean a mistake. */
    private static final int ROUNDS_MAX = 8;

    /** The origin of the master's ghosts. */
    private static final int OWN = -1;

    private final ReplicaSession own;
    private final List<Participant> followers;
    private final Supplier<Pushes> newPushes;
    private final LargeRowMove largeRows;
    private final EncodedItem item;

    GhostSpread(
            TableSchema schema,
            ReplicaSession own,
            List<Participant> followers,
            LargeRowMove largeRows,
            Supplier<Pushes> newPushes) {
        this.largeRows = largeRows;
        this.own = own;
        this.followers = followers;
        this.newPushes = newPushes;
        item = new EncodedItem(schema);
    }

    /** Takes ghosts in and forwards them to all but their origin, until no more come. */
    void spread(Deque<Pushes.Ghosts> answers, byte[] ownGhosts) throws IOException {
        Deque<Pushes.Ghosts> waiting = new ArrayDeque<>(answers);
        if (ownGhosts.length > 0) {
            waiting.add(new Pushes.Ghosts(OWN, ownGhosts));
        }
        for (int round = 0; !waiting.isEmpty(); round++) {
            if (round == ROUNDS_MAX) {
                throw new RepairException("ghosts do not settle, rounds=" + round + ", waiting=" + waiting.size());
            }
            Deque<Pushes.Ghosts> next = new ArrayDeque<>();
            for (Pushes.Ghosts ghosts : waiting) {
                if (ghosts.origin() != OWN) {
                    byte[] stronger = receiveGhosts(ghosts.items(), followers.get(ghosts.origin()));
                    if (stronger.length > 0) {
                        next.add(new Pushes.Ghosts(OWN, stronger));
                    }
                }
                next.addAll(forward(ghosts));
            }
            waiting = next;
        }
    }

    private byte[] receiveGhosts(byte[] items, Participant origin) throws IOException {
        try {
            return own.receiveAsMaster(items);
        } catch (CorruptItemException e) {
            throw ExpectedItems.noItem(origin, e);
        } catch (RepairException e) {
            throw new RepairException(
                    "replica sent ghosts that cannot be received, replica=" + origin.name() + ", cause="
                            + e.getMessage(),
                    e);
        }
    }

    /**
     * Pushes ghosts to all but their origin: deletions as they are, rows as the master holds them now, so that receivers find
     * nothing missing in them. Returns the ghosts that it is answered with.
     */
    private Deque<Pushes.Ghosts> forward(Pushes.Ghosts ghosts) throws IOException {
        Pushes pushes = newPushes.get();
        byte[] items = ghosts.items();
        int end;
        for (int at = 0; at < items.length; at = end) {
            item.wrap(items, at, items.length);
            end = item.endOffset();
            if (ItemCodec.isDeletion(item)) {
                pushes.addForAllBut(ghosts.origin(), items, item.offset(), item.lengthBytes());
            } else {
                Optional<HeldRow> row =
                        own.current().rows().heldAt(own.current().position(item));
                if (row.isPresent()) {
                    if (row.get().file().isPresent()) {
                        largeRows.enter();
                    }
                    HeldRow whole = own.current().rows().inMemory(row.get());
                    pushes.addForAllBut(ghosts.origin(), whole.array(), whole.offset(), whole.lengthBytes());
                }
            }
        }
        return pushes.finish();
    }
}
