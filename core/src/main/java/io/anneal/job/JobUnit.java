package io.anneal.job;

/** A piece of a job: what is worked on, tried again and recorded as one. Immutable. */
public interface JobUnit {
    /** Names the unit in one line that no other unit of the job has, and from which it can be made again. */
    String text();

    /** How much of the job it is, in a measure that all units of the job share, as a number of tokens. */
    double width();
}
