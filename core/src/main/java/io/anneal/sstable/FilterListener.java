package io.anneal.sstable;

/** Told what an SSTable's Filter, if it has one, said of keys that were read, and whether it was right. Any thread; quick. */
public interface FilterListener {
    /** Tells nobody. */
    FilterListener NONE = new FilterListener() {
        @Override
        public void negative() {}

        @Override
        public void truePositive() {}

        @Override
        public void falsePositive() {}
    };

    /** The key is not there: nothing was read. */
    void negative();

    /** The key may be there, and is. */
    void truePositive();

    /** The key may be there, and is not: the index was read in vain. */
    void falsePositive();
}
