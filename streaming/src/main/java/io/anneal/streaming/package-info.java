/**
 * Whole-SSTable and row streaming between stores: stream plans, stream sessions, transfer and receive tasks.
 * Empty until its turn comes. May import {@code core}: store and net. Imported by migrate, cli and bench.
 */
package io.anneal.streaming;
