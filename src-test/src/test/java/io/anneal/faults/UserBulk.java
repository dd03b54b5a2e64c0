package io.anneal.faults;

import io.anneal.migrate.bulk.BulkCursor;
import io.anneal.migrate.bulk.BulkRange;
import io.anneal.migrate.bulk.BulkSource;
import io.anneal.migrate.bulk.BulkTarget;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Both ends of copying and comparing the users of two databases in bulk. */
final class UserBulk {
    private static final String SHAPE = "id, name, city, visits, deleted";

    private UserBulk() {}

    record Source(String identity, JdbcUsers users) implements BulkSource<User> {
        @Override
        public String shape() {
            return SHAPE;
        }

        @Override
        public List<BulkRange> ranges(int count) {
            return new BulkRange(-1, Integer.MAX_VALUE).split(Math.min(count, 4));
        }

        @Override
        public BulkCursor<User> open(BulkRange range) {
            Iterator<User> rows = users.rows(range.after(), range.through()).iterator();
            return new BulkCursor<>() {
                @Override
                public User next() {
                    return rows.hasNext() ? rows.next() : null;
                }

                @Override
                public void close() {
                    // The rows were read at once.
                }
            };
        }

        @Override
        public Comparator<User> order() {
            return Comparator.comparing(User::id);
        }

        @Override
        public Optional<User> reread(User like) {
            return Optional.ofNullable(users.load(like.id()));
        }

        @Override
        public void close() {
            // The database is not ours.
        }
    }

    /**
     * Tables without times: a row is copied while its lock on the side that is right keeps whoever writes both from going on to
     * this one.
     *
     * @param right the side that is written first
     */
    record Target(String identity, JdbcUsers users, JdbcUsers right) implements BulkTarget<User> {
        @Override
        public String shape() {
            return SHAPE;
        }

        @Override
        public CompletionStage<Void> write(User entry) {
            right.inTransaction(() -> {
                User now = right.lock(entry.id());
                if (now != null) {
                    users.store(now);
                }
                return true;
            });
            return CompletableFuture.completedStage(null);
        }

        /** No id is used again, so that what is gone from the side that is right stays gone. */
        @Override
        public CompletionStage<Void> remove(User there, Optional<User> kept) {
            if (kept.isEmpty() && right.load(there.id()) == null) {
                users.remove(there.id());
            }
            return CompletableFuture.completedStage(null);
        }

        @Override
        public void finish(BulkRange range) {
            // Each write was committed.
        }

        @Override
        public void close() {
            // The database is not ours.
        }
    }
}
