package io.anneal.schema;

import io.anneal.schema.CounterShards.Kind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Counter contexts as text and back: shards as {@code kind id:clock=count}, the kind being g, l or r. */
public final class CounterContexts {
    private CounterContexts() {}

    /** The context of shards in the given order, as Cassandra lays it out. */
    public static byte[] context(String shards) {
        List<String> all = shards.isEmpty() ? List.of() : List.of(shards.split(" "));
        int indexed = (int) all.stream().filter(s -> s.charAt(0) != 'r').count();
        ByteBuffer context = ByteBuffer.allocate(CounterShards.lengthBytes(all.size(), indexed));
        context.putShort((short) indexed);
        for (int i = 0; i < all.size(); i++) {
            switch (all.get(i).charAt(0)) {
                case 'g' -> context.putShort((short) (i + Short.MIN_VALUE));
                case 'l' -> context.putShort((short) i);
                default -> {}
            }
        }
        for (String shard : all) {
            String[] parts = shard.substring(1).split("[:=]");
            context.putLong(Long.parseLong(parts[0])).putLong(0);
            context.putLong(Long.parseLong(parts[1])).putLong(Long.parseLong(parts[2]));
        }
        return context.array();
    }

    /** What a context holds; one that is not well-formed fails. */
    public static String text(byte[] buffer, int offset, int length) {
        CounterShards shards = new CounterShards().wrap(buffer, offset, length);
        List<String> all = new ArrayList<>();
        while (shards.next()) {
            String kind = shards.kind() == Kind.GLOBAL ? "g" : shards.kind() == Kind.LOCAL ? "l" : "r";
            long id = ByteBuffer.wrap(buffer).getLong(shards.offset());
            all.add(kind + id + ":" + shards.clock() + "=" + shards.count());
        }
        return String.join(" ", all);
    }
}
