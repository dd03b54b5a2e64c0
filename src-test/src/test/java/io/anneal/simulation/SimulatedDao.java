package io.anneal.simulation;

import io.anneal.dualdao.config.KeyCopy;
import io.anneal.dualdao.operation.Conditional;
import io.anneal.dualdao.operation.Delete;
import io.anneal.dualdao.operation.Increment;
import io.anneal.dualdao.operation.Key;
import io.anneal.dualdao.operation.Read;
import io.anneal.dualdao.operation.Write;
import io.anneal.harness.store.Item;
import io.anneal.harness.store.PartitionCopy;
import io.anneal.harness.store.PartitionDao;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** Partitions, with what else a store can do to them. */
public interface SimulatedDao extends PartitionDao {
    /** Between the items that were added to one place. */
    String AND = "+";

    /** Sets an item, or takes it away if there is no value, if it holds what is expected, null for nothing. */
    @Conditional
    CompletionStage<Boolean> compareAndSet(@Key long a, String b, String c, String expected, String value);

    /** Adds to what an item holds. */
    @Increment
    CompletionStage<Void> add(@Key long a, Item item);

    /** Sets the items, which then expire, and takes away all others. */
    @Delete
    CompletionStage<Void> replaceFor(@Key long a, List<Item> items, Duration ttl);

    /** What a service has many of, and finds by more than the key. One that is gone is there and marked so. */
    record Entity(String name, String city, boolean gone) {}

    /** Sets all of an entity, also to mark it as gone. On the caller's thread, in its transaction. */
    @Write
    void save(@Key long a, Entity entity);

    /** Takes an entity away. On the caller's thread, in its transaction. */
    @Delete
    void remove(@Key long a);

    /** An entity that is not gone; null if there is none. */
    @Read
    CompletionStage<Entity> find(@Key long a);

    /** All entities of a city that are not gone. */
    @Read
    CompletionStage<Map<Long, Entity>> livingIn(String city);

    /** Copies of all of it. */
    record Copy(PartitionCopy partitions, Guarantee guarantee) implements KeyCopy<SimulatedDao, Long> {
        @Override
        public CompletionStage<Void> copy(Long key, SimulatedDao from, SimulatedDao to, long takenAwayBeforeMicros) {
            return partitions.copy(key, from, to, takenAwayBeforeMicros);
        }

        @Override
        public CompletionStage<?> read(Long key, SimulatedDao dao) {
            return partitions.read(key, dao);
        }
    }
}
