package io.anneal.testkit;

import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A name given to a node, taken from it, or both at once: what becomes durable whole. A rename over another file gives that
 * one's name away.
 *
 * @param source that loses a name, or null
 * @param target that gets a name, or null
 */
record DirectoryChange(
        DirectoryNode source, String sourceName, DirectoryNode target, String targetName, DiskNode node) {
    static DirectoryChange added(DirectoryNode target, String name, DiskNode node) {
        return new DirectoryChange(null, null, target, name, node);
    }

    static DirectoryChange removed(DirectoryNode source, String name, DiskNode node) {
        return new DirectoryChange(source, name, null, null, node);
    }

    List<DirectoryNode> directories() {
        if (source == null || source == target) {
            return List.of(target);
        }
        return target == null ? List.of(source) : List.of(source, target);
    }

    void apply(Function<DirectoryNode, Map<String, DiskNode>> state) {
        if (source != null) {
            state.apply(source).remove(sourceName);
        }
        if (target != null) {
            state.apply(target).put(targetName, node);
        }
    }
}
