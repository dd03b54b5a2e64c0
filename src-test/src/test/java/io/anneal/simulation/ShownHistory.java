package io.anneal.simulation;

import io.anneal.fragment.FragmentCursor;
import io.anneal.key.DecoratedKey;
import io.anneal.merge.SelectCursor;
import io.anneal.schema.TableSchema;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.FragmentList.Fragment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What a table held from each change of it to the next, by the naive model, and what of that is shown when. */
final class ShownHistory {
    private static final Partition NOTHING = new Partition(null);

    /** A partition between two changes of it. */
    private static final class Partition {
        /** Null of one that does not exist. */
        private final FragmentList content;

        private final Map<TableSchema, Map<Long, Map<String, ShownRow>>> shown = new HashMap<>();

        Partition(FragmentList content) {
            this.content = content;
        }

        /** By place, in order. */
        Map<String, ShownRow> rows(TableSchema schema, long nowSeconds) {
            return shown.computeIfAbsent(schema, s -> new HashMap<>())
                    .computeIfAbsent(nowSeconds, now -> show(schema, now));
        }

        private Map<String, ShownRow> show(TableSchema schema, long nowSeconds) {
            Map<String, ShownRow> rows = new LinkedHashMap<>();
            if (content == null) {
                return rows;
            }
            try (FragmentCursor cursor = new SelectCursor(under(schema).cursor(), nowSeconds)) {
                ShownRow.of(FragmentList.copyOf(cursor)).forEach(row -> rows.put(row.place(), row));
                return rows;
            } catch (IOException e) {
                throw new AssertionError("nothing is read from a disk here", e);
            }
        }

        /** As of the table after an alteration of it. */
        private FragmentList under(TableSchema schema) {
            if (schema.equals(content.schema())) {
                return content;
            }
            NaiveTable altered = new NaiveTable(schema);
            altered.add(content);
            return altered.content();
        }
    }

    private record Version(TableSchema schema, NavigableMap<DecoratedKey, Partition> partitions) {}

    private final List<Version> versions = new ArrayList<>();
    private NaiveTable model;

    ShownHistory(TableSchema schema) {
        model = new NaiveTable(schema);
        versions.add(new Version(schema, new TreeMap<>()));
    }

    /** The number of the version that there is now; the first one is 0. */
    int latest() {
        return versions.size() - 1;
    }

    void write(FragmentList fragments) {
        model.add(fragments);
        model.forgetShadowed();
        NavigableMap<DecoratedKey, Partition> partitions =
                new TreeMap<>(versions.get(latest()).partitions());
        Map<DecoratedKey, FragmentList> content = model.contentByKey();
        fragments.fragments().stream().map(Fragment::key).distinct().forEach(key -> {
            if (content.containsKey(key)) {
                partitions.put(key, new Partition(content.get(key)));
            }
        });
        versions.add(new Version(model.schema(), partitions));
    }

    void truncate() {
        model.truncate();
        versions.add(new Version(model.schema(), new TreeMap<>()));
    }

    /** From here on the table has another schema, in which columns keep their places. */
    void alter(TableSchema after) {
        NaiveTable altered = new NaiveTable(after);
        altered.add(model.content());
        model = altered;
        NavigableMap<DecoratedKey, Partition> partitions = new TreeMap<>();
        model.contentByKey().forEach((key, content) -> partitions.put(key, new Partition(content)));
        versions.add(new Version(after, partitions));
    }

    /** Rows of the latest version, in the order of tokens. */
    List<ShownRow> rows(long nowSeconds) {
        Version version = versions.get(latest());
        return version.partitions().values().stream()
                .flatMap(partition -> partition.rows(version.schema(), nowSeconds).values().stream())
                .toList();
    }

    /** Keys of partitions that a version of these has. */
    Set<DecoratedKey> keys(int first, int last) {
        Set<DecoratedKey> keys = new TreeSet<>();
        versions.subList(first, last + 1)
                .forEach(version -> keys.addAll(version.partitions().keySet()));
        return keys;
    }

    /** What a partition showed, by place: in each of these versions, at each of these seconds, to who knows a schema. */
    List<Map<String, ShownRow>> shown(DecoratedKey key, int first, int last, TableSchema schema, Set<Long> seconds) {
        boolean isUnaltered = schema.equals(versions.get(0).schema());
        Set<Partition> partitions = new LinkedHashSet<>();
        for (Version version : versions.subList(first, last + 1)) {
            if (isUnaltered && !version.schema().equals(schema)) {
                // Nothing that is written after an alteration is shown as of the table before it.
                break;
            }
            partitions.add(version.partitions().getOrDefault(key, NOTHING));
        }
        List<Map<String, ShownRow>> shown = new ArrayList<>();
        for (Partition partition : partitions) {
            seconds.forEach(now -> shown.add(partition.rows(schema, now)));
        }
        return shown;
    }
}
