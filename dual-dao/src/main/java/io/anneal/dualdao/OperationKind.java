package io.anneal.dualdao;

/** What a method of the DAO does; see the annotations of the same names. */
public enum OperationKind {
    READ,
    WRITE,
    DELETE,
    CONDITIONAL,
    INCREMENT,
    LOCAL
}
