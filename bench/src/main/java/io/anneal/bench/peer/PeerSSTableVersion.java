package io.anneal.bench.peer;

/** The SSTable version a node writes, and the two settings which make it do so. */
public enum PeerSSTableVersion {
    /** The format of 4.0 to 4.1, which 5.0 keeps writing until an operator says otherwise. */
    NB("CASSANDRA_4", "big"),
    /** The big format of 5.0. */
    OA("NONE", "big"),
    /** The trie-indexed format of 5.0. */
    DA("NONE", "bti");

    private final String storageCompatibilityMode;
    private final String selectedFormat;

    PeerSSTableVersion(String storageCompatibilityMode, String selectedFormat) {
        this.storageCompatibilityMode = storageCompatibilityMode;
        this.selectedFormat = selectedFormat;
    }

    String storageCompatibilityMode() {
        return storageCompatibilityMode;
    }

    String selectedFormat() {
        return selectedFormat;
    }
}
