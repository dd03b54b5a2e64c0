package io.anneal.bench.peer;

import java.util.List;

/**
 * What an import did. Cassandra takes a directory whole or not at all, and leaves out files it does not know without
 * a word, so the two counts are what tells.
 *
 * @param found Data components in the directory
 * @param imported SSTables live after the import and not before
 * @param refusals when the counts differ: file and reason, for every SSTable of the directory
 */
public record ImportResult(int found, int imported, List<String> refusals) {

    static ImportResult of(List<List<String>> answer) {
        List<String> counts = answer.get(0);
        return new ImportResult(
                Integer.parseInt(counts.get(0)),
                Integer.parseInt(counts.get(1)),
                answer.stream()
                        .skip(1)
                        .map(refusal -> refusal.get(0) + ": " + refusal.get(1))
                        .toList());
    }

    /** Whether there was something to import, and all of it was. */
    public boolean complete() {
        return found > 0 && found == imported && refusals.isEmpty();
    }
}
