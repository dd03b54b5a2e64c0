package io.anneal.streaming.message;

import io.anneal.net.Verb;

/** The verbs of streaming. The numbers are on the wire and never change their meaning. */
public final class StreamVerb {
    /** The version of all that is said on these streams; the first byte of the first message. */
    public static final int VERSION = 2;

    /** What a source has of a table, held for as long as the stream is open: questions of a {@link SourceStep} each. */
    public static final Verb SOURCE = new Verb(17, "stream.source");

    /** A part of a file that a source holds: {@link FilePart} one way, the bytes the other way. */
    public static final Verb FILE = new Verb(18, "stream.file");

    /** Rows that a source holds in no file that may be sent as it is: {@link RowsPart} one way, fragments the other way. */
    public static final Verb ROWS = new Verb(19, "stream.rows");

    /** Asks a source which SSTables of a table it has: version and names one way, {@link Survey} the other way. */
    public static final Verb SURVEY = new Verb(20, "stream.survey");

    /** Asks a node to fetch data from a source: {@link RunStream}; it tells how it is doing until it is done. */
    public static final Verb RUN = new Verb(33, "stream.run");

    private StreamVerb() {}
}
