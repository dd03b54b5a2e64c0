package io.anneal.fragment;

import java.io.IOException;

/** Items in order of key, then place: partition deletion, static row, then rows and range deletions by their start. */
@FunctionalInterface
public interface ItemSource {
    /** Points {@code item} at the next item; false at the end. The bytes stay as they are while items are read. */
    boolean next(EncodedItem item) throws IOException;

    /** The items that lie one after the other in {@code buffer}. */
    static ItemSource of(byte[] buffer, int offset, int lengthBytes) {
        return new ItemSource() {
            private final int limit = offset + lengthBytes;
            private int at = offset;

            @Override
            public boolean next(EncodedItem item) throws IOException {
                if (at == limit) {
                    return false;
                }
                at = item.wrap(buffer, at, limit).endOffset();
                return true;
            }
        };
    }
}
