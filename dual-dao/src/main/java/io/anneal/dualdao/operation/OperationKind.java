package io.anneal.dualdao.operation;

/** What a method of the DAO does; see the annotations of the same names. */
public enum OperationKind {
    READ,
    WRITE,
    DELETE,
    CONDITIONAL,
    INCREMENT,
    LOCAL;

    /** Whether it depends on what is there, and so is done on one side alone and its result taken to the other. */
    public boolean decides() {
        return this == CONDITIONAL || this == INCREMENT;
    }
}
