package io.anneal.io;

import java.io.IOException;

/** A file or a peer of a version that is too old or too new. */
public final class UnsupportedVersionException extends IOException {
    private static final long serialVersionUID = 1L;

    /** @param where the file or the peer */
    public UnsupportedVersionException(String where, String found, String oldest, String newest) {
        super("version is not supported, found=" + found + ", oldest=" + oldest + ", newest=" + newest + ", where="
                + where);
    }
}
