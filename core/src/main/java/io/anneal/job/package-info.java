/**
 * Long work that is cut into units: a {@link io.anneal.job.RangeJob} works units off in parallel, tries again what fails, records
 * what is done so that a later run goes on there, and can be paused, slowed down and aborted. May import environment, io, metrics,
 * schema and key. Imported by repair, migrate and the command. A job belongs to the thread that opened it; its tasks run on
 * several, a {@link io.anneal.job.JobControl} may be used by any.
 */
package io.anneal.job;
