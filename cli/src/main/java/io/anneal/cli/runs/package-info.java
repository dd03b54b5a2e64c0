/**
 * What {@code anneal repair} knows of its runs: a record of each in a directory, which of them can be gone on with, and until when
 * tables are covered. May import cli.command and what lies below it. Imported by cli.repair. A record that is written belongs to one
 * run of one process, which a lock says; the classes that are not said to be shared are used by one thread.
 */
package io.anneal.cli.runs;
