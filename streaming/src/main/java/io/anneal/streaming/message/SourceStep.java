package io.anneal.streaming.message;

/** What a target asks a source. */
public enum SourceStep {
    /** {@link OpenSource}, answered with {@link Inventory}. */
    OPEN(1),
    /** The number of an SSTable, answered with {@link FileContents}, or {@link SectionContents} of one that is sent in part. */
    DESCRIBE(2);

    private final int code;

    SourceStep(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /** @throws IllegalArgumentException for a code that no step has */
    public static SourceStep of(int code) {
        for (SourceStep step : values()) {
            if (step.code == code) {
                return step;
            }
        }
        throw new IllegalArgumentException("step of streaming is unknown, code=" + code);
    }
}
