package io.anneal.harness.report;

/** What a pair of charts is about. */
enum Measured {
    READS("Reads"),
    WRITES("Writes and deletes");

    private final String title;

    Measured(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }
}
