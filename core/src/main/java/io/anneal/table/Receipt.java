package io.anneal.table;

/** Hears once what became of a write, on a thread of the store: it must neither wait nor throw. */
interface Receipt {
    /** The write lasts as the sync mode says, and is visible. */
    void applied();

    /** The write is refused, or may not last. */
    void failed(Throwable reason);
}
