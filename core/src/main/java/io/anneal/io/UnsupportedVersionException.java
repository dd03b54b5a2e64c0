package io.anneal.io;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Raised when a file, a peer or a message carries a version that this build is too old or too new to read. The
 * bytes themselves are not known to be wrong. Versions are text, because those of Cassandra's files are.
 */
public final class UnsupportedVersionException extends IOException {
    private static final long serialVersionUID = 1L;

    /** What has a version. */
    public enum Subject {
        SSTABLE,
        /** A file of Anneal's own. */
        OWN_FILE,
        PEER
    }

    private final Subject subject;
    private final String resource;
    private final String found;
    private final String oldest;
    private final String newest;

    /** Of an SSTable. */
    public UnsupportedVersionException(String resource, String found, String oldest, String newest) {
        this(Subject.SSTABLE, resource, found, oldest, newest);
    }

    /**
     * @param resource the file, or the protocol and the peer, whose version was read
     * @param found    the version it has
     * @param oldest   the oldest version this build reads
     * @param newest   the newest version this build reads
     */
    public UnsupportedVersionException(Subject subject, String resource, String found, String oldest, String newest) {
        super("version is not supported, resource=" + resource + ", found=" + found + ", oldest=" + oldest + ", newest="
                + newest);
        this.subject = subject;
        this.resource = resource;
        this.found = found;
        this.oldest = oldest;
        this.newest = newest;
    }

    /** Returns the error of a file of Anneal's own, of which this build reads one version. */
    public static UnsupportedVersionException ofOwnFile(Path file, String found, String known) {
        return new UnsupportedVersionException(Subject.OWN_FILE, file.toString(), found, known, known);
    }

    public Subject subject() {
        return subject;
    }

    public String resource() {
        return resource;
    }

    public String found() {
        return found;
    }

    public String oldest() {
        return oldest;
    }

    public String newest() {
        return newest;
    }
}
